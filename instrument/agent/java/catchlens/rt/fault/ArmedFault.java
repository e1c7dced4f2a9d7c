package catchlens.rt.fault;

import catchlens.rt.Agent;
import catchlens.rt.inject.Construct;
import catchlens.rt.inject.Injector;
import catchlens.rt.load.ClassEntry;
import catchlens.rt.record.Below;
import catchlens.rt.record.Frames;
import catchlens.rt.record.Recorder;
import catchlens.rt.wire.Out;
import catchlens.rt.wire.Wire;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * What is armed for one request. Its monitor is a latch over a few fields: code of the program (an
 * exception's constructor, a thread's interrupt), stack walks, requests to the supervisor and
 * what is sent to the worker are outside of it, because other threads of the program come by here
 * with locks of their own.
 */
public final class ArmedFault {
    /** Stack walks that observing makes for one operation in one window before it gets sparing. */
    private static final int WALKS = 200;

    /** Operations of one window that threads are woken out of. */
    private static final int WAKERS = 50;

    /** A try, by its class, number and lines. */
    static final class Target {
        final String name; // internal
        final String binary;
        final int n;
        final String method;
        final int first;
        final int last;
        final int[] handlers;
        volatile int[] numbers = new int[0]; // of its class in this JVM

        Target(Wire.FaultTry t) {
            name = t.className;
            binary = name.replace('/', '.');
            n = t.tryNumber;
            method = t.method;
            first = t.first;
            last = t.last;
            handlers = t.handlers;
        }
    }

    /** A guard whose outcome may be overridden: a branch of a class, and the outcome that leads to the throw. */
    static final class Gate {
        String name; // internal, of the class
        int n;
        int outcome; // whether to jump, or the operand of a switch
        int number; // in the request
        int walked;
    }

    /** An operation that was seen below a try, or, with k -1, elsewhere. */
    private static final class Touch {
        int root;
        int k;
        boolean aside;
        String object;
    }

    final Target[] targets;
    private final FaultReport[] reports; // by root
    final Gate[] gates;
    private final HashMap<Long, ArrayList<Gate>> gatesAt = new HashMap<Long, ArrayList<Gate>>(); // by class number and guard
    private final String path;
    private final String peer;
    private final boolean persistent;
    private final boolean observe;
    private final boolean otherThreads;
    private final boolean interrupt;
    private final java.util.HashSet<Integer> waits = new java.util.HashSet<Integer>(); // operations that threads are woken out of
    private int wakers; // in this window
    private final boolean follow; // what runs below a target try after the fault is noted
    private final long[] past; // ways to an operation by which it is left alone
    private final List<String> avoid; // methods, class.name, below which it is
    private final String through; // the method below which alone operations are struck, or null
    private final String system; // kind of a fault of the operating system, or null
    private final boolean systemNet;
    private static final SystemFault BUSY = new SystemFault(); // one that is being armed or taken back
    private SystemFault pending; // what was armed for an operation that is under way

    private int window; // counts them: what a thread decides in one does not strike in the next
    private boolean over; // and nothing strikes between two

    private final ArrayList<Thread> inside = new ArrayList<Thread>(); // threads in a target try
    private long fired;
    private boolean told; // the worker, that it has
    private String operation;
    private String object;
    private String thread;
    private volatile String problem;
    private Thread struckOn; // until it enters a catch of the workspace
    private boolean arrived; // and that was one of the targets', with an exception of the JDK, or struckWith
    private boolean thenFired; // an operation that is struck after another one has been
    private long way; // to the operation that was struck
    private final java.util.TreeSet<Integer> later = new java.util.TreeSet<Integer>(); // operations after the fault
    private int walkedLater;
    private Throwable struckWith; // the exception of a fault of the user's own
    private final HashMap<String, Touch> touches = new HashMap<String, Touch>();
    private int[] walks = new int[0];
    private final java.util.concurrent.atomic.AtomicLong ran = new java.util.concurrent.atomic.AtomicLong(); // operations, where it observes

