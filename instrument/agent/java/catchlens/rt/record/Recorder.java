package catchlens.rt.record;

import catchlens.rt.Probe;
import catchlens.rt.fault.ArmedFault;
import catchlens.rt.fault.Faults;
import catchlens.rt.inject.Exemplars;
import catchlens.rt.inject.Injector;
import catchlens.rt.load.ClassEntry;
import catchlens.rt.wire.Out;
import catchlens.rt.wire.Wire;

import java.util.HashMap;

/**
 * Counts what probes report, per window.
 *
 * <p>A window is the time of one test, or of the fixtures of one class (see {@link Runner}). One is
 * open at a time. Events belong to the window that is open when they happen. Threads first seen in
 * the window of an earlier test are leaked: their events are counted as stray and belong to none.
 * Threads that the fixture of the running class started belong to each of its tests, as do the
 * workers of the common pool, which serve whichever test gives them work.
 *
 * <p>The thread that runs the test counts in arrays of its own without any synchronization; other
 * threads share a second set of arrays, each guarded by its own monitor. Element 0 of an array is
 * the window whose counts it holds, so that opening a window touches no array.
 */
public final class Recorder {
    private Recorder() {}

    public static final int TRY = 0;
    public static final int CATCH = 1;
    public static final int UNCAUGHT = 2;
    public static final int METHOD = 3;

    /** Stack traces read per window to find the site of an exception that no probe saw thrown. */
    static final int TRACE_LIMIT = 20000;

    // Read by probes. The test thread writes window, so it sees it; others read openWindow.
    public static int window;
    public static volatile int openWindow;
    public static Thread testThread;
    public static boolean busy; // the guard of testThread
    public static Injector.Injection armed;
    public static int[][] tries = new int[0][];
    static int[][] caughts = new int[0][];
    static int[][] uncaughts = new int[0][];
    public static int[][] methods = new int[0][];

    /** The container whose fixture window is open, else 0: the birth mark of new threads. */
    static int fixtureOf;
    /** The container whose tests run now, or 0. */
    public static int container;

    private static final Latch lock = new Latch();
    private static int[][][] other = new int[4][0][];
    private static volatile ClassEntry[] classes = new ClassEntry[0];
    private static int classCount;
    private static int lastWindow;

    private static int[] dirty = new int[1024];
    private static int dirtyCount;
    private static int stray;
    private static int lost;
    private static int traces;
    private static final Latch thrownLatch = new Latch(); // of thrown and links
    private static final ThrowTable thrown = new ThrowTable();
    private static HashMap<Link, Link> links = new HashMap<Link, Link>();
    private static final Latch symbolLatch = new Latch();
    private static final HashMap<String, Integer> symbolNumbers = new HashMap<String, Integer>();
    private static Site[] symbols = new Site[64];

    /** A throw site that only a stack trace tells. */
    static final class Site {
        static final int NATIVE = 1;
        static final int IMPLICIT = 2;
        static final int UNKNOWN = 3;
        static final int DECLARED = 5; // the start of a method that a fault of the user's own strikes; 4: injected
        final int kind;
        final String cls;
        final String method;
        final int line;

        Site(int kind, String cls, String method, int line) {
            this.kind = kind;
            this.cls = cls;
            this.method = method;
            this.line = line;
        }
    }

    /** One experienced link: key and count. */
    static final class Link {
        int c;
        int n;
        int siteC;
        int siteN;
        String exception;
        int count;

        @Override
        public int hashCode() {
            return ((c * 31 + n) * 31 + siteC) * 31 + siteN * 17 + exception.hashCode();
        }

        @Override
        public boolean equals(Object o) {
            Link l = (Link) o;
            return l.c == c && l.n == n && l.siteC == siteC && l.siteN == siteN && l.exception.equals(exception);
        }
    }

    // ---- guards ----

