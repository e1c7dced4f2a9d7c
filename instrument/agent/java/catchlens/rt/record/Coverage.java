package catchlens.rt.record;

import catchlens.rt.wire.Out;

import java.util.ArrayList;
import java.util.Iterator;

/**
 * The arrays that coverage probes set, by class number.
 *
 * <p>A method fetches its class's array when it is entered: {@link #own} for the threads of the open
 * window, {@link #stray} for all others and between windows. A window that closes is told what its
 * array has, which is cleared and not replaced: a method of a thread that goes on for the next test
 * goes on recording. Where a thread stays behind that the next window does not own, a method that it
 * is in the middle of must not record for that one: then the arrays are replaced, and the old ones
 * are read as stray as long as such a thread lives.
 */
public final class Coverage {
    private Coverage() {}

    public static boolean[][] own = new boolean[0][];
    private static boolean[][] stray = new boolean[0][];
    private static final Latch latch = new Latch();
    private static final ArrayList<Left> left = new ArrayList<Left>();

    /** What probes set for whom memory is short. Nobody reads it. */
    private static final boolean[] LOST = new boolean[65536];

    /** Arrays that threads of an earlier window may still set. */
    private static final class Left {
        final boolean[][] arrays;
        final ArrayList<ThreadState> threads;

        Left(boolean[][] arrays, ArrayList<ThreadState> threads) {
            this.arrays = arrays;
            this.threads = threads;
        }

        boolean over() {
            for (ThreadState s : threads) {
                Thread t = s.get();
                if (t != null && t.isAlive()) {
                    return false;
                }
            }
            return true;
        }
    }

    /** The array of class c, which has n probes, for the current thread. */
    public static boolean[] of(int c, int n) {
        try {
            return find(c, n, Recorder.belongs());
        } catch (Throwable t) {
            Recorder.swallow(t);
            return LOST;
        }
    }

    private static boolean[] find(int c, int n, boolean mine) {
        boolean locked = latch.lock();
        try {
            boolean[][] all = mine ? own : stray;
            if (c >= all.length) {
                all = java.util.Arrays.copyOf(all, Math.max(1024, Integer.highestOneBit(c) << 1));
                if (mine) {
                    own = all;
                } else {
                    stray = all;
                }
            }
            if (all[c] == null) {
                all[c] = new boolean[n];
            }
            return all[c];
        } finally {
            if (locked) {
                latch.owner = null;
            }
        }
    }

    /** Whether any class has coverage probes. */
    static boolean used() {
        return own.length + stray.length > 0;
    }

    /** Leaves the arrays to threads that do not belong to the window that opens. */
    static void leave(ArrayList<ThreadState> threads) {
        boolean locked = latch.lock();
        try {
            left.add(new Left(own, threads));
            own = new boolean[own.length][];
        } finally {
            if (locked) {
                latch.owner = null;
            }
        }
    }

    /** Writes what was covered in the window, then what by nobody of it, and clears it. */
    static void write(Out out) {
        boolean locked = latch.lock();
        try {
            writeAll(out, own);
            int at = out.length();
            out.u32(0);
            int n = append(out, stray);
            for (Iterator<Left> i = left.iterator(); i.hasNext();) {
                Left l = i.next();
                boolean over = l.over();
                n += append(out, l.arrays);
                if (over) {
                    i.remove();
                }
            }
            out.setU32(at, n);
        } finally {
            if (locked) {
                latch.owner = null;
            }
        }
    }

    private static void writeAll(Out out, boolean[][] arrays) {
        int at = out.length();
        out.u32(0);
        out.setU32(at, append(out, arrays));
    }

    private static int append(Out out, boolean[][] arrays) {
        int n = 0;
        for (int c = 0; c < arrays.length; c++) {
            if (arrays[c] != null && append(out, c, arrays[c])) {
                n++;
            }
        }
        return n;
    }

    private static boolean append(Out out, int c, boolean[] hit) {
        int first = 0;
        while (first < hit.length && !hit[first]) {
            first++;
        }
        if (first == hit.length) {
            return false;
        }
        byte[] bits = new byte[(hit.length + 7) / 8];
        for (int i = first; i < hit.length; i++) {
            if (hit[i]) {
                hit[i] = false;
                bits[i >> 3] |= 1 << (i & 7);
            }
        }
        out.u32(c).bytes(bits);
        return true;
    }
}
