package catchlens.rt.inject;

import catchlens.rt.Agent;
import catchlens.rt.Probe;
import catchlens.rt.load.ClassEntry;
import catchlens.rt.record.Recorder;
import catchlens.rt.wire.Out;
import catchlens.rt.wire.Wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Throws the armed exception at the start of tries, or at places in them (paper 001, Listing 4 and 5.1): in every
 * execution, or in those in which the catch caught an exception when the test ran as it is. Runs of tests as they are
 * are listened to for that: they tell which executions these are, and leave the exceptions.
 */
public final class Injector {
    private Injector() {}

    private static final int TRY = 0;
    private static final int CATCH = 1;
    private static final int POINT = 2;

    /** One try, catch, or place in a try, of one class. */
    private static final class Target {
        final String name; // internal
        final int n;
        final int kind;

        Target(Wire.Target t) {
            name = t.className;
            n = t.tryNumber;
            kind = t.point ? POINT : t.atCatch ? CATCH : TRY;
        }
    }

    /** The tries and handlers of one catch. */
    private static final class Followed {
        final String key;
        final List<Target> targets = new ArrayList<Target>();
        Executions now; // of the open window; null: they are not counted

        Followed(String key, List<Wire.Target> of) {
            this.key = key;
            for (Wire.Target t : of) {
                targets.add(new Target(t));
            }
        }
    }

    /** The targets of one Followed in one class. */
    private static final class Bound {
        final Followed of;
        final Target[] targets;

        Bound(Followed of, List<Target> targets) {
            this.of = of;
            this.targets = targets.toArray(new Target[0]);
        }

        boolean has(int n, int kind) {
            for (Target t : targets) {
                if (t.n == n && t.kind == kind) {
                    return true;
                }
            }
            return false;
        }
    }

    /** What clean runs showed, by test and catch. */
    private static final Map<String, Executions.Heard> HEARD = new HashMap<String, Executions.Heard>();

    private static String heardKey(String test, String catchKey) {
        return test + '\n' + catchKey;
    }

    /** What is armed for one request: what to listen to, or what to throw. */
    public static final class Injection {
        private final List<Followed> followed = new ArrayList<Followed>();
        private final Strike strike; // null: listen only
        private volatile Bound[][] bound = new Bound[0][]; // by class number
        private String test;

      public   Injection(List<Wire.Followed> listen, Wire.Arm spec) {
            for (Wire.Followed f : listen) {
                followed.add(new Followed(f.key, f.targets));
            }
            strike = spec == null ? null : new Strike(spec);
            if (strike != null) {
                followed.add(strike.on);
            }
            for (int c = 1; c <= Recorder.classCount(); c++) {
                defined(Recorder.entry(c));
            }
        }

        public boolean strikes() {
            return strike != null;
        }

        /** A class has got its number: it may be a target. */
        public synchronized void defined(ClassEntry e) {
            List<Bound> of = new ArrayList<Bound>();
            for (Followed f : followed) {
                List<Target> ts = new ArrayList<Target>();
                for (Target t : f.targets) {
                    if (t.name.equals(e.name)) {
                        ts.add(t);
                    }
                }
                if (!ts.isEmpty()) {
                    of.add(new Bound(f, ts));
                }
            }
            if (of.isEmpty()) {
                return;
            }
            Bound[][] all = Arrays.copyOf(bound, Math.max(bound.length, e.number + 1));
            all[e.number] = of.toArray(new Bound[0]);
            bound = all;
        }

        /** The targets in a class, if one of them has this number; null: none has. */
        private Bound[] of(int c, int n, int kind) {
            Bound[][] all = bound;
            Bound[] of = c < all.length ? all[c] : null;
            if (of != null) {
                for (Bound b : of) {
                    if (b.has(n, kind)) {
                        return of;
                    }
                }
            }
            return null;
        }

        /** A new window, of a test on this thread: counts start again. */
        public void reset(String test) {
            this.test = test;
            Exemplars.on = strike == null;
            if (strike != null) {
                strike.reset(test);
            } else {
                for (Followed f : followed) {
                    f.now = new Executions(Thread.currentThread(), true);
                }
            }
        }

