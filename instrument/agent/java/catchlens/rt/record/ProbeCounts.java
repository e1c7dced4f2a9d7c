package catchlens.rt.record;

import catchlens.rt.wire.Out;

import java.util.Arrays;

/**
 * How often probes that count were executed, by class and probe number, whatever thread it was and
 * whatever window was open. Threads do not wait for each other: of what several count at once some
 * may be lost.
 */
public final class ProbeCounts {
    private ProbeCounts() {}

    private static long[][] all = new long[0][];
    private static final Latch latch = new Latch();

    /** Probe n of class c is executed. */
    public static void add(int c, int n) {
        long[][] a = all;
        if (c < a.length) {
            long[] of = a[c];
            if (of != null && n < of.length) {
                of[n]++;
                return;
            }
        }
        try {
            addFirst(c, n);
        } catch (Throwable t) {
            Recorder.swallow(t);
        }
    }

    private static void addFirst(int c, int n) {
        boolean locked = latch.lock();
        try {
            if (c >= all.length) {
                all = Arrays.copyOf(all, Math.max(1024, Integer.highestOneBit(c) << 1));
            }
            long[] of = all[c];
            if (of == null || n >= of.length) {
                of = of == null ? new long[n + 1] : Arrays.copyOf(of, Math.max(n + 1, 2 * of.length));
                all[c] = of;
            }
            of[n]++;
        } finally {
            if (locked) {
                latch.owner = null;
            }
        }
    }

    /** Writes what was counted since it was written before. */
    static void write(Out out) {
        boolean locked = latch.lock();
        try {
            int at = out.length();
            out.u32(0);
            int classes = 0;
            for (int c = 0; c < all.length; c++) {
                if (all[c] != null && writeClass(out, c, all[c])) {
                    classes++;
                }
            }
            out.setU32(at, classes);
        } finally {
            if (locked) {
                latch.owner = null;
            }
        }
    }

    private static boolean writeClass(Out out, int c, long[] of) {
        int probes = 0;
        for (long times : of) {
            if (times != 0) {
                probes++;
            }
        }
        if (probes == 0) {
            return false;
        }
        out.u32(c).u32(probes);
        for (int n = 0; n < of.length && probes > 0; n++) {
            long times = of[n];
            if (times != 0) {
                of[n] = 0;
                out.u16(n).u64(times);
                probes--;
            }
        }
        for (; probes > 0; probes--) { // none is, unless a thread has come to count less
            out.u16(0).u64(0);
        }
        return true;
    }
}
