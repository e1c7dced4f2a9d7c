package catchlens.rt.record;

import catchlens.rt.wire.Out;
import catchlens.rt.wire.Wire;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;

/**
 * Which methods ran below which try: in its body, in its catch clauses, and in whatever these
 * called; and, kept apart, which ran on other threads meanwhile.
 *
 * <p>No probe tells when a try is left. What is kept, for each thread, is a set of catches whose
 * tries may be active. It grows at the start of a try only. A method that is entered is credited to
 * all catches of its thread's set; if one of them did not have it yet, the stack is walked first, and
 * catches of which no frame is in the lines of their try or clause leave the set. The test thread
 * does so the first time after any set has grown: had a try become active after that, a set would
 * have grown again. The catches of other threads' sets get the method as one that ran aside.
 *
 * <p>Walks are dear. After some that changed nothing they get rarer, which credits a few methods too
 * many; a catch that has come into a set {@link #LIMIT} times is given up for the window, and all are
 * past {@link #WALKS} walks.
 */
public final class Below {
    private Below() {}

    /** How often a catch may enter the set in one window. */
    static final int LIMIT = 64;

    /** Walks in one window. */
    static final int WALKS = 2000;

    /** The part of a method that one catch is about, by lines. */
    private static final class Range {
        String method;
        int first;
        int last;
        int k;
    }

    /** The catches whose tries may be active on one thread. Only that thread changes it, with the lock. */
    static final class Active {
        final WeakReference<Thread> thread;
        final String bottom; // the last frame of a whole stack trace
        int[] set = new int[4];
        int size;
        int unchanged; // credits since the set last changed
        int nextWalk; // at this many of them

        Active(Thread t, StackTraceElement[] st) {
            thread = new WeakReference<Thread>(t);
            bottom = whole(st) ? frame(st[st.length - 1]) : "";
        }

        boolean has(int k) {
            for (int i = 0; i < size; i++) {
                if (set[i] == k) {
                    return true;
                }
            }
            return false;
        }

        boolean gone() {
            Thread t = thread.get();
            return t == null || !t.isAlive();
        }
    }

    // Read by probes on the test thread: the methods entered since a set last grew carry epoch.
    public static volatile int epoch = 1;
    public static volatile boolean any; // some set is not empty

    private static final Latch lock = new Latch();
    private static final HashMap<String, Range[]> ranges = new HashMap<String, Range[]>(); // by binary name
    private static final HashMap<String, int[][]> catches = new HashMap<String, int[][]>(); // by internal name, try
    private static Active own; // of the test thread
    private static Active[] all = new Active[8];
    private static int count; // of all
    private static boolean lost;
    private static int walks;

    private static int[] times = new int[0]; // a catch has entered a set
    private static Methods[] below = new Methods[0];
    private static Methods[] aside = new Methods[0];
    private static int[] touched = new int[0];
    private static int touchedCount;

    /** Takes the tries to watch. */
    public static void configure(List<Wire.Try> tries) {
        int most = -1;
        for (Wire.Try t : tries) {
            Range r = new Range();
            r.k = t.catchNumber;
            r.first = t.first;
            r.last = t.last;
            r.method = t.method;
            String name = t.className.replace('/', '.');
            Range[] rs = ranges.get(name);
            rs = rs == null ? new Range[1] : java.util.Arrays.copyOf(rs, rs.length + 1);
            rs[rs.length - 1] = r;
            ranges.put(name, rs);
            int[][] by = catches.get(t.className);
            if (by == null) {
                by = new int[0][];
            }
            if (t.tryNumber >= by.length) {
                by = java.util.Arrays.copyOf(by, t.tryNumber + 1);
            }
            int[] ks = by[t.tryNumber];
            ks = ks == null ? new int[1] : java.util.Arrays.copyOf(ks, ks.length + 1);
            ks[ks.length - 1] = r.k;
            by[t.tryNumber] = ks;
            catches.put(t.className, by);
            most = Math.max(most, r.k);
        }
        times = new int[most + 1];
        below = new Methods[most + 1];
        aside = new Methods[most + 1];
        touched = new int[most + 1];
    }

    /** The catches of each try of a class (internal name), or null. */
    public static int[][] catchesOf(String name) {
        return catches.get(name);
    }