    /**
     * Sets the guard of the current thread whatever the window; false when it was set already. The
     * caller that got true calls {@link #leave}.
     */
    public static boolean guard() {
        Thread t = Thread.currentThread();
        if (t == testThread) {
            if (busy) {
                return false;
            }
            busy = true;
            return true;
        }
        ThreadState s = ThreadTable.of(t);
        if (s.busy) {
            return false;
        }
        s.busy = true;
        return true;
    }

    /** {@link #guard}, for probes: what goes wrong lets them do nothing. */
    public static boolean quietly() {
        try {
            return guard();
        } catch (Throwable t) {
            swallow(t);
            return false;
        }
    }

    /** Sets the guard for an event; false when the event counts for nothing. */
    private static boolean enter() {
        Thread t = Thread.currentThread();
        if (t == testThread) {
            if (busy) {
                return false;
            }
            busy = true;
            return true;
        }
        ThreadState s = ThreadTable.of(t);
        if (s.busy || !accepts(s)) {
            return false;
        }
        s.busy = true;
        return true;
    }

    public static void leave() {
        Thread t = Thread.currentThread();
        if (t == testThread) {
            busy = false;
            return;
        }
        ThreadState s = ThreadTable.find(t);
        if (s != null) {
            s.busy = false;
        }
    }

    private static boolean accepts(ThreadState s) {
        if (owns(s)) {
            return true;
        }
        if (openWindow != 0) {
            stray++;
        }
        return false;
    }

    /** Whether what the current thread does now belongs to the open window. */
    static boolean belongs() {
        Thread t = Thread.currentThread();
        if (t == testThread) {
            return !busy;
        }
        ThreadState s = ThreadTable.of(t);
        return !s.busy && owns(s);
    }

    private static boolean owns(ThreadState s) {
        int w = openWindow;
        if (w == 0) {
            return false;
        }
        if (s.birth == w || s.shared || (s.fixtureOf != 0 && s.fixtureOf == container)) {
            return true;
        }
        s.busy = true; // isShared may run probes
        try {
            s.shared = ThreadTable.isShared(Thread.currentThread());
        } finally {
            s.busy = false;
        }
        return s.shared;
    }

    /** Whether the current thread was left over by an earlier test. */
    public static boolean leakedHere() {
        Thread t = Thread.currentThread();
        return t != testThread && !accepts(ThreadTable.of(t));
    }

    /** A throwable that a probe must not let out; a ThreadDeath from outside goes on its way. */
    public static void swallow(Throwable t) {
        lost++;
        if (t.getClass().getName().equals("java.lang.ThreadDeath")) {
            Probe.<RuntimeException>sneaky(t);
        }
    }

    // ---- events ----

    public static void countSlow(int kind, int c, int n) {
        busy = true;
        try {
            bumpOwn(kind, c, n);
        } catch (Throwable t) {
            swallow(t);
        } finally {
            busy = false;
        }
    }

    /** Try n of class c has been entered on the test thread. */
    public static void below(int c, int n) {
        try {
            int[] ks = catchesOf(c, n);
            if (ks != null) {
                Below.entered(ks);
            }
        } catch (Throwable t) {
            Below.lose();
            swallow(t);
        }
    }

    private static void belowAside(int c, int n) {
        int[] ks = catchesOf(c, n);
        if (ks == null) {
            return;
        }
        try {
            Below.enteredAside(ThreadTable.of(Thread.currentThread()), ks);
        } catch (Throwable t) {
            Below.lose();
            swallow(t);
        }
    }

    private static int[] catchesOf(int c, int n) {
        ClassEntry e = entry(c);
        return e == null || e.catches == null || n >= e.catches.length ? null : e.catches[n];
    }

    /** Method n of class c is entered on the test thread while tries may be active. */
    public static void credit(int c, int n) {
        busy = true;
        try {
            Below.credit(c, n);
        } catch (Throwable t) {
            Below.lose();
            swallow(t);
        } finally {
            busy = false;
        }
    }

