/**
 * Ways out of branches that a run of main never takes, by the name that they are shown with. Lines with a
 * branch and nothing behind it have all of their ways taken.
 */
public class Labels {
    static boolean yes() { return true; }
    static boolean no() { return false; }
    static final boolean DEBUG = false;

    static int numbers(int x, long y, double z) {
        if (x > 0) { x++; } //# x > 0: false
        if (x <= 0) { x++; } //# x <= 0: true
        if (y == 7) { x++; } //# y == 7: false
        if (y != 7) { x++; } //# y != 7: true
        if (z < 1.5) x++; //# z < 1.5: true
        if (!(z <= Double.NaN)) x++; //# z <= Double.NaN: true
        if ((x & 1) == 0) x++; //# (x & 1) == 0: false
        while (x > 100) { x--; } //# x > 100: true
        for (int i = 0; i < 3; i++) { x += i; }
        for (int i = 3; i < 3; i++) { x += i; } //# i < 3: true
        return x;
    }

    static int booleans(Object o, String s) {
        int n = 0;
        if (yes()) n++; //# yes(): false
        if (!yes()) n++; //# yes(): false
        if (no() || yes()) { n++; } //# no(): true, yes(): false
        if (yes() && !(no() || n > 9)) { n++; } //# yes(): false, no(): true, n > 9: true
        if (o == null) { n++; } else if (s != null) { n++; } //# o == null: true, s != null: false
        if (o instanceof String) n++; //# o instanceof String: true
        if (s.equals(")\"if(") || n < 0) n++; //# s.equals(")\"if("): true, n < 0: true
        if ((s = "x") == null) n++; //# (s = "x") == null: true
        return n;
    }

    // What is not certain is named by the line that a way leads to.
    static int lines(int x, String s) {
        int n = x > 0 ? 1 : 2; //# on this line
        boolean b = x > 0 && n > 0; //# on this line, on this line
        if (DEBUG && x > 3 || b) { n++; } //# to line 42
        if (x == 0 == b) { //# on this line, to line 43
            n++;
        }
        switch (x) { //# to line 46, to line 47
            case 1: n++;
            case 2: n++;
            default: n++;
        }
        return n;
    }

    public static void main(String[] args) {
        numbers(3, 7, 2);
        booleans(new Object(), "s");
        lines(5, "t");
    }
}
