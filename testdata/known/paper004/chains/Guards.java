package chains;

import traced.Trace;

/** Conditions on what the chain itself passes. Each method called "never" is behind one. */
public class Guards {
    enum Mode {
        FAST, SAFE;

        static final Mode DEFAULT = FAST;
    }

    public static int flags() {
        return flag(true) + onward(false);
    }

    static int onward(boolean b) {
        return flag(b);
    }

    static int flag(boolean b) {
        return b ? whenTrue() : whenFalse();
    }

    static int whenTrue() { return Trace.note(1); }
    static int whenFalse() { return Trace.note(0); }

    public static int absent() {
        return length(null);
    }

    public static int given() {
        return length("abc");
    }

    static int length(String s) {
        return s == null ? ofNull() : ofText(s);
    }

    static int ofNull() { return Trace.note(0); }
    static int ofText(String s) { return Trace.note(s.length()); }

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

    static int one() { return Trace.note(1); }
    static int three() { return Trace.note(3); }
    static int other() { return Trace.note(0); }

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

    public static int fast() {
        return mode(Mode.FAST) + passedOn(Mode.SAFE, 1);
    }

    static int passedOn(Mode m, int n) {
        return mode(m) + n;
    }

    /** No one constant is passed. */
    public static int either() {
        return mode(System.nanoTime() > 0 ? Mode.FAST : Mode.SAFE);
    }

    /** It may be null in place of the constant. */
    public static int perhaps() {
        return mode(System.nanoTime() > 0 ? Mode.FAST : null);
    }

    static int mode(Mode m) {
        if (m == Mode.SAFE) {
            return whenSafe();
        }
        return m != Mode.FAST ? otherwise() : whenFast();
    }

    static int whenSafe() { return Trace.note(2); }
    static int whenFast() { return Trace.note(1); }
    static int otherwise() { return Trace.note(0); }

    /** A field that is no constant may hold the same object. */
    static Mode usual = Mode.FAST;

    public static int same() {
        return compare(Mode.FAST);
    }

    static int compare(Mode m) {
        return m == usual ? whenTrue() : whenFalse();
    }

    /** While it is initialised, both of its fields hold null: they are the same. */
    enum Early {
        A, B;

        Early() {
            register();
        }

        static void register() {
            early();
        }
    }

    public static int early() {
        return isB(Early.A);
    }

    static int isB(Early e) {
        return e == Early.B ? whenTrue() : whenFalse();
    }

    /** The initialiser of another class runs while it is initialised. */
    enum Late {
        A(Limits.limit), B(2);

        final int limit;

        Late(int limit) {
            this.limit = limit;
        }
    }

    static class Limits {
        static int limit = late();
    }

    public static int late() {
        return isB(Late.A);
    }

    static int isB(Late l) {
        return l == Late.B ? whenTrue() : whenFalse();
    }

    /** As Late, by a field of an interface. */
    interface Limited {
        int LIMIT = inherited();

        default int limit() {
            return LIMIT;
        }
    }

    enum Inheriting implements Limited { A, B }

    public static int inherited() {
        return isB(Inheriting.A);
    }

    static int isB(Inheriting i) {
        return i == Inheriting.B ? whenTrue() : whenFalse();
    }

    /** A number as large as there is. */
    public static int large() {
        return number(Long.MAX_VALUE);
    }

    /** A number with which facts stand for a field. */
    public static int larger() {
        return number(1L << 40);
    }

    static int number(long n) {
        if (n == Long.MAX_VALUE) {
            return one();
        }
        return n == 1L << 40 ? three() : other();
    }

    /** Both fields hold one constant. */
    public static int alias() {
        return alias(Mode.FAST);
    }

    static int alias(Mode m) {
        return m == Mode.DEFAULT && m == Mode.FAST ? whenTrue() : 0;
    }

    /** So does this one, until it is assigned. */
    public static int usual() {
        return usual(Mode.FAST);
    }

    static int usual(Mode m) {
        if (m != usual) {
            return 0;
        }
        if (m == Mode.SAFE) {
            return whenFalse();
        }
        return m == Mode.FAST ? whenTrue() : 0;
    }

    static final String S1 = text();
    static final String S2 = S1;

    static String text() { return "a"; }

    public static int twoStrings() {
        return twoStrings("a");
    }

    static int twoStrings(String s) {
        return s == S1 && s == S2 ? whenTrue() : 0;
    }

    static final Object N1 = null;
    static final Object N2 = null;

    public static int twoNulls() {
        return twoNulls(null) + nullField(null);
    }

    static int twoNulls(Object o) {
        return o == N1 && o == N2 ? whenTrue() : 0;
    }

    static int nullField(Object o) {
        return o == N1 && o == null ? whenTrue() : 0;
    }

    /** One field, which holds the constant first and does not afterwards. */
    public static int changes() {
        return changes(Mode.FAST);
    }

    static int changes(Mode m) {
        usual = m;
        if (m == usual) {
            usual = null;
            return m == usual ? 0 : whenTrue();
        }
        return 0;
    }

    /** Text is no constant of an enum, and both other fields hold it. */
    public static int others() {
        return others("a");
    }

    static int others(Object o) {
        return o != Mode.FAST && o == S1 && o == S2 ? whenTrue() : 0;
    }
}