        /** The window has closed. What was heard in it is kept if its test passed. */
        public void close(boolean passed) {
            Exemplars.on = false;
            for (Followed f : followed) {
                Executions x = f.now;
                f.now = null;
                if (strike == null && x != null && test != null) {
                    x.settle();
                    synchronized (HEARD) {
                        if (passed) {
                            HEARD.put(heardKey(test, f.key), x.heard());
                        } else {
                            HEARD.remove(heardKey(test, f.key));
                        }
                    }
                }
            }
        }

        public void write(Out out) {
            strike.write(out);
        }

        /** A try, or a place in one, is reached: what is to be thrown there, or null. The guard is set. */
        private Throwable at(Bound[] of, int c, int n, int kind, int depth) {
            Throwable e = null;
            for (Bound b : of) {
                if (!b.has(n, kind)) {
                    continue;
                }
                Executions x = b.of.now;
                Executions.Line line = x == null ? null : kind == TRY ? x.begin(depth) : x.inside(depth);
                if (strike != null && strike.kind == kind) {
                    e = strike.make(c, x, line);
                }
            }
            return e;
        }

        private void caught(Bound[] of, int n, Throwable e, int depth) {
            for (Bound b : of) {
                Executions x = b.of.now;
                if (x != null && b.has(n, CATCH)) {
                    x.caught(e, depth);
                }
            }
        }
    }

    /** What is thrown, and where. */
    private static final class Strike {
        final Followed on;
        final int kind; // of the targets at which it is thrown: TRY or POINT
        private final String exception; // binary name
        private final String message;
        private final long maxFires; // 0: unlimited
        private final boolean white; // only in executions in which the catch has caught an exception
        private final int only; // of these the one with this number, from 1; 0: in all
        private final byte[] subclass; // class file of a subclass to throw, or null
        private final String subclassName;
        private final List<Construct.Maker> makers = new ArrayList<Construct.Maker>();
        private final List<String> not = new ArrayList<String>(); // classes that other catches take
        private final boolean plain; // the plain constructors of the class are used

        private Executions.Heard heard; // of this test; null: nothing
        private List<Executions.White> wanted = new ArrayList<Executions.White>(); // of heard, those with the exception

        private long fired;
        private long own; // of fired, those on the thread of the test
        private final List<String> struck = new ArrayList<String>(); // on which thread, and which execution there
        private Thread tester;
        private String problem;
        private Construct construct;
        private Class<?> constructFor;
        private int begun;
        private int provenance;
        private boolean prepared; // something that was thrown is another object in each run
        private String shownType;
        private String shownHow;
        private String shownMessage;
        private String shownCause;

        /** Where exceptions come from, the surest first. */
        private static final String[] PROVENANCES = {"", "caught", "copied", "made", "invented"};
        private static final int CAUGHT = 1;
        private static final int COPIED = 2;
        private static final int MADE = 3;
        private static final int INVENTED = 4;

        /** Executions that are told by number. */
        private static final int MOST_TOLD = 20;

        Strike(Wire.Arm spec) {
            on = new Followed(spec.key, spec.targets);
            int at = TRY;
            for (Target t : on.targets) {
                at = t.kind == POINT ? POINT : at;
            }
            kind = at;
            exception = spec.exception;
            message = spec.message;
            maxFires = spec.maxFires;
            white = spec.white;
            only = spec.only;
            subclass = spec.subclass == null || spec.subclass.isEmpty() ? null : unhex(spec.subclass);
            subclassName = spec.subclassName;
            plain = spec.plain;
            not.addAll(spec.not);
            for (Wire.Maker w : spec.makers) {
                makers.add(new Construct.Maker(w.owner, w.name, w.desc));
            }
        }

