import java.io.File;
import java.io.FileOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Tests that do what injected exceptions make tests do. */
public class Hostile {
    // hang, with spin in the reason
    public static void testLoops() {
        spin();
    }

    static volatile long turns;

    static void spin() {
        while (true) {
            turns++;
        }
    }

    // hang, although the main thread is interrupted by another one all the time
    public static void testDeadlock() throws Exception {
        final Object a = new Object();
        synchronized (a) {
            Thread t = new Thread() {
                @Override public void run() { synchronized (a) { } }
            };
            t.start();
            t.join();
        }
    }

    // exit 3
    public static void testExit() {
        System.exit(3);
    }

    // exit 4, although the test swallows what stands for it and then never ends
    public static void testExitSwallowed() throws Exception {
        try {
            Runtime.getRuntime().halt(4);
        } catch (Throwable t) {
            new java.util.concurrent.CountDownLatch(1).await();
        }
    }

    // exit 5, from another thread
    public static void testExitElsewhere() throws Exception {
        Thread t = new Thread() {
            @Override public void run() { System.exit(5); }
        };
        t.start();
        t.join();
    }

    private static final java.util.concurrent.CountDownLatch begun = new java.util.concurrent.CountDownLatch(1);

    // pass, but leaves a thread behind that exits as soon as another test has begun
    public static void testLeavesExit() {
        Thread t = new Thread("exits later") {
            @Override public void run() {
                try {
                    begun.await();
                    while (true) {
                        try {
                            System.exit(6);
                        } catch (Error e) {
                            Thread.sleep(100); // and again
                        }
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        };
        t.setDaemon(true);
        t.start();
    }

    // pass, although that thread exits meanwhile
    public static void testEndsAllTheSame() throws Exception {
        begun.countDown();
        Thread.sleep(300);
    }

    // exit 6: waits for what that thread would have done
    public static void testWaitsForExit() throws Exception {
        begun.countDown();
        new java.util.concurrent.CountDownLatch(1).await();
    }

    // fail, out of memory
    public static void testMemory() {
        List<long[]> all = new ArrayList<long[]>();
        while (true) {
            all.add(new long[1 << 18]);
        }
    }

    // fail
    public static void testStack() {
        testStack();
    }

    // crash: the JVM is killed by a signal
    public static void testKilled() throws Exception {
        String pid = java.lang.management.ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
        new ProcessBuilder("kill", "-SEGV", pid).start().waitFor();
        Thread.sleep(5000);
    }

    // fail on old JDKs (ThreadDeath), and on new ones (not supported)
    @SuppressWarnings("deprecation")
    public static void testStopped() {
        Thread.currentThread().stop();
    }

    // pass, and the next test still has its streams
    public static void testClosesStreams() throws Exception {
        System.out.close();
        System.in.close();
        new FileOutputStream(java.io.FileDescriptor.out).close();
        new FileOutputStream(java.io.FileDescriptor.err).close();
        System.setErr(null);
    }

    public static void testPrints() {
        System.out.println("still there");
        System.err.println("here too");
    }

    // pass; its process ends with the JVM
    public static void testLeaksProcess() throws Exception {
        new ProcessBuilder("setsid", "sh", "-c", "echo $$ > leaked.pid; exec sleep 600").start();
        while (!new File("leaked.pid").exists() || new File("leaked.pid").length() == 0) {
            Thread.sleep(5);
        }
    }

    // pass; a thread that is no daemon does not keep the JVM
    public static void testLeaksThread() {
        new Thread("stays") {
            @Override public void run() {
                try { Thread.sleep(600000); } catch (InterruptedException e) { }
            }
        }.start();
    }

    // pass; however late they get to run, all of them are this test's
    public static void testLeaksManyThreads() {
        for (int i = 0; i < 90; i++) {
            testLeaksThread();
        }
    }

    // pass; locale, zone and properties are back for the next test
    public static void testChangesState() {
        java.util.Locale.setDefault(java.util.Locale.JAPAN);
        java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("Asia/Tokyo"));
        System.setProperty("user.dir", "/nowhere");
        System.setProperties(new java.util.Properties());
        Thread.currentThread().setContextClassLoader(null);
        Thread.currentThread().interrupt();
    }

    public static void testState() throws Exception {
        if (java.util.Locale.getDefault().equals(java.util.Locale.JAPAN)) throw new AssertionError("locale");
        if (java.util.TimeZone.getDefault().getID().equals("Asia/Tokyo")) throw new AssertionError("zone");
        if (System.getProperty("user.dir") == null || System.getProperty("user.dir").equals("/nowhere")) throw new AssertionError("property");
        if (Thread.currentThread().getContextClassLoader() == null) throw new AssertionError("loader");
        Thread.sleep(1);
    }

    // pass: writes inside, cannot write outside; the variable says where that is
    public static void testWrites() throws Exception {
        File f = File.createTempFile("some", "y");
        new FileOutputStream("made-here").close();
        new FileOutputStream(new File(System.getProperty("user.home"), "in-home")).close();
        File outside = new File(System.getenv("OUTSIDE"), "precious");
        System.out.print(System.getProperty("user.dir") + " " + new File("given.txt").exists() + " ");
        try {
            new FileOutputStream(outside).close();
            System.out.print("written");
        } catch (java.io.IOException e) {
            System.out.print("denied");
        }
        System.out.print(outside.delete() ? " deleted" : " kept");
    }

    // fail: a message and a stack of many megabytes, and much output
    public static void testFloods() {
        char[] big = new char[4 << 20];
        java.util.Arrays.fill(big, 'x');
        for (int i = 0; i < 20000; i++) {
            System.out.println("line " + i);
        }
        throw new IllegalStateException(new String(big));
    }

    // fail: an exception that defends itself
    public static void testEvilException() {
        throw new RuntimeException() {
            @Override public String getMessage() { throw new IllegalStateException(); }
            @Override public StackTraceElement[] getStackTrace() { return null; }
            @Override public synchronized Throwable getCause() { return this; }
            @Override public String toString() { System.exit(9); return null; }
        };
    }

    /** The file has no name any more, and takes its place until it is closed. */
    public static void testFillsDeletedFile() throws Exception {
        byte[] block = new byte[1 << 20];
        File f = File.createTempFile("gone", "");
        FileOutputStream out = new FileOutputStream(f);
        if (!f.delete()) {
            return;
        }
        for (;;) {
            out.write(block);
            Thread.sleep(5);
        }
    }

    /** No bomb: each sleeps, and they are started one by one. */
    public static void testStartsProcesses() throws Exception {
        for (;;) {
            new ProcessBuilder("sleep", "600").start();
        }
    }

    // crash: it writes until its JVM is ended, in small files and a large one
    public static void testFillsDisk() throws Exception {
        byte[] block = new byte[1 << 20];
        FileOutputStream large = new FileOutputStream(File.createTempFile("large", ""));
        for (int i = 0; ; i++) {
            large.write(block);
            FileOutputStream small = new FileOutputStream("small" + i);
            small.write(block, 0, 1 << 16);
            small.close();
            Thread.sleep(5);
        }
    }
}