    /** Counts an event of a thread that is not the test thread; false when it counts for nothing. */
    public static boolean countOther(int kind, int c, int n) {
        return count(kind, c, n);
    }

    public static boolean count(int kind, int c, int n) {
        try {
            if (!enter()) {
                return false;
            }
        } catch (Throwable t) {
            swallow(t);
            return false;
        }
        try {
            bump(kind, c, n);
        } catch (Throwable t) {
            swallow(t);
        } finally {
            leave();
        }
        return true;
    }

    private static void bump(int kind, int c, int n) {
        if (Thread.currentThread() == testThread) {
            bumpOwn(kind, c, n);
        } else {
            bumpOther(kind, c, n);
            if (kind == METHOD && Below.any) {
                Below.credit(ThreadTable.of(Thread.currentThread()).active, c, n);
            } else if (kind == TRY) {
                belowAside(c, n);
            }
        }
    }

    private static void bumpOwn(int kind, int c, int n) {
        int[][] all = own(kind);
        int[] a = c < all.length ? all[c] : null;
        if (a == null || n + 1 >= a.length) {
            a = grow(a, size(kind, c), n);
            boolean mine = lock.lock();
            try {
                all = own(kind);
                if (c >= all.length) {
                    all = java.util.Arrays.copyOf(all, roomFor(c));
                    setOwn(kind, all);
                }
                all[c] = a;
            } finally {
                if (mine) {
                    lock.owner = null;
                }
            }
        }
        if (a[0] != window) {
            java.util.Arrays.fill(a, 0);
            a[0] = window;
            markDirty(c, window);
        }
        if (kind == METHOD) {
            a[n + 1] = Below.epoch;
            if (Below.any) {
                Below.credit(c, n);
            }
        } else {
            a[n + 1]++;
        }
    }

    private static void bumpOther(int kind, int c, int n) {
        int[] a;
        boolean mine = lock.lock();
        try {
            int[][] all = other[kind];
            if (c >= all.length) {
                all = java.util.Arrays.copyOf(all, roomFor(c));
                other[kind] = all;
            }
            a = all[c];
            if (a == null || n + 1 >= a.length) {
                a = grow(a, size(kind, c), n);
                all[c] = a;
            }
            int w = openWindow;
            if (w == 0) {
                return;
            }
            if (a[0] != w) {
                java.util.Arrays.fill(a, 0);
                a[0] = w;
                markDirty(c, w);
            }
            a[n + 1]++;
        } finally {
            if (mine) {
                lock.owner = null;
            }
        }
    }

    private static int[] grow(int[] a, int size, int n) {
        int len = Math.max(size, n + 1) + 1;
        return a == null ? new int[len] : java.util.Arrays.copyOf(a, len);
    }

    private static int roomFor(int c) {
        return Math.max(1024, Integer.highestOneBit(c) << 1);
    }

    private static int size(int kind, int c) {
        ClassEntry e = entry(c);
        if (e == null) {
            return 0;
        }
        return kind == CATCH ? e.handlers : kind == METHOD ? e.methods : e.tries;
    }

    private static int[][] own(int kind) {
        return kind == TRY ? tries : kind == CATCH ? caughts : kind == UNCAUGHT ? uncaughts : methods;
    }

    private static void setOwn(int kind, int[][] all) {
        if (kind == TRY) {
            tries = all;
        } else if (kind == CATCH) {
            caughts = all;
        } else if (kind == UNCAUGHT) {
            uncaughts = all;
        } else {
            methods = all;
        }
    }

    private static void markDirty(int c, int w) {
        boolean mine = lock.lock();
        try {
            ClassEntry e = entry(c);
            if (e != null) {
                if (e.dirty == w) {
                    return;
                }
                e.dirty = w;
            }
            if (dirtyCount == dirty.length) {
                dirty = java.util.Arrays.copyOf(dirty, 2 * dirtyCount);
            }
            dirty[dirtyCount++] = c;
        } finally {
            if (mine) {
                lock.owner = null;
            }
        }
    }

