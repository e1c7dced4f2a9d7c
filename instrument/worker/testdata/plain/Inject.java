import catchlens.rt.Probe;

/** One try that catches everything, and exceptions that are hard to construct. */
public class Inject {
    static final int C = 0x5eed0001;
    static Throwable last;
    static int executions;

    static void body() {
        for (int i = 0; i < 3; i++) {
            try {
                Probe.tryEnter(C, 0);
                executions++;
            } catch (Throwable e) {
                Probe.caught(e, C, 0);
                last = e;
            }
        }
    }

    /** Prints what was thrown, for the Go side to compare. */
    public static void test() throws Throwable {
        last = null;
        executions = 0;
        body();
        if (last == null) {
            System.out.print("nothing, " + executions + " executions");
            return;
        }
        String message;
        try {
            message = last.getMessage();
        } catch (RuntimeException e) {
            message = "unreadable";
        }
        System.out.print(last.getClass().getName() + "|" + message + "|"
                + (last.getCause() == null ? "no cause" : last.getCause().getClass().getName()) + "|"
                + (last.getStackTrace().length == 0 ? "no trace" : last.getStackTrace()[0].getMethodName()) + "|"
                + last.getSuppressed().length + "|" + executions);
        last.addSuppressed(new Exception());
        if (last.getCause() == null) {
            last.initCause(new Exception());
        }
    }

    public static void testSleeps() throws Exception {
        Thread.sleep(400);
    }

    // it takes as much processor time as it needs, however long others have the cores
    public static void testComputes() {
        java.lang.management.ThreadMXBean threads = java.lang.management.ManagementFactory.getThreadMXBean();
        long end = threads.getCurrentThreadCpuTime() + 300_000_000L;
        while (threads.getCurrentThreadCpuTime() < end) {
            Math.sqrt(end);
        }
    }

    // the try runs on another thread only
    public static void testOther() throws Exception {
        Thread t = new Thread("other") {
            public void run() {
                body();
            }
        };
        t.start();
        t.join();
    }

    public static void testBoth() throws Exception {
        testOther();
        body();
        testOther();
    }

    // with the armed exception nobody is left who would count down
    public static void testStalls() throws Exception {
        final java.util.concurrent.CountDownLatch latch = new java.util.concurrent.CountDownLatch(1);
        new Thread("gives up") {
            public void run() {
                attempt(latch);
            }
        }.start();
        latch.await();
    }

    static void attempt(java.util.concurrent.CountDownLatch latch) {
        try {
            Probe.tryEnter(C, 2);
            latch.countDown();
        } catch (Throwable e) {
            last = e;
        }
    }

    // with the armed exception it works for ever
    public static void testWorksOn() {
        try {
            Probe.tryEnter(C, 3);
        } catch (Throwable e) {
            while (e != null) {
                last = e;
            }
        }
    }

    // with the armed exception it takes long, and no processor time
    public static void testRests() throws Exception {
        try {
            Probe.tryEnter(C, 3);
        } catch (Throwable e) {
            Thread.sleep(3000);
        }
    }

    // the armed exception leaves the test
    public static void testEscapes() {
        Probe.tryEnter(C, 1);
    }

    public static class NoString extends Exception {
        public NoString() {}
    }

    private static class Secret extends RuntimeException {
        private Secret(int code, java.util.List<String> names, Kind kind, Runnable r) {
            super(names.size() + kind.name() + code + (r == null));
            r.run();
        }
    }

    enum Kind { FIRST, SECOND }

    /** A member of a class whose instances cannot be made. */
    class Inner extends Exception {
        Inner(String message) { super(message); }
    }

    static class Picky extends Exception {
        Picky(String message) { throw new IllegalArgumentException("not this one"); }
        Picky(String message, Throwable cause) { throw new IllegalArgumentException("nor this"); }
    }

    static class BadInit extends Exception {
        static { if (true) throw new IllegalStateException("no way"); }
        BadInit(String message) { super(message); }
    }

    static abstract class Abstract extends Exception {
        Abstract(String message) { super(message); }
    }

    static class Silent extends Exception {
        Silent(String message) { super(message, null, false, false); }
        @Override public String getMessage() { throw new IllegalStateException("silent"); }
    }

    static class Wrapping extends Exception {
        Wrapping(java.io.IOException cause) { super(cause); }
    }

    static class TriesItself extends Exception {
        TriesItself(String message) {
            super(message);
            body();
        }
    }
}
