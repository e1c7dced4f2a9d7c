package catchlens.rt.run;

import catchlens.rt.record.Recorder;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Map;
import java.util.TreeMap;

/** Tells whether nothing in this JVM goes on any more: each thread of the program waits for another one. */
public final class Stall {
    private Stall() {}

    /** Both of what is told: all, of all threads of the program, and test, of that of the test. */
    public static Map<String, String> states() {
        Map<String, String> m = new TreeMap<String, String>();
        m.put("all", state());
        try {
            m.put("test", testThread());
        } catch (Throwable e) { // it is not known
            m.put("test", "");
        }
        return m;
    }

    /**
     * Where the test's own thread waits for another one, with no time at which it goes on; the same text as
     * long as nobody has answered it. Empty if it does not, while a process runs that the program has
     * started, while a thread sleeps, which may do its work when it wakes, and where the JDK does not count
     * how often a thread waits.
     */
    private static String testThread() {
        Thread test = Recorder.testThread;
        if (test == null || test.getState() != Thread.State.WAITING && test.getState() != Thread.State.BLOCKED) {
            return "";
        }
        Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
        for (Map.Entry<Thread, StackTraceElement[]> e : all.entrySet()) {
            if (e.getKey().getName().startsWith("process reaper") && has(e.getValue(), "waitForProcessExit")
                    || sleeps(e.getKey(), e.getValue())) {
                return "";
            }
        }
        StackTraceElement[] st = all.get(test);
        return st == null || st.length == 0 ? "" : waits(test) + " " + frames(st).hashCode();
    }

    /**
     * Where all threads of the program are blocked, the same text as long as they stay there. Empty if one
     * runs, waits for a time only, or may be waiting for something outside of this JVM that is known to go on.
     */
    public static String state() {
        Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
        if (Recorder.testThread == null || !all.containsKey(Recorder.testThread)) {
            return "";
        }
        TreeMap<Long, String> blocked = new TreeMap<Long, String>();
        for (Map.Entry<Thread, StackTraceElement[]> e : all.entrySet()) {
            Thread t = e.getKey();
            StackTraceElement[] st = e.getValue();
            if (goesOn(t, st)) {
                return "";
            }
            if (Dump.own(t) || st.length == 0 || idle(st)) {
                continue;
            }
            if (!forGood(t.getState(), st)) {
                return "";
            }
            blocked.put(t.getId(), frames(st));
        }
        return blocked.isEmpty() ? "" : blocked.keySet() + " " + blocked.hashCode();
    }

    /** Which wait of a thread this is. It throws an error where there is no module java.management. */
    private static String waits(Thread t) {
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(t.getId());
        return info == null ? "" : t.getId() + " " + info.getWaitedCount() + " " + info.getBlockedCount();
    }

    private static String frames(StackTraceElement[] st) {
        StringBuilder b = new StringBuilder();
        for (StackTraceElement f : st) {
            b.append(f.getClassName()).append('.').append(f.getMethodName()).append(':').append(f.getLineNumber()).append('\n');
        }
        return b.toString();
    }

    /** Whether a thread of the JDK shows that something goes on: a process runs, or something waits for a time. */
    private static boolean goesOn(Thread t, StackTraceElement[] st) {
        String name = t.getName();
        return name.startsWith("process reaper") && has(st, "waitForProcessExit")
                || name.equals("VirtualThread-unparker") || name.equals("Keep-Alive-Timer");
    }

    /** Whether a thread has gone to sleep for a time by itself; the agent's own do not count. */
    private static boolean sleeps(Thread t, StackTraceElement[] st) {
        if (t.getState() != Thread.State.TIMED_WAITING) {
            return false;
        }
        boolean asleep = false;
        for (StackTraceElement f : st) {
            if (f.getClassName().startsWith("catchlens.")) {
                return false;
            }
            asleep |= f.getClassName().equals("java.lang.Thread") && f.getMethodName().startsWith("sleep");
        }
        return asleep;
    }

    private static boolean has(StackTraceElement[] st, String methodPrefix) {
        for (StackTraceElement f : st) {
            if (f.getMethodName().startsWith(methodPrefix)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a thread of a pool has nothing to do; one of a scheduler may have, at a time that it waits for. */
    private static boolean idle(StackTraceElement[] st) {
        boolean task = false;
        for (StackTraceElement f : st) {
            String c = f.getClassName();
            if (c.endsWith("$DelayedWorkQueue")) {
                return false;
            }
            task |= c.equals("java.util.concurrent.ThreadPoolExecutor") && f.getMethodName().equals("getTask")
                    || c.equals("java.util.concurrent.ForkJoinPool") && f.getMethodName().equals("awaitWork");
        }
        return task;
    }

    /** Whether a thread is blocked until another one does something: with no time at which it goes on. */
    private static boolean forGood(Thread.State state, StackTraceElement[] st) {
        switch (state) {
            case WAITING:
            case BLOCKED:
                return true;
            case RUNNABLE:
                return onSocket(st);
            default:
                return false;
        }
    }

    /** Whether a thread reads from, or accepts, a connection without a timeout. Before JDK 13 that cannot be told. */
    private static boolean onSocket(StackTraceElement[] st) {
        String top = st[0].getClassName() + '.' + st[0].getMethodName();
        if (!top.equals("sun.nio.ch.Net.poll") && !top.equals("sun.nio.ch.Net.accept") && !top.equals("sun.nio.ch.SocketDispatcher.read0")) {
            return false;
        }
        boolean socket = false;
        for (int i = 1; i < st.length && st[i].getClassName().startsWith("sun.nio.ch."); i++) {
            String c = st[i].getClassName();
            if (st[i].getMethodName().toLowerCase(java.util.Locale.ROOT).contains("timed")) {
                return false;
            }
            socket |= c.equals("sun.nio.ch.NioSocketImpl") || c.equals("sun.nio.ch.SocketChannelImpl") || c.equals("sun.nio.ch.ServerSocketChannelImpl");
        }
        return socket;
    }
}