    /**
     * Explicit site n of class c throws e. maybeRethrow: an object that is known already has been
     * thrown before, and keeps its site; so does one that a native method threw.
     */
    public static void site(Throwable e, int c, int n, boolean maybeRethrow) {
        try {
            if (!enter()) {
                return;
            }
        } catch (Throwable t) {
            swallow(t);
            return;
        }
        try {
            if (maybeRethrow) {
                if (find(e) != null) {
                    return;
                }
                int s = symbol(e);
                if (symbols[s].kind == Site.NATIVE) {
                    c = ThrowTable.SYMBOL;
                    n = s;
                }
            }
            remember(e, c, n);
            if (Exemplars.on) {
                Exemplars.note(e);
            }
        } catch (Throwable t) {
            swallow(t);
        } finally {
            leave();
        }
    }

    /** Handler n of class c has been entered with e: counted already, the link is recorded here. */
    public static void link(Throwable e, int c, int n) {
        try {
            if (e == null || !enter()) {
                return;
            }
        } catch (Throwable t) {
            swallow(t);
            return;
        }
        try {
            ThrowTable.Entry x = find(e);
            Link l = new Link();
            l.c = c;
            l.n = n;
            l.siteC = x != null ? x.c : ThrowTable.SYMBOL;
            l.siteN = x != null ? x.n : symbol(e);
            l.exception = e.getClass().getName();
            if (x == null) {
                if (thrown.forgot) {
                    lost++; // the site that threw it may have been forgotten
                }
                remember(e, l.siteC, l.siteN);
            }
            bump(l);
            if (Exemplars.on) {
                Exemplars.note(e);
            }
        } catch (Throwable t) {
            swallow(t);
        } finally {
            leave();
        }
    }

    /** Marks e as thrown by the injector: catching it makes no experienced link. */
    public static void injected(Throwable e) {
        remember(e, ThrowTable.INJECTED, 0);
    }

    private static ThrowTable.Entry find(Throwable e) {
        boolean mine = thrownLatch.lock();
        try {
            return thrown.find(e);
        } finally {
            if (mine) {
                thrownLatch.owner = null;
            }
        }
    }

    private static void remember(Throwable e, int c, int n) {
        boolean mine = thrownLatch.lock();
        try {
            ThrowTable.Entry x = thrown.entry(e);
            x.c = c;
            x.n = n;
        } finally {
            if (mine) {
                thrownLatch.owner = null;
            }
        }
    }

    private static void bump(Link l) {
        boolean mine = thrownLatch.lock();
        try {
            Link old = links.get(l);
            if (old == null) {
                links.put(l, l);
                old = l;
            }
            old.count++;
        } finally {
            if (mine) {
                thrownLatch.owner = null;
            }
        }
    }

    /** Marks e as thrown at the start of a method by a fault of the user's own. */
    public static void declared(Throwable e, String cls, String method, int line) {
        remember(e, ThrowTable.SYMBOL, intern(new Site(Site.DECLARED, cls, method, line)));
    }

    /**
     * The number of the symbolic site where e was thrown, as its stack trace tells. The JVM leaves
     * the frames of fillInStackTrace and of the throwable's own constructors out of it.
     */
    private static int symbol(Throwable e) {
        if (++traces > TRACE_LIMIT) {
            lost++;
            return intern(new Site(Site.UNKNOWN, "", "", 0));
        }
        StackTraceElement[] trace = e.getStackTrace();
        if (trace == null || trace.length == 0) {
            return intern(new Site(Site.UNKNOWN, "", "", 0));
        }
        StackTraceElement f = trace[0];
        if (f.isNativeMethod()) {
            return intern(new Site(Site.NATIVE, f.getClassName(), f.getMethodName(), 0));
        }
        return intern(new Site(Site.IMPLICIT, f.getClassName(), f.getMethodName(), Math.max(0, f.getLineNumber())));
    }

