package text;

/** Figure 1 of paper 004: symbols of a locale. */
public final class FormatSymbols {
    private char separator;

    FormatSymbols() {
        separator = '?';
    }

    public char getSeparator() {
        if (separator == '?')
            return getDefault(); // c1
        else
            return separator;
    }

    public void setSeparator(char c) {
        separator = c;
    }

    public char getDefault() {
        return ',';
    }
}
