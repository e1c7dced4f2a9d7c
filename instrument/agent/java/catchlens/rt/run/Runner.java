package catchlens.rt.run;

import catchlens.rt.Agent;
import catchlens.rt.fault.ArmedFault;
import catchlens.rt.fault.Faults;
import catchlens.rt.inject.Injector;
import catchlens.rt.record.Recorder;
import catchlens.rt.wire.Bulk;
import catchlens.rt.wire.Out;
import catchlens.rt.wire.Wire;

import java.util.ArrayList;
import java.util.List;

/**
 * Carries out one request to discover or run tests, and opens and closes the recorder's windows.
 *
 * <p>Running a whole class: what happens before its first test, between tests and after the last
 * goes into fixture windows of the class, reported apart; each test has a window of its own.
 * Running one test: everything, fixtures included, is in one window. Running the invocations of one
 * that is parameterised is like running a class that has no other tests.
 */
public final class Runner implements Sink {
    private static volatile Runner current;
    private static int containers;

    private final Adapter adapter;
    private final int seq;
    private final boolean single;
    private final boolean invocations;
    private final int outputLimit;
    private final boolean restorePerTest;
    private final Injector.Injection armed;
    private final ArmedFault fault;

    private final ArrayList<String> classes = new ArrayList<String>(); // open class containers
    private String id;
    private String cls;
    private String method;
    private String display;
    private long started;
    private boolean inTest;
    private Thread inTestOn;
    private volatile int exitStatus;
    private volatile String exitCall; // what was called, such as System.exit(1)
    private volatile boolean exited;
    private SystemState before;

    // What the tests of a single run came to.
    private boolean anyTest;
    private Throwable failure;
    private Throwable classFailure;
    private boolean skipped;
    private String skipReason;

    Runner(Adapter adapter, Wire.Request q) {
        this.adapter = adapter;
        seq = q.seq;
        single = "test".equals(q.mode);
        invocations = "invocations".equals(q.mode);
        outputLimit = q.outputLimit == 0 ? 2048 : q.outputLimit;
        restorePerTest = "test".equals(q.restore);
        armed = q.arm == null && q.listen.isEmpty() ? null : new Injector.Injection(q.listen, q.arm);
        fault = q.fault == null ? null : new ArmedFault(q.fault);
    }

    void discover(List<String> names) {
        for (String name : names) {
            try {
                adapter.discover(new Class<?>[] {Adapter.load(name)}, this);
            } catch (Throwable t) {
                problem(name, t);
            }
        }
    }

    void run(List<String> items) {
        current = this;
        Recorder.armed = armed;
        Faults.armed = fault;
        try {
            int index = 0;
            for (String item : items) {
                Agent.bulk.put(Wire.FRAME_ITEM, new Out().u32(seq).u32(index++));
                Thread.interrupted(); // an item does not begin with what an earlier one left behind
                Thread.currentThread().setContextClassLoader(Adapter.loader);
                SystemState.forgetLocalHost();
                before = SystemState.take();
                try {
                    if (single) {
                        runSingle(item);
                    } else {
                        runAll(item);
                    }
                } finally {
                    before.restore();
                }
            }
        } finally {
            Recorder.armed = null;
            Faults.armed = null;
            current = null;
        }
    }

    private void runSingle(String test) {
        anyTest = false;
        failure = null;
        classFailure = null;
        skipped = false;
        skipReason = null;
        cls = "";
        method = "";
        display = "";
        classes.clear();
        id = test;
        begin(Wire.KIND_SINGLE, test);
        Recorder.container = ++containers;
        Recorder.open(0);
        Throwable broken = null;
        try {
            adapter.runTest(test, this);
        } catch (Throwable t) {
            broken = t;
        }
        Throwable f = failure != null ? failure : classFailure != null ? classFailure : broken;
        String status = f != null ? "fail" : skipped ? "skipped" : anyTest ? "pass" : "missing";
        end(Wire.KIND_SINGLE, status, f, skipReason);
    }

