package catchlens.rt;

import catchlens.rt.record.Chains;

import java.util.Arrays;

/** Counts, for the rewriter's own tests, and throws what is armed. */
public final class Probe {
    public static final int ENTER = 0, TRY = 1, CAUGHT = 2, OUT = 3, THROWN = 4, RETHROWN = 5, POINT = 6, ROOT = 7, EXECUTED = 8;

    /** By kind, class number and probe number. */
    public static final int[][][] counts = new int[9][256][];

    /**
     * What try armedTry of class armedClass throws at each entry; null: nothing. Class -1: what a method with
     * coverage probes throws instead of beginning, the armedTry-th time that there is one.
     */
    public static Throwable armed;
    public static int armedClass, armedTry;

    /** A run that meets the armed try for the hundredth time is in a loop: it is stopped. */
    private static final class Stop extends Error {}

    private static int fired;

    /** By class number: which coverage probes were hit. */
    public static final boolean[][] covers = new boolean[256][];

    public static void reset() {
        Arrays.fill(covers, null);
        for (int[][] kind : counts) Arrays.fill(kind, null);
        armed = null;
        fired = 0;
    }

    private static void count(int kind, int c, int n) {
        int[] a = counts[kind][c];
        if (a == null || a.length <= n) {
            a = a == null ? new int[n + 1] : Arrays.copyOf(a, n + 1);
            counts[kind][c] = a;
        }
        a[n]++;
    }

    public static boolean[] covered(int c, int n) {
        if (armed != null && armedClass < 0) {
            if (++fired == armedTry) Probe.<RuntimeException>sneak(armed);
            if (fired > 5000) throw new Stop();
        }
        if (covers[c] == null) covers[c] = new boolean[n];
        if (covers[c].length != n) throw new Error(covers[c].length + " coverage probes, not " + n);
        return covers[c];
    }

    /** What coverage probes call that count. */
    public static void count(int c, int n) { count(EXECUTED, c, n); }

    /** How many methods of the program are on the stack of a thread, as their probes say. */
    private static final ThreadLocal<int[]> depth = ThreadLocal.withInitial(() -> new int[1]);

    /** How often that was compared with the stack itself. */
    private static int compared;

    private static final int COMPARISONS = 20_000;

    /** How many there are on the stack. */
    private static int onStack() {
        int n = 0;
        for (StackTraceElement f : new Throwable().getStackTrace()) {
            String c = f.getClassName();
            if (!c.startsWith("java.") && !c.startsWith("jdk.") && !c.startsWith("sun.") && !c.startsWith("catchlens.")
                    && !c.startsWith("Harness")) {
                n++;
            }
        }
        return n;
    }

    public static Chains.Frame begin(String info, int c, int n) {
        int d = depth.get()[0]++;
        constructing.get().clear(d);
        constructors.get().set(d, info.startsWith("<init>"));
        if (armed != null && armedClass == -2) {
            if (++fired == armedTry) Probe.<RuntimeException>sneak(armed);
            if (fired > 5000) throw new Stop();
        }
        if (compared < COMPARISONS) {
            compared++;
            int want = onStack();
            if (want != d + 1) throw new Error("a method is told to be at depth " + (d + 1) + ", it is at " + want);
        }
        return new Chains.Frame(d);
    }

    public static void call(Chains.Frame f, int n) {
        depth.get()[0] = f.depth + 1;
        constructing.get().clear(f.depth);
    }

    public static void callOn(Object on, Chains.Frame f, int n) {
        call(f, n);
    }

    /** The depths of constructors. */
    private static final ThreadLocal<java.util.BitSet> constructors = ThreadLocal.withInitial(java.util.BitSet::new);

    /** The depths of methods that call another constructor for their own object. */
    private static final ThreadLocal<java.util.BitSet> constructing = ThreadLocal.withInitial(java.util.BitSet::new);

    public static void construct(Chains.Frame f, int n) {
        depth.get()[0] = f.depth + 1;
        constructing.get().set(f.depth);
    }

    public static void end(Chains.Frame f) {
        end(f.depth);
    }

    private static void end(int d) {
        depth.get()[0] = d;
        constructing.get().clear(d);
    }

    public static void fail(Chains.Frame f) {
        int d = f.depth;
        end(d);
        while (d > 0 && constructing.get().get(d - 1) && constructors.get().get(d)) end(--d);
    }

    public static void enter(int c, int n) { count(ENTER, c, n); }

    public static void tryEnter(int c, int n) {
        boolean hit = armed != null && c == armedClass && n == armedTry;
        if (hit && fired++ >= 100) throw new Stop();
        count(TRY, c, n);
        if (hit) Probe.<RuntimeException>sneak(armed);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable t) throws T { throw (T) t; }

    private static void exception(int kind, Throwable t, int c, int n) {
        if (t == null) throw new Error("probe without an exception");
        if (t instanceof Stop) return;
        count(kind, c, n);
    }

    public static void caught(Throwable t, int c, int n) { exception(CAUGHT, t, c, n); }

    public static void uncaught(Throwable t, int c, int n) { exception(OUT, t, c, n); }

    public static void thrown(Throwable t, int c, int n) { exception(THROWN, t, c, n); }

    public static void rethrown(Throwable t, int c, int n) { exception(RETHROWN, t, c, n); }

    public static void point(int c, int n) { count(POINT, c, n); }

    public static void root(Object a, Object b, Object d, int c, int n) { count(ROOT, c, n); }
}