    /**
     * A window opens on this thread. Tries may be active already: those of a runner of the program's
     * here, and those of threads that work for the window.
     */
    static void open() {
        boolean mine = lock.lock();
        try {
            for (int i = 0; i < touchedCount; i++) {
                int k = touched[i];
                times[k] = 0;
                below[k] = null;
                aside[k] = null;
            }
            touchedCount = 0;
            walks = 0;
            lost = false;
            epoch = 1;
            any = false;
            if (times.length == 0) {
                return;
            }
            int kept = 0;
            for (int i = 0; i < count; i++) {
                Active a = all[i];
                Thread t = a.thread.get();
                ThreadState s = a == own || t == null || !t.isAlive() ? null : ThreadTable.find(t);
                if (s == null) {
                    continue;
                }
                if (!s.shared && s.fixtureOf == 0) { // works for no window any more
                    s.active = null;
                    continue;
                }
                all[kept++] = a;
                for (int j = 0; j < a.size; j++) {
                    touch(a.set[j]);
                    any = true;
                }
            }
            java.util.Arrays.fill(all, kept, all.length, null);
            count = kept;
            StackTraceElement[] st = new Throwable().getStackTrace();
            own = active(Thread.currentThread(), st);
            boolean[] there = on(st, 0, st.length);
            for (int k = 0; there != null && k < there.length; k++) {
                if (there[k]) {
                    grow(own, k);
                }
            }
        } finally {
            if (mine) {
                lock.owner = null;
            }
        }
    }

    private static Active active(Thread t, StackTraceElement[] st) {
        if (count == all.length) {
            all = java.util.Arrays.copyOf(all, 2 * count);
        }
        return all[count++] = new Active(t, st);
    }

    private static String frame(StackTraceElement e) {
        return e.getClassName() + '.' + e.getMethodName();
    }

    /** Whether a stack trace has all frames; the JVM cuts it after 1,024. */
    private static boolean whole(StackTraceElement[] st) {
        return st.length > 0 && st.length < 1000;
    }

    /** A try is entered on the test thread. */
    static void entered(int[] ks) {
        for (int k : ks) {
            if (times[k] < LIMIT && !own.has(k)) {
                boolean mine = lock.lock();
                try {
                    grow(own, k);
                } finally {
                    if (mine) {
                        lock.owner = null;
                    }
                }
            }
        }
    }

    /** A try is entered on another thread; its guard is set. */
    static void enteredAside(ThreadState s, int[] ks) {
        for (int k : ks) {
            if (s.active != null && s.active.has(k)) {
                continue;
            }
            boolean mine = lock.lock();
            try {
                if (times[k] >= LIMIT) {
                    continue;
                }
                if (s.active == null || !listed(s.active)) {
                    s.active = active(Thread.currentThread(), new Throwable().getStackTrace());
                }
                grow(s.active, k);
            } finally {
                if (mine) {
                    lock.owner = null;
                }
            }
        }
    }

    private static boolean listed(Active a) {
        for (int i = 0; i < count; i++) {
            if (all[i] == a) {
                return true;
            }
        }
        return false;
    }

    private static void grow(Active a, int k) {
        touch(k);
        if (a.size == a.set.length) {
            a.set = java.util.Arrays.copyOf(a.set, 2 * a.size);
        }
        a.set[a.size++] = k;
        a.unchanged = 0;
        a.nextWalk = 0;
        any = true;
        epoch = epoch + 1;
    }

    private static void touch(int k) {
        if (below[k] == null) {
            below[k] = new Methods();
            aside[k] = new Methods();
            touched[touchedCount++] = k;
        }
        times[k]++;
    }

    /** Not all events of this window are known. */
    static void lose() {
        lost = true;
        any = false;
    }

    /** Method n of class c is entered on the test thread, the first time in this epoch. The guard is set. */
    static void credit(int c, int n) {
        credit(own, c, n);
    }