    /** Runs the tests of a class, or the invocations of a test with this id. */
    private void runAll(String name) {
        classes.clear();
        Recorder.container = ++containers;
        Throwable broken = null;
        try {
            if (invocations) {
                adapter.runTest(name, this);
            } else {
                adapter.runClass(Adapter.load(name), this);
            }
        } catch (Throwable t) {
            broken = t;
        }
        while (classes.size() > 1) {
            classEnd(classes.get(classes.size() - 1), null);
        }
        if (classes.isEmpty()) {
            classStart(name);
        }
        classEnd(name, broken);
        Recorder.container = 0;
    }

    // ---- windows ----

    private void begin(int kind, String what) {
        exited = false;
        Capture.reset();
        started = System.nanoTime();
        Bulk b = Agent.bulk;
        Out o = new Out().u32(seq).u8(kind).str(what);
        if (kind == Wire.KIND_TEST) {
            o.str(cls).str(method).str(display);
        }
        if (armed != null) {
            armed.reset(what);
        }
        if (fault != null) {
            fault.reset();
        }
        if (kind == Wire.KIND_FIXTURE) {
            b.put(Wire.FRAME_STARTED, o);
        } else {
            b.putNow(Wire.FRAME_STARTED, o);
        }
    }

    /** Closes the window and sends its result. */
    private void end(int kind, String status, Throwable t, String reason) {
        long nanos = System.nanoTime() - started;
        Out record = new Out();
        ArrayList<String> leaked = new ArrayList<String>();
        Recorder.close(record, kind == Wire.KIND_FIXTURE ? null : leaked);
        if (exited) {
            status = "exit";
            reason = exitCall + " was called";
        }
        Out injection = new Out();
        if (armed != null && armed.strikes()) {
            armed.write(injection.u8(1));
        } else {
            injection.u8(0);
        }
        if (armed != null) {
            armed.close("pass".equals(status));
        }
        Out o = new Out();
        Recorder.writeNewClasses(o);
        Agent.bulk.put(Wire.FRAME_CLASSES, o);
        o = new Out().u32(seq).u8(kind);
        boolean test = kind != Wire.KIND_FIXTURE;
        o.str(test ? id : null).str(test ? cls : top()).str(test ? method : null).str(test ? display : null);
        o.u16(classes.size());
        for (String c : classes) {
            o.str(c);
        }
        o.str(status).str(t == null ? null : t.getClass().getName()).str(Dump.message(t));
        o.str(t == null ? null : Dump.stack(t)).str(Dump.cut(reason, 4096)).u32(exited ? exitStatus : 0).u64(nanos);
        Capture.write(o, "pass".equals(status) && kind != Wire.KIND_FIXTURE ? Math.min(512, outputLimit) : outputLimit);
        o.u8(outOfMemory(t) ? 1 : 0);
        o.u16(Math.min(100, leaked.size()));
        for (int i = 0; i < leaked.size() && i < 100; i++) {
            o.str(leaked.get(i));
        }
        o.raw(injection);
        if (fault == null) {
            o.u8(0);
        } else {
            o.u8(1);
            fault.write(o);
        }
        o.raw(record);
        Agent.bulk.put(Wire.FRAME_RESULT, o);
    }

    /**
     * Sends what the open window of a run with a fault has recorded: the worker is about to end a test that does
     * not end by itself. Called on the control thread; the window is closed.
     */
    public static void hangs() {
        Runner r = current;
        if (r == null || r.fault == null) {
            return;
        }
        try {
            Out record = new Out();
            Recorder.close(record, null);
            Out o = new Out();
            Recorder.writeNewClasses(o);
            Agent.bulk.put(Wire.FRAME_CLASSES, o);
            o = new Out().u32(r.seq);
            r.fault.write(o);
            Agent.bulk.putNow(Wire.FRAME_HANGS, o.raw(record));
        } catch (Throwable t) {
            Recorder.swallow(t); // the stacks are told all the same
        }
    }

    private static boolean outOfMemory(Throwable t) {
        for (int i = 0; t != null && i < 10; i++, t = t.getCause()) {
            if (t instanceof OutOfMemoryError) {
                return true;
            }
        }
        return false;
    }

    private String top() {
        return classes.isEmpty() ? "" : classes.get(classes.size() - 1);
    }

    private void openFixture() {
        begin(Wire.KIND_FIXTURE, top());
        Recorder.open(Recorder.container);
    }

    private void closeFixture(Throwable failure) {
        end(Wire.KIND_FIXTURE, failure == null ? "pass" : "fail", failure, null);
    }