    public ArmedFault(Wire.Fault spec) {
        targets = new Target[spec.tries.size()];
        for (int i = 0; i < targets.length; i++) {
            targets[i] = new Target(spec.tries.get(i));
        }
        int most = -1;
        for (Wire.FaultRoot r : spec.roots) {
            most = Math.max(most, r.root);
        }
        reports = new FaultReport[most + 1];
        for (Wire.FaultRoot r : spec.roots) {
            reports[r.root] = new FaultReport(r);
        }
        gates = new Gate[spec.guards.size()];
        for (int i = 0; i < gates.length; i++) {
            Wire.FaultGuard g = spec.guards.get(i);
            gates[i] = new Gate();
            gates[i].name = g.className;
            gates[i].n = g.guard;
            gates[i].outcome = g.outcome;
            gates[i].number = i;
        }
        path = spec.path;
        peer = spec.peer;
        define(spec.define, spec.defineName);
        persistent = spec.persistent;
        observe = spec.observe;
        otherThreads = spec.otherThreads;
        interrupt = spec.interrupt;
        follow = spec.follow;
        for (int w : spec.waits) {
            waits.add(w);
        }
        avoid = spec.avoid;
        through = spec.through;
        past = spec.past;
        system = spec.system;
        systemNet = spec.systemNet;
        for (int c = 1; c <= Recorder.classCount(); c++) {
            defined(Recorder.entry(c));
        }
    }

    private void define(String hex, String name) {
        if (hex == null || hex.isEmpty()) {
            return;
        }
        try {
            Class.forName(name.replace('/', '.'), false, null);
        } catch (ClassNotFoundException absent) {
            try {
                Construct.define(name.replace('/', '.'), Injector.unhex(hex), null);
            } catch (Exception e) {
                Agent.notice("cannot define " + name + ": " + Injector.describe(e));
            }
        }
    }

    /** A class has got its number: a target may be in it. */
    public void defined(ClassEntry e) {
        for (Target t : targets) {
            if (t.name.equals(e.name)) {
                synchronized (t) {
                    int[] more = java.util.Arrays.copyOf(t.numbers, t.numbers.length + 1);
                    more[t.numbers.length] = e.number;
                    t.numbers = more;
                }
            }
        }
        for (Gate g : gates) {
            if (g.name.equals(e.name)) {
                Long at = (long) e.number << 16 | g.n;
                synchronized (gatesAt) {
                    ArrayList<Gate> all = gatesAt.get(at);
                    if (all == null) {
                        all = new ArrayList<Gate>();
                        gatesAt.put(at, all);
                    }
                    all.add(g);
                }
            }
        }
    }

    /** The outcome of a guard that has the given one by itself. */
    int guard(int outcome, int c, int n) {
        Gate[] all;
        synchronized (gatesAt) {
            ArrayList<Gate> found = gatesAt.get((long) c << 16 | n);
            if (found == null) {
                return outcome;
            }
            all = found.toArray(new Gate[0]);
        }
        for (Gate g : all) {
            if (observe) {
                see(g, outcome == g.outcome);
            } else if (outcome != g.outcome) {
                int in = mayForce();
                if (in >= 0 && claim(in, "guard", null, null, false)) {
                    tell();
                    return g.outcome;
                }
            }
        }
        return outcome;
    }

    /** The window, where this thread is in a target try and works for the program; else -1. */
    private int mayForce() {
        int in;
        synchronized (this) {
            if (fired > 0 || !insideNow(Thread.currentThread())) {
                return -1;
            }
            in = window;
        }
        return worksBelow() ? in : -1;
    }

    /** Whether what runs on this thread works for the program and has a frame in the lines of a target try. */
    private boolean worksBelow() {
        StackTraceElement[] st = new Throwable().getStackTrace();
        int top = Frames.caller(st);
        int at = frame(st, top);
        return at >= 0 && !Frames.foreign(st, top, at);
    }