    private static int intern(Site s) {
        String key = s.kind + s.cls + '#' + s.method + ':' + s.line;
        boolean mine = symbolLatch.lock();
        try {
            Integer n = symbolNumbers.get(key);
            if (n == null) {
                n = symbolNumbers.size();
                symbolNumbers.put(key, n);
                if (n == symbols.length) {
                    symbols = java.util.Arrays.copyOf(symbols, 2 * n);
                }
                symbols[n] = s;
            }
            return n;
        } finally {
            if (mine) {
                symbolLatch.owner = null;
            }
        }
    }

    // ---- classes ----

    public static ClassEntry entry(int c) {
        ClassEntry[] all = classes;
        return c >= 0 && c < all.length ? all[c] : null;
    }

    /** Gives a class its number. Numbers start at 1. */
    public static ClassEntry register(String name, ClassEntry.ClassKey key, String loaderKind, ClassLoader loader,
            ClassEntry.Counts counts, boolean late) {
        ClassEntry e;
        boolean mine = lock.lock();
        try {
            int c = ++classCount;
            e = new ClassEntry(c, name, key, loaderKind, loader, counts, late);
            if (c >= classes.length) {
                int room = roomFor(c);
                tries = java.util.Arrays.copyOf(tries, room);
                caughts = java.util.Arrays.copyOf(caughts, room);
                uncaughts = java.util.Arrays.copyOf(uncaughts, room);
                methods = java.util.Arrays.copyOf(methods, room);
                ClassEntry[] more = java.util.Arrays.copyOf(classes, room);
                more[c] = e;
                classes = more;
            } else {
                classes[c] = e;
            }
        } finally {
            if (mine) {
                lock.owner = null;
            }
        }
        Injector.Injection a = armed;
        if (a != null) {
            a.defined(e);
        }
        ArmedFault f = Faults.armed;
        if (f != null) {
            f.defined(e);
        }
        return e;
    }

    public static int classCount() {
        return classCount;
    }

    // ---- windows ----

    /** Opens a window; fixture: the number of the container whose fixture it is, else 0. */
    public static void open(int fixture) {
        ThreadTable.markLiving(-1, 0);
        boolean mine = lock.lock();
        try {
            dirtyCount = 0;
        } finally {
            if (mine) {
                lock.owner = null;
            }
        }
        clear();
        stray = 0;
        lost = 0;
        traces = 0;
        busy = false;
        leaveCoverage();
        fixtureOf = fixture;
        testThread = Thread.currentThread();
        Below.open();
        int w = ++lastWindow;
        window = w;
        openWindow = w;
    }

    /** Has threads that belonged to a window before, and not to the one that opens, keep what they set. */
    private static void leaveCoverage() {
        if (!Coverage.used()) {
            return;
        }
        java.util.ArrayList<ThreadState> leave = new java.util.ArrayList<ThreadState>();
        for (Thread t : ThreadTable.living()) {
            ThreadState s = t == null || t == Thread.currentThread() ? null : ThreadTable.find(t);
            boolean stays = s == null || s.left || s.birth <= 0 || s.shared || ThreadTable.isShared(t)
                    || s.fixtureOf != 0 && s.fixtureOf == container;
            if (!stays) {
                s.left = true;
                leave.add(s);
            }
        }
        if (!leave.isEmpty()) {
            Coverage.leave(leave);
        }
    }

