package catchlens.rt;

import catchlens.rt.record.Chains;

/** Does nothing, and needs nothing: fit for every class of a JDK from the start of the JVM. */
public final class Probe {
    private Probe() {}

    public static void enter(int c, int n) {}

    public static void tryEnter(int c, int n) {}

    public static void caught(Throwable t, int c, int n) {}

    public static void uncaught(Throwable t, int c, int n) {}

    public static void thrown(Throwable t, int c, int n) {}

    public static void rethrown(Throwable t, int c, int n) {}

    public static void point(int c, int n) {}

    public static void root(Object a, Object b, Object d, int c, int n) {}

    /** The outcome that the branch has by itself: how is ==, !=, <, >=, >, <=. */
    public static boolean guard(int a, int b, int how, int c, int n) {
        switch (how) {
            case 0: return a == b;
            case 1: return a != b;
            case 2: return a < b;
            case 3: return a >= b;
            case 4: return a > b;
            default: return a <= b;
        }
    }

    public static boolean guard(Object a, Object b, int how, int c, int n) { return (a == b) == (how == 0); }

    public static int select(int value, int c, int n) { return value; }

    public static Chains.Frame begin(String info, int c, int n) { return null; }

    public static void call(Chains.Frame frame, int n) {}

    public static void callOn(Object on, Chains.Frame frame, int n) {}

    public static void construct(Chains.Frame frame, int n) {}

    public static void end(Chains.Frame frame) {}

    public static void fail(Chains.Frame frame) {}

    public static void count(int c, int n) {}

    public static boolean[] covered(int c, int n) { return new boolean[n]; }
}
