package text;

/** Figure 1 of paper 004: formats of decimal numbers. */
public class DecimalFormat extends NumberFormat {
    private static final char SEPARATOR = ',';
    private FormatSymbols symbols;

    public DecimalFormat() {
        symbols = new FormatSymbols(); // c2
    }

    public FormatSymbols getSymbols() {
        return symbols;
    }

    public String toPattern() {
        return toPattern(false); // c3
    }

    public String toLocalizedPattern() {
        return toPattern(true); // c4
    }

    private String toPattern(boolean localized) {
        StringBuffer res = new StringBuffer(); // c5
        if (getMaxIntDigits() == 0) // c6
            return res.toString(); // c7
        res.append(localized // c8
            ? symbols.getSeparator() : SEPARATOR); // c9
        return res.toString(); // c10
    }
}
