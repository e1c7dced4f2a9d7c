package catchlens.rt.run;

import catchlens.rt.record.Recorder;

import java.util.Map;

/** Texts of stacks: of all threads, and of a test's failure. All are bounded. */
public final class Dump {
    private Dump() {}

    private static final int LIMIT = 64 * 1024;

    /** The stacks of all threads but the agent's, the test thread first. */
    public static String all() {
        StringBuilder b = new StringBuilder();
        Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
        Thread test = Recorder.testThread;
        if (test != null && all.get(test) != null) {
            thread(b, test, all.get(test));
        }
        for (Map.Entry<Thread, StackTraceElement[]> e : all.entrySet()) {
            if (e.getKey() != test && !own(e.getKey()) && b.length() < LIMIT) {
                thread(b, e.getKey(), e.getValue());
            }
        }
        return b.toString();
    }

    private static void thread(StringBuilder b, Thread t, StackTraceElement[] stack) {
        b.append('"').append(t.getName()).append("\" ").append(t.getState()).append('\n');
        frames(b, stack);
        b.append('\n');
    }

    /** Threads of the agent and of the JVM. */
    static boolean own(Thread t) {
        ThreadGroup g = t.getThreadGroup();
        return g == null || g.getParent() == null || g.getName().equals("InnocuousThreadGroup");
    }

    /** A frame without the names of module and loader, which differ between JDKs. */
    private static void frame(StringBuilder b, StackTraceElement f) {
        b.append("\tat ").append(f.getClassName()).append('.').append(f.getMethodName()).append('(');
        if (f.isNativeMethod()) {
            b.append("Native Method");
        } else if (f.getFileName() == null) {
            b.append("Unknown Source");
        } else {
            b.append(f.getFileName());
            if (f.getLineNumber() >= 0) {
                b.append(':').append(f.getLineNumber());
            }
        }
        b.append(")\n");
    }

    /** The message of a throwable, whatever its class does about it. */
    static String message(Throwable t) {
        if (t == null) {
            return null;
        }
        try {
            return cut(t.getMessage(), 4096);
        } catch (Throwable x) {
            return "(getMessage failed: " + x.getClass().getName() + ")";
        }
    }

    static String cut(String s, int limit) {
        return s == null || s.length() <= limit ? s : s.substring(0, limit) + "...";
    }

    /** The stack trace of a failure with its causes, without the frames below the test. */
    static String stack(Throwable t) {
        StringBuilder b = new StringBuilder();
        for (int depth = 0; t != null && depth < 6; depth++) {
            try {
                b.append(depth > 0 ? "Caused by: " : "").append(t.getClass().getName());
                String m = message(t);
                b.append(m != null ? ": " + m : "").append('\n');
                frames(b, t.getStackTrace());
                t = t.getCause() == t ? null : t.getCause();
            } catch (Throwable x) {
                b.append("(its stack cannot be read: ").append(x.getClass().getName()).append(")\n");
                break;
            }
        }
        return cut(b.toString(), 16384);
    }

    private static void frames(StringBuilder b, StackTraceElement[] st) {
        int end = st.length;
        for (int i = 0; i < end; i++) {
            String c = st[i].getClassName();
            if (c.startsWith("catchlens.") && !c.equals("catchlens.rt.Probe")) {
                end = i;
            }
        }
        // What the framework does to call the test method tells nobody anything.
        int from = end;
        while (end > 0 && framework(st[end - 1].getClassName())) {
            end--;
        }
        if (end == 0) {
            end = Math.min(from, 20); // the framework itself failed
        }
        for (int i = 0; i < end; i++) {
            if (end > 60 && i == 40) {
                b.append("\t... ").append(end - 60).append(" more\n");
                i = end - 20;
            }
            frame(b, st[i]);
        }
    }

    private static boolean framework(String c) {
        return c.startsWith("java.") || c.startsWith("jdk.internal.") || c.startsWith("sun.reflect.")
                || c.startsWith("org.junit.") || c.startsWith("junit.framework.") || c.startsWith("org.testng.")
                || c.startsWith("catchlens.");
    }
}
