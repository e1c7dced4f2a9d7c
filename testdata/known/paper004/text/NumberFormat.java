package text;

/** Figure 1 of paper 004: what formats of numbers have in common. */
public abstract class NumberFormat {
    private int maxIntDigits = 40;

    public int getMaxIntDigits() {
        return maxIntDigits;
    }

    public void setMaxIntDigits(int n) {
        maxIntDigits = n;
    }
}
