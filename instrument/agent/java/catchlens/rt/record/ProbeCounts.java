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
    /** What was written of it. Counters are not set back: who counts meanwhile would undo that. */
    private static long[][] written = new long[0][];
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
        long[] before = writtenOf(c, of.length);
        int at = out.length();
        int probes = 0;
        for (int n = 0; n < of.length; n++) {
            long times = of[n], more = times - before[n];
            if (more == 0) {
                continue;
            }
            if (probes++ == 0) {
                out.u32(c).u32(0);
            }
            before[n] = times;
            out.u16(n).u64(more); // less than none, where a thread has undone what another counted
        }
        if (probes == 0) {
            return false;
        }
        out.setU32(at + 4, probes);
        return true;
    }

    private static long[] writtenOf(int c, int probes) {
        if (c >= written.length) {
            written = Arrays.copyOf(written, all.length);
        }
        long[] of = written[c];
        if (of == null || of.length < probes) {
            of = of == null ? new long[probes] : Arrays.copyOf(of, probes);
            written[c] = of;
        }
        return of;
    }
}
