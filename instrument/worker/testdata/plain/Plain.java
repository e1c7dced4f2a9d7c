import catchlens.rt.Probe;
import java.io.FileInputStream;
import java.io.IOException;

/** Calls the probes as a rewritten class would. C is the class number's constant. */
public class Plain {
    static final int C = 0x5eed0001;

    static int reads; // set by read's plan A and plan B

    static String read(String name) {
        Probe.enter(C, 0);
        Probe.tryEnter(C, 0);
        try {
            if (name == null) {
                RuntimeException e = new IllegalArgumentException("no name");
                Probe.thrown(e, C, 0);
                throw e;
            }
            new FileInputStream(name).close();
            return "read";
        } catch (IOException e) {
            Probe.caught(e, C, 0);
            return "caught " + e.getClass().getName() + ": " + e.getMessage();
        } catch (RuntimeException e) {
            Probe.uncaught(e, C, 0);
            throw e;
        }
    }

    // pink
    public static void testA() {
        System.out.println("hello from A");
        read("/dev/null");
        read("/dev/null");
    }

    // white, native site
    public static void testB() {
        String s = read("/nonexistent/file");
        if (!s.startsWith("caught java.io.FileNotFoundException")) throw new AssertionError(s);
    }

    // blue, and an explicit site caught one frame up
    public static void testC() {
        Probe.tryEnter(C, 1);
        try {
            read(null);
            throw new AssertionError("no exception");
        } catch (IllegalArgumentException e) {
            Probe.caught(e, C, 1);
        }
    }

    // a rethrow keeps its site, also on another thread; an implicit site
    public static void testD() throws Exception {
        final Throwable[] box = new Throwable[1];
        try {
            read(null);
        } catch (IllegalArgumentException e) {
            Probe.caught(e, C, 1);
            box[0] = e;
        }
        Thread t = new Thread() {
            @Override public void run() {
                Probe.enter(C, 5);
                try {
                    Probe.rethrown(box[0], C, 7);
                    throw box[0];
                } catch (Throwable e) {
                    Probe.caught(e, C, 2);
                }
            }
        };
        t.start();
        t.join();
        Object o = null;
        try {
            o.hashCode();
        } catch (NullPointerException e) {
            Probe.caught(e, C, 3);
        }
    }

    // fails, and prints to both streams
    public static void testFails() {
        System.err.println("to err \u001b[31mred");
        throw new IllegalStateException("on purpose", new RuntimeException("deeper"));
    }

    public static void testExits() {
        System.setProperty("left.behind", "yes");
        System.exit(3);
    }

    public static void testPropertyGone() {
        if (System.getProperty("left.behind") != null) throw new AssertionError("left behind");
    }

    public static void testClosesStreams() {
        System.out.close();
        System.err.close();
        System.setOut(null);
        System.setErr(null);
    }

    static Thread leaked;
    static volatile boolean stop;

    public static void testLeaks() throws Exception {
        final java.util.concurrent.CountDownLatch up = new java.util.concurrent.CountDownLatch(1);
        leaked = new Thread("leaky") {
            @Override public void run() {
                up.countDown();
                while (!stop) {
                    Probe.tryEnter(C, 9);
                    try { Thread.sleep(1); } catch (InterruptedException e) { return; }
                }
            }
        };
        leaked.setDaemon(true);
        leaked.start();
        up.await();
    }

    // the leaked thread's tries are stray here
    public static void testStray() throws Exception {
        Thread.sleep(50);
        stop = true;
        leaked.join();
    }
}