    /** Method n of class c is entered on a thread that has the set a, or null. The guard is set. */
    static void credit(Active a, int c, int n) {
        if (lost) {
            return;
        }
        long m = (long) c << 16 | n;
        try {
            boolean mine = lock.lock();
            try {
                if (a != null) {
                    creditOwn(a, m);
                }
                for (int i = 0; i < count; i++) {
                    Active other = all[i];
                    if (other == a || other.size == 0) {
                        continue;
                    }
                    if (other.gone()) {
                        all[i--] = all[--count];
                        all[count] = null;
                        continue;
                    }
                    for (int j = 0; j < other.size; j++) {
                        aside[other.set[j]].add(m);
                    }
                }
            } finally {
                if (mine) {
                    lock.owner = null;
                }
            }
        } catch (Throwable t) {
            lose();
            Recorder.swallow(t);
        }
    }

    private static void creditOwn(Active a, long m) {
        int i = 0;
        while (i < a.size && below[a.set[i]].has(m)) {
            i++;
        }
        if (i == a.size) {
            return;
        }
        if (a.unchanged++ >= a.nextWalk) {
            walk(a);
            a.nextWalk = a.unchanged + Math.max(0, a.unchanged - 8) / 4;
        }
        for (i = 0; i < a.size; i++) {
            below[a.set[i]].add(m);
        }
    }

    /** Takes catches out of the set of this thread of whose tries no frame is on the stack. */
    private static void walk(Active a) {
        if (++walks > WALKS) {
            lose();
            return;
        }
        StackTraceElement[] st = new Throwable().getStackTrace();
        if (!whole(st) || !frame(st[st.length - 1]).equals(a.bottom)) {
            return;
        }
        int above = Frames.caller(st) + 1; // the method that is being entered: a try of its own is not active yet
        boolean[] there = on(st, above, st.length);
        int kept = 0;
        for (int i = 0; i < a.size; i++) {
            if (there != null && there[a.set[i]]) {
                a.set[kept++] = a.set[i];
            }
        }
        if (kept < a.size) {
            a.size = kept;
            a.unchanged = 0;
        }
    }

    /** The catches in whose lines a frame is, of those from one to another (exclusive); null: none. */
    public static boolean[] on(StackTraceElement[] st, int from, int to) {
        boolean[] there = null;
        for (int i = from; i < to; i++) {
            StackTraceElement e = st[i];
            Range[] rs = ranges.get(e.getClassName());
            if (rs == null) {
                continue;
            }
            int line = e.getLineNumber();
            for (Range r : rs) {
                if ((line <= 0 || r.first <= line && line <= r.last) && r.method.equals(e.getMethodName())) {
                    if (there == null) {
                        there = new boolean[times.length];
                    }
                    there[r.k] = true;
                }
            }
        }
        return there;
    }

    /**
     * Appends what the window saw: whether that is known, and for each catch the methods below
     * its try, and those that ran aside.
     */
    static void write(Out out) {
        boolean mine = lock.lock();
        try {
            any = false;
            if (lost || times.length == 0) {
                out.u8(lost ? Wire.BELOW_LOST : Wire.BELOW_UNKNOWN);
                return;
            }
            out.u8(Wire.BELOW_KNOWN);
            int at = out.length();
            out.u32(0);
            int n = 0;
            for (int i = 0; i < touchedCount; i++) {
                int k = touched[i];
                if (times[k] < LIMIT) {
                    out.u32(k);
                    below[k].write(out);
                    aside[k].write(out);
                    n++;
                }
            }
            out.setU32(at, n);
        } finally {
            if (mine) {
                lock.owner = null;
            }
        }
    }

    /** A set of class and method numbers; no class has the number 0. */
    private static final class Methods {
        private long[] slots = new long[16];
        private int count;

        private static int slot(long[] in, long m) {
            int i = (int) (m ^ m >>> 16) * 0x9E3779B1 >>> 8 & in.length - 1;
            while (in[i] != 0 && in[i] != m) {
                i = i + 1 & in.length - 1;
            }
            return i;
        }

        boolean has(long m) {
            return slots[slot(slots, m)] == m;
        }

        void add(long m) {
            int i = slot(slots, m);
            if (slots[i] == m) {
                return;
            }
            slots[i] = m;
            if (++count * 2 > slots.length) {
                long[] more = new long[2 * slots.length];
                for (long x : slots) {
                    if (x != 0) {
                        more[slot(more, x)] = x;
                    }
                }
                slots = more;
            }
        }

        void write(Out out) {
            out.u32(count);
            for (long x : slots) {
                if (x != 0) {
                    out.u32((int) (x >> 16)).u16((int) x & 0xffff);
                }
            }
        }
    }
}
