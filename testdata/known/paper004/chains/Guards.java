package chains;

/** Conditions on what the chain itself passes. Each method called "never" is behind one. */
public class Guards {
    enum Mode { FAST, SAFE }

    public static int flags() {
        return flag(true) + onward(false);
    }

    static int onward(boolean b) {
        return flag(b);
    }

    static int flag(boolean b) {
        return b ? whenTrue() : whenFalse();
    }

    static int whenTrue() { return 1; }
    static int whenFalse() { return 0; }

    public static int absent() {
        return length(null);
    }

    public static int given() {
        return length("abc");
    }

    static int length(String s) {
        return s == null ? ofNull() : ofText(s);
    }

    static int ofNull() { return 0; }
    static int ofText(String s) { return s.length(); }

    public static int numbers() {
        return number(3);
    }

    static int number(int n) {
        switch (n) {
            case 1: return one();
            case 3: return three();
            default: return other();
        }
    }

    static int one() { return 1; }
    static int three() { return 3; }
    static int other() { return 0; }

    /** What is assigned to the parameter is not what was passed. */
    public static int assigned() {
        return reassigned(true);
    }

    static int reassigned(boolean b) {
        if (System.nanoTime() > 0) {
            b = !b;
        }
        return b ? whenTrue() : whenFalse();
    }

    /** The loop comes back with another value. */
    public static int looped() {
        return loop(true);
    }

    static int loop(boolean first) {
        int n = 0;
        for (int i = 0; i < 2; i++) {
            n += first ? whenTrue() : whenFalse();
            first = false;
        }
        return n;
    }
}