    /** Notes below which tries a guard is evaluated, and, taken, whether it leads to its throw by itself. */
    private void see(Gate g, boolean taken) {
        int root = Wire.GUARD_ROOT + 2 * g.number;
        if (taken) {
            touch(root + 1, -1, false, null);
        }
        int walked;
        synchronized (this) {
            walked = g.walked++;
        }
        if (walked > WALKS && walked % WALKS != 0) {
            return;
        }
        StackTraceElement[] st = new Throwable().getStackTrace();
        int top = Frames.caller(st);
        if (Frames.foreign(st, top, st.length)) {
            return;
        }
        boolean[] there = Below.on(st, top, st.length);
        for (int k = 0; there != null && k < there.length; k++) {
            if (there[k]) {
                touch(root, k, false, null);
            }
        }
    }

    /** A new window: counts start again. */
    public void reset() {
        settle(null);
        clear();
    }

    private synchronized void clear() {
        window++;
        over = false;
        inside.clear();
        fired = 0;
        told = false;
        operation = null;
        object = null;
        thread = null;
        problem = null;
        struckOn = null;
        struckWith = null;
        arrived = false;
        thenFired = false;
        way = 0;
        later.clear();
        walkedLater = 0;
        wakers = 0;
        touches.clear();
        walks = new int[reports.length];
        ran.set(0);
        for (Gate g : gates) {
            g.walked = 0;
        }
    }

    public void write(Out out) {
        settle(null);
        put(out);
    }

    private synchronized void put(Out out) {
        over = true;
        if (interrupt && fired > 0) {
            Thread.interrupted(); // what nobody took
        }
        out.u64(fired).str(operation).str(object).str(thread).str(problem).u8(arrived ? 1 : 0).u32((int) way);
        out.u32(touches.size());
        for (Touch t : touches.values()) {
            out.u16(t.root).u32(t.k).u8(t.aside ? 1 : 0).str(t.object);
        }
        out.u32(later.size());
        for (int root : later) {
            out.u16(root);
        }
        out.u64(ran.get());
    }

    private static boolean has(int[] in, int x) {
        for (int y : in) {
            if (y == x) {
                return true;
            }
        }
        return false;
    }

    private boolean insideNow(Thread t) {
        for (int i = 0; i < inside.size(); i++) {
            if (inside.get(i) == t) {
                return true;
            }
        }
        return false;
    }

    /** Whether a frame is in a target's lines; from is the first frame to look at. */
    private boolean inLines(StackTraceElement[] st, int from) {
        return frame(st, from) >= 0;
    }

    private int frame(StackTraceElement[] st, int from) {
        for (int i = from; i < st.length; i++) {
            for (Target t : targets) {
                int line = st[i].getLineNumber();
                if (t.binary.equals(st[i].getClassName()) && t.method.equals(st[i].getMethodName())
                        && (line <= 0 || t.first <= line && line <= t.last)) {
                    return i;
                }
            }
        }
        return -1;
    }

    void entered(int c, int n) {
        for (Target t : targets) {
            if (t.n != n || !has(t.numbers, c)) {
                continue;
            }
            Thread me = Thread.currentThread();
            int in;
            synchronized (this) {
                if (!insideNow(me)) {
                    inside.add(me);
                }
                in = window;
            }
            if (interrupt && claim(in, "interrupt", me == Recorder.testThread ? null : me.getName(), null, false)) {
                tell();
                me.interrupt();
            }
            return;
        }
    }

    void caught(Throwable e, int c, int n) {
        Thread me = Thread.currentThread();
        settle(me);
        boolean first;
        Throwable with;
        synchronized (this) {
            first = struckOn == me;
            with = struckWith;
            if (first) {
                struckOn = null;
            }
        }
        first = first && (with == null ? ofJdk(e) : carries(e, with));
        for (Target t : targets) {
            if (has(t.handlers, n) && has(t.numbers, c)) {
                synchronized (this) {
                    arrived |= first;
                    inside.remove(me);
                }
            }
        }
    }

