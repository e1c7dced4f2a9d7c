import catchlens.rt.Probe;

import java.util.concurrent.CountDownLatch;

/** Tries whose executions differ, and exceptions that handlers change or look at. */
public class Strike {
    static final int C = 0x5eed0001;

    static class Coded extends Exception {
        final int code;
        String note = "";

        Coded(String message, int code) {
            super(message);
            this.code = code;
        }

        Coded(String message) {
            this(message, -1);
        }

        static Coded of(String message) {
            return new Coded("made of " + message, 0);
        }
    }

    /** Its code is not to run but where the program runs it. */
    static class Guarded extends Coded {
        static byte[] memory; // more than half of it, and for all of them

        final byte[] most;

        Guarded(String message) {
            super(message, 5);
            if (memory == null) {
                memory = new byte[(int) (Runtime.getRuntime().maxMemory() / 5 * 3)];
            }
            most = memory;
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            return null;
        }

        @Override
        public void setStackTrace(StackTraceElement[] trace) {
            throw new UnsupportedOperationException();
        }
    }

    /** Who catches it adds to its list from the second time on. */
    static class Lent extends Coded {
        static int caught;
        final java.util.List<String> ways = new java.util.ArrayList<String>();

        Lent() {
            super("lent", 5);
        }

        @Override
        public String getMessage() {
            return "ways " + ways.size();
        }
    }

    static final Coded CONSTANT = new Coded("always", 0);
    static int runs;

    static synchronized void say(String s) {
        System.out.print(s + " ");
    }

    /** One execution of the try, which ends with an exception or without one. */
    static void once(String name, Coded thrown) {
        try {
            Probe.tryEnter(C, 0);
            say("b" + name);
            if (thrown != null) {
                throw thrown;
            }
        } catch (Coded e) {
            Probe.caught(e, C, 0);
            say("c" + name + ":" + e.getMessage() + "/" + e.code + e.note + (e == CONSTANT ? "=" : "") + (e.getCause() == null ? "" : e.getCause().getMessage())
                    + e.getSuppressed().length);
            e.note = "!";
            if (e instanceof Lent && ++Lent.caught > 1) {
                ((Lent) e).ways.add(name);
            }
            e.addSuppressed(new Exception());
        }
    }

    public static void testLoop() {
        for (int i = 0; i < 4; i++) {
            Coded e = new Coded("bad " + i, i);
            e.initCause(new Exception("<" + i));
            once("" + i, i % 2 == 1 ? e : null);
        }
    }

    public static void testConstant() {
        once("0", null);
        once("1", CONSTANT);
        once("2", CONSTANT);
    }

    public static void testGuarded() {
        once("0", new Guarded("own"));
    }

    public static void testLent() {
        once("0", new Lent());
    }

    static void down(int n) {
        try {
            Probe.tryEnter(C, 1);
            say("b" + n);
            if (n > 0) {
                down(n - 1);
            }
            if (n == 2) {
                throw new Coded("at " + n, n);
            }
        } catch (Coded e) {
            Probe.caught(e, C, 1);
            say("c" + n + ":" + e.getMessage());
        }
    }

    public static void testRecursion() {
        down(3);
        down(1);
    }

    static Thread thread(final String name, final CountDownLatch after, final CountDownLatch before) {
        Thread t = new Thread("pool-" + ++runs + "-thread-1") {
            public void run() {
                once(name, name.equals("y") ? new Coded("in y", 7) : null);
                before.countDown();
                try {
                    after.await();
                } catch (InterruptedException e) {
                    say("interrupted");
                }
            }
        };
        t.start();
        return t;
    }

    public static void testThreads() throws Exception {
        CountDownLatch now = new CountDownLatch(0);
        thread("x", now, now).join();
        thread("y", now, now).join();
        once("0", null);
    }

    public static void testRacing() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        Thread x = thread("x", end, first);
        first.await();
        Thread y = thread("y", end, second);
        second.await();
        end.countDown();
        x.join();
        y.join();
    }

    /** All executions on threads that cannot be told apart end alike. */
    public static void testRacingAlike() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch both = new CountDownLatch(2);
        Thread x = thread("y", end, both);
        Thread y = thread("y", end, both);
        both.await();
        end.countDown();
        x.join();
        y.join();
    }

    /** Which execution throws is another one in each run. */
    public static void testAlternates() {
        boolean early = ++runs % 2 == 0;
        once("0", early ? new Coded("early", 0) : null);
        once("1", early ? null : new Coded("late", 1));
    }

    /** It throws the first time that it runs in a JVM. */
    public static void testFirst() {
        once("0", null);
        once("1", first ? new Coded("first", 1) : null);
        first = false;
    }

    static boolean first = true;

    public static void testNone() {
        once("0", null);
    }
}