        public synchronized void reset(String test) {
            fired = 0;
            own = 0;
            begun = 0;
            struck.clear();
            wanted.clear();
            tester = Thread.currentThread();
            problem = null;
            provenance = 0;
            prepared = false;
            shownType = null;
            shownHow = null;
            synchronized (HEARD) {
                heard = HEARD.get(heardKey(test, on.key));
            }
            if (heard != null) {
                for (Executions.White w : heard.whites) {
                    if (isA(w.kept.e.getClass(), exception)) {
                        wanted.add(w);
                    }
                }
            }
            on.now = white || !wanted.isEmpty() ? new Executions(tester, false) : null;
        }

        private static boolean isA(Class<?> k, String name) {
            while (k != null && !k.getName().equals(name)) {
                k = k.getSuperclass();
            }
            return k != null;
        }

        /** The white execution that is open on a line, if it is wanted. */
        private Executions.White wantedAt(Executions.Line line) {
            if (heard == null || line == null) {
                return null;
            }
            int last = line.open - 1;
            Executions.White w = heard.at(line, line.ordinals[last]);
            if (w == null || !wanted.contains(w) || only > 0 && wanted.indexOf(w) != only - 1) {
                return null;
            }
            return !white || w.history == line.before[last] || heard.allWhite.contains(line.kind) ? w : null;
        }

        /** An exception to throw in class c now, or null. */
        synchronized Throwable make(int c, Executions x, Executions.Line line) {
            if (problem != null || (maxFires > 0 && fired >= maxFires)) {
                return null;
            }
            Executions.White w = wantedAt(line);
            if (white && w == null) {
                return null;
            }
            ClassEntry at = Recorder.entry(c);
            ClassLoader loader = at.loader == null ? null : at.loader.get();
            Throwable e;
            try {
                e = exception(loader, w);
            } catch (Construct.Impossible t) {
                problem = t.getMessage();
                return null;
            } catch (Throwable t) {
                problem = exception + ": " + describe(t);
                return null;
            }
            Recorder.injected(e);
            if (Thread.currentThread() == tester) {
                own++;
            }
            if (line != null && struck.size() < MOST_TOLD) {
                int n = line.ordinals[line.open - 1] + 1;
                struck.add(line.name.isEmpty() ? String.valueOf(n) : n + " of " + line.name);
            }
            if (fired++ == 0) {
                show(e);
                Out o = new Out();
                write(o);
                Agent.bulk.put(Wire.FRAME_FIRED, o); // should this run not live to tell
            }
            return e;
        }

        /**
         * The one that was caught in this execution; else a copy of one that was in this test; else of a real one that was
         * seen in this JVM; else one that is made.
         */
        private Throwable exception(ClassLoader loader, Executions.White w) throws Throwable {
            Class<?> type = seen(loader);
            Kept k = null;
            String how = "";
            if (w != null) {
                k = w.kept;
                how = "caught by this catch in the run before";
            } else if (!wanted.isEmpty()) {
                k = wanted.get(0).kept;
                how = "caught by this catch in the run before, in another execution";
            } else if (type != null) {
                k = Exemplars.of(type, not);
                how = "seen in another run";
            }
            if (k != null && (type == null || type.isInstance(k.e))) {
                Throwable e = w != null ? k.again(Recorder.openWindow) : k.constant ? k.e : k.copy();
                prepared |= k.prepared;
                boolean itself = w != null && e == k.e;
                from(itself ? CAUGHT : COPIED, e, itself ? how : "a copy of one " + how);
                if (!itself) {
                    trim(e);
                }
                return e;
            }
            Class<?> made = resolve(loader);
            if (construct == null || constructFor != made) {
                construct = Construct.of(made, message, makers, plain);
                constructFor = made;
            }
            Throwable e = construct.make();
            from(construct.invented ? INVENTED : MADE, e, construct.how);
            trim(e);
            return e;
        }

        private void from(int where, Throwable e, String how) {
            if (where > provenance) {
                provenance = where;
            }
            if (shownHow == null) {
                shownType = e.getClass().getName();
                shownHow = how;
            }
        }

        /** The class of the exception as the loader sees it, null where it does not. */
        private Class<?> seen(ClassLoader loader) {
            try {
                return Class.forName(exception, false, loader);
            } catch (Throwable t) {
                return null;
            }
        }