    /**
     * Whether e, or what it wraps, was made in the JDK. If not the program threw it
     * by itself: what was struck was coped with below.
     */
    private static boolean ofJdk(Throwable e) {
        for (int depth = 0; e != null && depth < 16; depth++, e = e.getCause()) {
            StackTraceElement[] st = e.getStackTrace();
            if (st.length == 0) {
                return true; // not known
            }
            if (Frames.inJDK(st[0].getClassName())) {
                return true;
            }
        }
        return false;
    }

    /** Whether e is an exception, or has it among its causes. */
    private static boolean carries(Throwable e, Throwable x) {
        for (int depth = 0; e != null && depth < 16; depth++, e = e.getCause()) {
            if (e == x) {
                return true;
            }
        }
        return false;
    }

    /**
     * Takes back what was armed for an operation of a thread, or of any (null), and notes whether it struck. At
     * the end of a window that waits for what another thread is arming or taking back.
     */
    private void settle(Thread t) {
        SystemFault p;
        synchronized (this) {
            if (t == null) {
                awaitOthers();
            }
            p = pending;
            if (p == null || p == BUSY || t != null && t != p.thread) {
                return;
            }
            pending = BUSY; // until it is noted whether it struck: no other thread strikes meanwhile
        }
        boolean struck = false;
        try {
            struck = p.settle();
        } catch (java.io.IOException e) {
            problem = e.getMessage();
        } finally {
            synchronized (this) {
                pending = null;
                if (struck) {
                    strikes(p.operation, p.about, p.mine ? null : p.thread, false);
                    struckOn = p.thread;
                }
                notifyAll();
            }
        }
        if (struck) {
            tell();
        }
    }

