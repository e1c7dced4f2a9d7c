import java.io.File;
import java.io.FileWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Tests each of which leaves something behind, or nothing. */
public class Leaves {
    static int count;
    static final AtomicInteger ATOMIC = new AtomicInteger();
    static final StringBuilder TEXT = new StringBuilder();
    static final List<int[]> ROWS = new ArrayList<int[]>();
    static final ThreadLocal<Integer> DEPTH = new ThreadLocal<Integer>();
    static final int[] LARGE = new int[500];
    static final Node CYCLE = new Node();

    static class Node {
        Node next = this;
        boolean set;
    }

    static class Later {
        static final long VERSION = 1;
    }

    static class LaterState {
        static final int[] STATE = {1};
    }

    static {
        ROWS.add(new int[1]);
    }

    public static void testNothing() throws Exception {
        List<String> own = new ArrayList<String>();
        own.add("x");
        File f = File.createTempFile("left", null);
        f.delete();
        Thread t = new Thread(new Runnable() {
            public void run() {
                count++;
                count--;
            }
        });
        t.start();
        t.join();
    }

    public static void testConstants() {
        if (Later.class.getDeclaredFields().length == 0 || new Later() == null) {
            throw new AssertionError();
        }
    }

    public static void testCount() { count++; }

    public static void testAtomic() { ATOMIC.incrementAndGet(); }

    public static void testText() { TEXT.setLength(0); TEXT.append(System.nanoTime()); }

    public static void testRow() { ROWS.get(0)[0]++; }

    public static void testLarge() { LARGE[LARGE.length - 1]++; }

    public static void testCycle() { CYCLE.set = !CYCLE.set; }

    public static void testLocal() { DEPTH.set(DEPTH.get() == null ? 1 : DEPTH.get() + 1); }

    public static void testLaterState() { LaterState.STATE[0]++; }

    public static void testFile() throws Exception {
        FileWriter w = new FileWriter(new File(System.getProperty("java.io.tmpdir"), "left"), true);
        w.write('x');
        w.close();
    }

    public static void testThread() {
        Thread t = new Thread(new Runnable() {
            public void run() {
                try {
                    Thread.sleep(600000);
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
        t.setDaemon(true);
        t.start();
    }
}