        private Class<?> resolve(ClassLoader loader) throws Exception {
            if (subclass == null) {
                return Class.forName(exception, false, loader);
            }
            try {
                return Class.forName(subclassName, false, loader);
            } catch (ClassNotFoundException e) {
                return Construct.define(subclassName, subclass, loader);
            }
        }

        private void show(Throwable e) {
            try {
                shownMessage = e.getMessage();
            } catch (Throwable t) {
                shownMessage = "getMessage failed: " + describe(t);
            }
            try {
                Throwable cause = e.getCause();
                shownCause = cause == null ? null : cause.getClass().getName();
            } catch (Throwable t) {
                shownCause = null;
            }
        }

        public synchronized void write(Out out) {
            // How often other threads come to a try before the test ends is a matter of timing.
            out.u64(own > 0 ? own : Math.min(fired, 1)).str(problem);
            out.str(shownType).str(shownHow).str(shownMessage).str(shownCause);
            out.str(PROVENANCES[provenance]).u8(prepared ? 1 : 0).u16(struck.size());
            for (String s : struck) {
                out.str(s);
            }
            Executions x = on.now;
            out.u8(heard == null ? 0 : 1).u32(wanted.size()).u32(heard == null ? 0 : heard.whites.size());
            out.u32(x == null ? 0 : x.begun()).str(heard == null ? null : heard.told);
        }
    }

    /** Called at every try, and every place in one, while something is armed, outside the guard. */
    public static void at(int c, int n, boolean point) {
        Injection a = Recorder.armed;
        int kind = point ? POINT : TRY;
        Bound[] of = a == null ? null : a.of(c, n, kind);
        if (of == null || !Recorder.quietly()) {
            return;
        }
        Throwable e = null;
        try {
            e = a.at(of, c, n, kind, follows(of) ? Depth.here() : 0);
        } catch (Throwable t) {
            Recorder.swallow(t);
        } finally {
            Recorder.leave();
        }
        if (e != null) {
            Probe.<RuntimeException>sneaky(e);
        }
    }

    /** Called at every catch while something is armed, outside the guard. */
    public static void caught(Throwable e, int c, int n) {
        Injection a = Recorder.armed;
        Bound[] of = a == null ? null : a.of(c, n, CATCH);
        if (of == null || !follows(of) || !Recorder.quietly()) {
            return;
        }
        try {
            a.caught(of, n, e, Depth.here());
        } catch (Throwable t) {
            Recorder.swallow(t);
        } finally {
            Recorder.leave();
        }
    }

    private static boolean follows(Bound[] of) {
        for (Bound b : of) {
            if (b.of.now != null) {
                return true;
            }
        }
        return false;
    }

    /** Takes the agent's frames off the top of the stack trace, down to the method of the try. */
    private static void trim(Throwable e) {
        try {
            StackTraceElement[] st = e.getStackTrace();
            int from = 0;
            for (int i = 0; i < st.length; i++) {
                if (st[i].getClassName().equals("catchlens.rt.Probe")) {
                    from = i + 1;
                    break;
                }
            }
            if (from > 0) {
                e.setStackTrace(Arrays.copyOfRange(st, from, st.length));
            }
        } catch (Throwable t) {
            // an exception may refuse; its trace then shows the probe
        }
    }

    public static String describe(Throwable t) {
        StringBuilder b = new StringBuilder(t.getClass().getName());
        try {
            if (t.getMessage() != null) {
                b.append(": ").append(t.getMessage());
            }
            if (t.getCause() != null && t.getCause() != t) {
                b.append(" (").append(t.getCause().getClass().getName()).append(": ")
                        .append(t.getCause().getMessage()).append(')');
            }
        } catch (Throwable x) {
            b.append(" (its message cannot be read)");
        }
        return b.toString();
    }

    public static byte[] unhex(String s) {
        byte[] b = new byte[s.length() / 2];
        for (int i = 0; i < b.length; i++) {
            b[i] = (byte) Integer.parseInt(s.substring(2 * i, 2 * i + 2), 16);
        }
        return b;
    }
}