    // ---- what the adapter tells ----

    @Override
    public void found(String id, String cls, String method, String display, String[] tags, boolean dynamic) {
        Out o = new Out().u32(seq).u8(0).str(id).str(cls).str(method).str(display).u8(dynamic ? 1 : 0);
        o.u16(tags == null ? 0 : tags.length);
        for (int i = 0; tags != null && i < tags.length; i++) {
            o.str(tags[i]);
        }
        Agent.bulk.put(Wire.FRAME_FOUND, o);
    }

    @Override
    public void problem(String cls, Throwable t) {
        Agent.bulk.put(Wire.FRAME_FOUND, new Out().u32(seq).u8(1).str(cls).str(Injector.describe(t)));
    }

    @Override
    public synchronized void classStart(String name) {
        if (single) {
            classes.add(name);
            return;
        }
        if (!classes.isEmpty()) {
            closeFixture(null);
        }
        classes.add(name);
        openFixture();
    }

    @Override
    public synchronized void classEnd(String name, Throwable failure) {
        if (single) {
            if (failure != null) {
                classFailure = failure;
            }
            return;
        }
        closeFixture(failure);
        classes.remove(classes.size() - 1);
        if (!classes.isEmpty()) {
            openFixture();
        }
    }

    @Override
    public synchronized void testStart(String id, String cls, String method, String display) {
        if (single) {
            if (!anyTest) {
                this.cls = cls;
                this.method = method;
                this.display = display;
            }
            anyTest = true;
            return;
        }
        oneAtATime();
        if (!classes.isEmpty()) {
            closeFixture(null);
        }
        this.id = id;
        this.cls = cls;
        this.method = method;
        this.display = display;
        inTest = true;
        inTestOn = Thread.currentThread();
        begin(Wire.KIND_TEST, id);
        Recorder.open(0);
    }

    /** A framework that runs tests in parallel has its threads wait here for each other. */
    private void oneAtATime() {
        boolean interrupted = false;
        while (inTest && inTestOn != Thread.currentThread()) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void testEnd(String id, Throwable t, boolean isSkipped) {
        if (single) {
            if (t != null && !isSkipped && failure == null) {
                failure = t;
            }
            if (isSkipped) {
                skipped = true;
                skipReason = t == null ? "" : Injector.describe(t);
            }
            return;
        }
        if (!inTest) {
            return;
        }
        inTest = false;
        notifyAll();
        String reason = isSkipped && t != null ? Injector.describe(t) : null;
        end(Wire.KIND_TEST, isSkipped ? "skipped" : t != null ? "fail" : "pass", isSkipped ? null : t, reason);
        if (restorePerTest) {
            before.restore();
        } else {
            Capture.restore();
        }
        if (!classes.isEmpty()) {
            openFixture();
        }
    }

    @Override
    public synchronized void testSkipped(String id, String cls, String method, String display, String reason) {
        if (single) {
            if (!anyTest) {
                this.cls = cls;
                this.method = method;
                this.display = display;
            }
            skipped = true;
            skipReason = reason;
            return;
        }
        testStart(id, cls, method, display);
        inTest = false;
        notifyAll();
        end(Wire.KIND_TEST, "skipped", null, reason);
        if (!classes.isEmpty()) {
            openFixture();
        }
    }

    // ---- exits ----

    /** See {@link Probe#exiting}; call is how people write what was called. */
    public static void exiting(String call, int status) {
        Runner r = current;
        boolean left = Recorder.leakedHere();
        if (r == null || Agent.halting || Recorder.openWindow == 0 && !left) {
            return;
        }
        if (System.getSecurityManager() != null) {
            return; // the program's own guard decides
        }
        if (Recorder.openWindow == 0) {
            throw new ExitPrevented(call); // between two tests: it is nobody's, and the next one runs
        }
        Bulk b = Agent.bulk;
        if (!left) {
            r.exitStatus = status;
            r.exitCall = call;
            r.exited = true;
        }
        // Otherwise the test that runs now ends as it does, if it ends soon: one that waits for that
        // thread would wait for ever.
        String where = left ? call + ", on a thread left over from an earlier test," : call;
        b.putNow(Wire.FRAME_EXITING, new Out().u32(r.seq).u32(status).str(r.id).str(where));
        throw new ExitPrevented(call);
    }
}