    /** Under the monitor. What is waited for is a request to the supervisor. */
    private void awaitOthers() {
        boolean interrupted = false;
        long until = System.nanoTime() + 1000000000L;
        for (long left; pending == BUSY && (left = (until - System.nanoTime()) / 1000000) > 0;) {
            try {
                wait(left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets what this thread does next fail in the operating system, unless another thread's operation is under way. */
    private void below(int in, FaultReport r, String what, boolean mine) {
        synchronized (this) {
            if (pending != null || over || in != window) {
                return;
            }
            pending = BUSY;
        }
        SystemFault p = null;
        boolean late = false;
        try {
            p = new SystemFault(system, systemNet, r.cls.replace('.', '/') + '.' + r.method, what, mine);
        } catch (java.io.IOException e) {
            problem = e.getMessage();
        } finally {
            synchronized (this) {
                late = over || in != window;
                pending = late ? null : p;
                notifyAll();
            }
        }
        if (late && p != null) { // its window has ended meanwhile: it must not strike in the next
            try {
                p.settle();
            } catch (java.io.IOException e) {
                Agent.notice("a fault may be armed still: " + e.getMessage());
            }
        }
    }

    /** Whether this thread is to strike; if so, that is noted: nobody else does, unless the fault is persistent. */
    private synchronized boolean claim(int in, String what, String about, Thread by, boolean then) {
        if (over || in != window || !mayStrike(then)) {
            return false;
        }
        strikes(what, about, by, then);
        return true;
    }

    /** Under the monitor: whether it is an operation's turn. */
    private boolean mayStrike(boolean then) {
        return then ? fired > 0 && (persistent || !thenFired) : persistent || fired == 0;
    }

    /** Under the monitor. What is noted is the first that was struck; or, then, the first of those after another one. */
    private void strikes(String what, String about, Thread by, boolean then) {
        struckOn = Thread.currentThread();
        if (fired++ > 0 && (!then || thenFired)) {
            return;
        }
        if (then) {
            thenFired = true;
            told = false;
        }
        operation = what;
        object = about;
        thread = by == null ? null : by.getName();
    }

    /** Takes a claim back: there is no exception to strike with. */
    private synchronized void disclaim(int in, String why) {
        if (in != window) {
            return;
        }
        problem = why;
        struckOn = null;
        if (--fired == 0) {
            operation = null;
            object = null;
            thread = null;
        }
    }

    /** Sends what has struck, should this run not live to tell; the first time only. */
    private void tell() {
        Out o = new Out();
        synchronized (this) {
            if (told || over || fired == 0) {
                return;
            }
            told = true;
            o.u64(fired).str(operation).str(object).str(thread).str(problem).u8(0).u32((int) way).u32(0).u32(0).u64(ran.get());
        }
        Agent.bulk.put(Wire.FRAME_FAULT, o);
    }

    /** The exception of operation root, about to run on this thread, or null: it is not struck. */
    Throwable strike(int c, int root, Object[] about) {
        if (observe) {
            ran.incrementAndGet();
        }
        Thread me = Thread.currentThread();
        settle(me);
        FaultReport r = root < reports.length ? reports[root] : null;
        if (interrupt || Operand.standard(about)) {
            return null;
        }
        if (r == null) {
            follows(me, root);
            wake(me, root);
            return null;
        }
        if (observe) {
            see(root, about);
            return null;
        }
        boolean insideMe;
        Thread[] others;
        int in;
        boolean turn;
        synchronized (this) {
            if (over || targets.length > 0 && inside.isEmpty()) {
                return null;
            }
            turn = mayStrike(r.then);
            in = window;
            insideMe = insideNow(me);
            others = otherThreads ? inside.toArray(new Thread[0]) : new Thread[0];
        }
        if (!turn) {
            follows(me, root);
            return null;
        }
        StackTraceElement[] st = new Throwable().getStackTrace();
        int top = Frames.caller(st);
        int at = frame(st, top);
        boolean mine = targets.length == 0 || at >= 0 && insideMe;
        if (!mine && !meanwhile(me, others)) {
            return null;
        }
        if (Frames.foreign(st, top, mine && at >= 0 ? at : st.length)) {
            return null;
        }
        if (!leads(st, top, mine && at >= 0 ? at : st.length - 1)) {
            return null;
        }
        String what = Frames.namesFile(st[top]) ? null : Operand.describe(about);
        if (!matches(what) || unfit(r, what)) {
            return null;
        }
        if (system != null) {
            below(in, r, what, mine);
            return null;
        }
        long by = mine && at >= 0 ? Frames.way(st, top, at) : 0;
        for (long p : past) {
            if (!r.then && p == by) {
                return null;
            }
        }
        if (!claim(in, r.cls.replace('.', '/') + '.' + r.method, what, mine ? null : me, r.then)) {
            return null;
        }
        if (!r.then) {
            came(by);
        }
        Throwable e;
        try {
            e = r.declared ? declared(r, c, root, st, top) : r.make(about, st, top);
        } catch (Throwable x) {
            disclaim(in, r.exception + ": " + Injector.describe(x));
            return null;
        }
        tell();
        return e;
    }

    /** Whether the calls in the frames from one to another, inclusive, are such that an operation below them is struck. */
    private boolean leads(StackTraceElement[] st, int from, int to) {
        if (through == null && avoid.isEmpty()) {
            return true;
        }
        boolean found = through == null;
        for (int i = from; i <= to; i++) {
            String m = st[i].getClassName() + "." + st[i].getMethodName();
            if (avoid.contains(m)) {
                return false;
            }
            found |= m.equals(through);
        }
        return found;
    }

    private synchronized void came(long by) {
        if (way == 0) {
            way = by;
        }
    }

    /** Notes, where that is asked for, an operation that runs below a target try after the fault has struck. */
    private void follows(Thread me, int root) {
        synchronized (this) {
            if (!follow || over || fired == 0 || later.contains(root) || walkedLater >= WALKS || !insideNow(me)) {
                return;
            }
            walkedLater++;
        }
        if (!worksBelow()) {
            return;
        }
        synchronized (this) {
            later.add(root);
        }
    }

    /** Has this thread woken out of an operation that is about to wait below a target try. */
    private void wake(Thread me, int root) {
        int in;
        synchronized (this) {
            if (!waits.contains(root) || !wakes(window, me) || wakers >= WAKERS) {
                return;
            }
            in = window;
        }
        if (!worksBelow()) {
            return;
        }
        synchronized (this) {
            wakers++;
        }
        try {
            Waker.start(this, in);
        } catch (Exception e) {
            problem = "cannot wake a thread: " + Injector.describe(e);
        }
    }

    /** Whether a thread is to be woken still. */
    synchronized boolean wakes(int in, Thread t) {
        return !over && in == window && fired == 0 && insideNow(t);
    }

    /** Whether another thread is in a target try now. */
    private boolean meanwhile(Thread me, Thread[] others) {
        for (Thread t : others) {
            if (t != me && t.isAlive() && inLines(t.getStackTrace(), 0)) {
                return true;
            }
        }
        return false;
    }

    /** Whether an operation cannot fail this way: no disk is behind a pipe, and other files have no reader. */
    private boolean unfit(FaultReport r, String what) {
        boolean pipe = what != null && what.startsWith("pipe:[");
        if (!r.pipe && !(pipe && r.cls.startsWith("java.io."))) {
            return false;
        }
        String why = !r.pipe ? "what fails with a disk does not fail on a pipe"
                : pipe && system != null ? "system calls on pipes are not held" : null;
        if (why != null) {
            problem = why;
        }
        return why != null || !pipe;
    }

    private boolean matches(String what) {
        if (path != null && (what == null || !(what.equals(path) || what.startsWith(path + "/") || what.endsWith("/" + path)))) {
            return false;
        }
        return peer == null || what != null && (what.equals(peer) || what.startsWith(peer + ":"));
    }

    private void see(int root, Object[] about) {
        int walked;
        synchronized (this) {
            walked = walks[root]++;
        }
        if (walked > WALKS && walked % WALKS != 0) {
            return;
        }
        StackTraceElement[] st = new Throwable().getStackTrace();
        int top = Frames.caller(st);
        int end = Frames.notForProgram(st, top, st.length);
        boolean[] there = Below.on(st, top, end < 0 ? st.length : end + 1); // the try may be in a static initialiser
        if (end >= 0 && there == null) {
            return;
        }
        String what = null;
        boolean aside = Thread.currentThread() != Recorder.testThread;
        boolean any = false;
        for (int k = 0; there != null && k < there.length; k++) {
            if (there[k]) {
                any = true;
                what = what == null && !Frames.namesFile(st[top]) ? Operand.describe(about) : what;
                touch(root, k, false, what);
            }
        }
        if (aside || !any) {
            touch(root, -1, aside, Frames.namesFile(st[top]) ? null : Operand.describe(about));
        }
    }

    private synchronized void touch(int root, int k, boolean aside, String what) {
        String key = root + ":" + k + ":" + aside + (what != null && what.startsWith("pipe:[") ? ":pipe" : "");
        if (touches.containsKey(key)) {
            return;
        }
        Touch t = new Touch();
        t.root = root;
        t.k = k;
        t.aside = aside;
        t.object = what;
        touches.put(key, t);
    }

    /** The exception of a fault of the user's own, at a probe of class c. */
    private Throwable declared(FaultReport r, int c, int root, StackTraceElement[] st, int top) throws Throwable {
        if (r.construct == null) {
            ClassEntry entry = Recorder.entry(c);
            ClassLoader loader = entry.loader == null ? null : entry.loader.get();
            r.construct = Construct.of(Class.forName(r.exception, false, loader), r.message, java.util.Collections.<Construct.Maker>emptyList(), false);
        }
        Throwable e = r.construct.make();
        boolean call = root >= Wire.DECLARED_CALL;
        StackTraceElement at = call ? new StackTraceElement(r.cls, r.method, null, -2) : st[top];
        StackTraceElement[] rest = java.util.Arrays.copyOfRange(st, call ? top : top + 1, st.length);
        StackTraceElement[] trace = new StackTraceElement[1 + rest.length];
        trace[0] = at;
        System.arraycopy(rest, 0, trace, 1, rest.length);
        e.setStackTrace(trace);
        Recorder.declared(e, at.getClassName(), at.getMethodName(), Math.max(0, at.getLineNumber()));
        synchronized (this) {
            if (struckOn == Thread.currentThread()) {
                struckWith = e;
            }
        }
        return e;
    }
}