    /**
     * Closes the window and appends its record to out. Returns the number of live threads that the
     * window started and left behind; their names go to leaked where that is not null.
     */
    public static void close(Out out, java.util.ArrayList<String> leaked) {
        int w = window;
        if (w == 0) {
            shut();
            out.u32(0).u32(0).u32(0).u32(0).u8(Wire.BELOW_UNKNOWN).u32(0).u32(0).u32(0).u32(0);
            return;
        }
        busy = true; // what follows may run probes
        ThreadTable.markLiving(w, fixtureOf); // a thread that has not got to run yet is born in this window
        shut();
        for (Thread t : ThreadTable.living()) {
            if (t == null) {
                continue;
            }
            ThreadState s = ThreadTable.find(t);
            if (leaked != null && s != null && s.birth == w && !ThreadTable.isShared(t) && t != Thread.currentThread() && t.isAlive()) {
                leaked.add(t.getName());
            }
        }
        fixtureOf = 0;
        boolean mine = lock.lock();
        try {
            writeCounts(out, w);
        } finally {
            if (mine) {
                lock.owner = null;
            }
        }
        writeLinks(out);
        out.u32(stray).u32(lost);
        Below.write(out);
        Coverage.write(out);
        Chains.write(out);
        ProbeCounts.write(out);
    }

    private static void shut() {
        window = 0;
        openWindow = 0;
        testThread = null;
        busy = false;
    }

    private static void writeCounts(Out out, int w) {
        out.u32(dirtyCount);
        for (int i = 0; i < dirtyCount; i++) {
            int c = dirty[i];
            out.u32(c);
            for (int kind = TRY; kind <= METHOD; kind++) {
                int[][] mine = own(kind);
                int[] a = c < mine.length ? mine[c] : null;
                int[] b = c < other[kind].length ? other[kind][c] : null;
                writeKind(out, kind, a != null && a[0] == w ? a : null, b != null && b[0] == w ? b : null);
            }
        }
    }

    private static void writeKind(Out out, int kind, int[] a, int[] b) {
        int at = out.length();
        out.u16(0);
        int len = Math.max(a == null ? 0 : a.length, b == null ? 0 : b.length);
        int n = 0;
        for (int i = 1; i < len; i++) {
            int v = (a != null && i < a.length ? a[i] : 0) + (b != null && i < b.length ? b[i] : 0);
            if (v == 0) {
                continue;
            }
            out.u16(i - 1);
            if (kind != METHOD) {
                out.u32(v);
            }
            n++;
        }
        out.setU16(at, n);
    }

    private static void clear() {
        boolean mine = thrownLatch.lock();
        try {
            thrown.clear();
            links.clear();
        } finally {
            if (mine) {
                thrownLatch.owner = null;
            }
        }
    }

    /** Writes the links, and forgets them. */
    private static void writeLinks(Out out) {
        boolean mine = thrownLatch.lock();
        try {
            appendLinks(out);
            clear();
        } finally {
            if (mine) {
                thrownLatch.owner = null;
            }
        }
    }

    private static void appendLinks(Out out) {
        out.u32(links.size());
        for (Link l : links.values()) {
            out.u32(l.c).u16(l.n).str(l.exception).u32(l.count);
            if (l.siteC == ThrowTable.INJECTED) {
                out.u8(Wire.SITE_INJECTED);
            } else if (l.siteC == ThrowTable.SYMBOL) {
                Site s = symbols[l.siteN];
                out.u8(s.kind).str(s.cls).str(s.method).u32(s.line);
            } else {
                out.u8(Wire.SITE_EXPLICIT).u32(l.siteC).u16(l.siteN);
            }
        }
    }

    /** The classes that a record may name and the worker has not been told of, as a list. */
    public static void writeNewClasses(Out out) {
        boolean mine = lock.lock();
        try {
            int at = out.length();
            out.u32(0);
            int n = 0;
            for (int c = firstUnsent; c <= classCount; c++) {
                ClassEntry e = classes[c];
                out.u32(c).str(e.name).str(e.loaderKind).u32(e.key.crc).u32(e.key.adler).u32(e.key.length);
                out.u8(e.late ? 1 : 0);
                n++;
            }
            firstUnsent = classCount + 1;
            out.setU32(at, n);
        } finally {
            if (mine) {
                lock.owner = null;
            }
        }
    }

    private static int firstUnsent = 1;
}
