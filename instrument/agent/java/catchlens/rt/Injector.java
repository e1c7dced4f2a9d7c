package catchlens.rt;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Throws the armed exception at the start of the tries, or at the places in them, that it is armed for (paper 001, Listing 4 and 5.1). */
final class Injector {
    private Injector() {}

    /** One try of one class, by name; the class numbers that the name has in this JVM. */
    private static final class Target {
        String name; // internal
        int n;
        boolean point; // n is that of a place inside a try
        boolean caught; // n is that of a catch
        volatile int[] numbers = new int[0];
    }

    /** Longer messages than this are not told. */
    private static final int MAX_HEARD = 4096;

    /** What is armed for one run. */
    static final class Armed {
        private final Target[] targets;
        private final String exception; // binary name
        private final String message;
        private final long maxFires; // 0: unlimited
        private final boolean caused; // give each object a cause
        private final boolean listen; // throw nothing: keep the message of the first exception that a target catches
        private final byte[] subclass; // class file of a subclass to throw, or null
        private final String subclassName;

        private long fired;
        private long own; // of fired, those on the thread of the test
        private Thread tester;
        private String problem;
        private Construct construct;
        private Class<?> constructFor;
        private String shownMessage;
        private String shownCause;

        Armed(Map<?, ?> spec) {
            List<?> ts = (List<?>) spec.get("targets");
            targets = new Target[ts.size()];
            for (int i = 0; i < targets.length; i++) {
                Map<?, ?> t = (Map<?, ?>) ts.get(i);
                targets[i] = new Target();
                targets[i].name = (String) t.get("class");
                targets[i].n = ((Long) t.get("try")).intValue();
                targets[i].point = Boolean.TRUE.equals(t.get("point"));
                targets[i].caught = Boolean.TRUE.equals(t.get("catch"));
            }
            exception = (String) spec.get("exception");
            message = (String) spec.get("message");
            Object max = spec.get("maxFires");
            maxFires = max == null ? 0 : (Long) max;
            caused = Boolean.TRUE.equals(spec.get("caused"));
            listen = Boolean.TRUE.equals(spec.get("listen"));
            String hex = (String) spec.get("subclass");
            subclass = hex == null || hex.isEmpty() ? null : unhex(hex);
            subclassName = (String) spec.get("subclassName");
            for (int c = 1; c <= Recorder.classCount(); c++) {
                defined(Recorder.entry(c));
            }
        }

        /** A class has got its number: it may be a target. */
        void defined(ClassEntry e) {
            for (Target t : targets) {
                if (t.name.equals(e.name)) {
                    synchronized (t) {
                        int[] more = Arrays.copyOf(t.numbers, t.numbers.length + 1);
                        more[t.numbers.length] = e.number;
                        t.numbers = more;
                    }
                }
            }
        }

        boolean matches(int c, int n, boolean point, boolean caught) {
            for (Target t : targets) {
                if (t.n == n && t.point == point && t.caught == caught) {
                    for (int x : t.numbers) {
                        if (x == c) {
                            return true;
                        }
                    }
                }
            }
            return false;
        }

        /** A new exception to throw in class c, or null when none can be made or all have fired. */
        synchronized Throwable make(int c) {
            if (problem != null || (maxFires > 0 && fired >= maxFires)) {
                return null;
            }
            ClassEntry at = Recorder.entry(c);
            ClassLoader loader = at.loader == null ? null : at.loader.get();
            Throwable e;
            try {
                Class<?> type = resolve(loader);
                if (construct == null || constructFor != type) {
                    construct = Construct.of(type, message);
                    constructFor = type;
                }
                e = construct.make();
                if (caused) {
                    construct.cause(e);
                }
            } catch (Construct.Impossible x) {
                problem = x.getMessage();
                return null;
            } catch (Throwable x) {
                problem = exception + ": " + describe(x);
                return null;
            }
            trim(e);
            Recorder.injected(e);
            if (Thread.currentThread() == tester) {
                own++;
            }
            if (fired++ == 0) {
                show(e);
                Out o = new Out();
                write(o);
                Agent.bulk.put(Bulk.FIRED, o); // should this run not live to tell
            }
            return e;
        }

        /**
         * Keeps the message of the first exception of the armed type, or one below it, of a window. The program's own
         * code runs outside of the monitor.
         */
        void hear(Throwable e) {
            Class<?> k = e.getClass();
            while (k != null && !k.getName().equals(exception)) {
                k = k.getSuperclass();
            }
            if (k == null) {
                return;
            }
            synchronized (this) {
                if (fired++ > 0) {
                    return;
                }
            }
            String message;
            try {
                message = e.getMessage();
            } catch (Throwable t) {
                return;
            }
            if (message != null && message.length() <= MAX_HEARD) {
                synchronized (this) {
                    shownMessage = message;
                }
            }
        }

        /** A new window, of a test on this thread: counts start again. */
        synchronized void reset() {
            fired = 0;
            own = 0;
            tester = Thread.currentThread();
            problem = null;
            if (listen) {
                shownMessage = null;
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

        synchronized void write(Out out) {
            // How often other threads come to a try before the test ends is a matter of timing.
            out.u64(listen ? fired : own > 0 ? own : Math.min(fired, 1)).str(problem);
            out.str(construct == null ? null : construct.type.getName());
            out.str(construct == null ? null : construct.how).str(shownMessage).str(shownCause);
        }
    }

    /** Called at every try, and every place in one, while something is armed, outside the guard. */
    static void at(int c, int n, boolean point) {
        Armed a = Recorder.armed;
        if (a == null || a.listen || !a.matches(c, n, point, false)) {
            return;
        }
        Throwable e = null;
        try {
            if (!Recorder.guard()) {
                return;
            }
        } catch (Throwable t) {
            Recorder.swallow(t);
            return;
        }
        try {
            e = a.make(c);
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
    static void caught(Throwable e, int c, int n) {
        Armed a = Recorder.armed;
        if (a == null || !a.listen || !a.matches(c, n, false, true)) {
            return;
        }
        try {
            if (!Recorder.guard()) {
                return;
            }
        } catch (Throwable t) {
            Recorder.swallow(t);
            return;
        }
        try {
            a.hear(e);
        } catch (Throwable t) {
            Recorder.swallow(t);
        } finally {
            Recorder.leave();
        }
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

    static String describe(Throwable t) {
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

    static byte[] unhex(String s) {
        byte[] b = new byte[s.length() / 2];
        for (int i = 0; i < b.length; i++) {
            b[i] = (byte) Integer.parseInt(s.substring(2 * i, 2 * i + 2), 16);
        }
        return b;
    }
}
