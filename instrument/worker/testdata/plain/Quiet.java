import java.nio.channels.Selector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Tests that wait, in a program with a server that nobody uses. */
public class Quiet {
    static {
        Executors.newScheduledThreadPool(1, r -> daemon(r)).scheduleAtFixedRate(() -> { }, 100, 700, TimeUnit.MILLISECONDS);
        daemon((Work) () -> Selector.open().select()).start();
    }

    interface Work {
        void run() throws Exception;
    }

    static Thread daemon(Work work) {
        Thread t = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        t.setDaemon(true);
        return t;
    }

    static Thread daemon(Runnable work) {
        return daemon((Work) work::run);
    }

    /** Nobody counts down. */
    public static void testWaitsForNobody() throws Exception {
        new CountDownLatch(1).await();
    }

    /** Somebody does, after a computation. */
    public static void testWaitsForWork() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        daemon((Work) () -> {
            long end = System.nanoTime() + 3_000_000_000L;
            while (System.nanoTime() < end) {
                Math.sqrt(end);
            }
            done.countDown();
        }).start();
        done.await();
    }

    /** Somebody does, after a rest. */
    public static void testWaitsForRest() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        daemon((Work) () -> {
            Thread.sleep(4000);
            done.countDown();
        }).start();
        done.await();
    }

    /** It goes on by itself. */
    public static void testWaitsForTime() throws Exception {
        new CountDownLatch(1).await(3, TimeUnit.SECONDS);
    }

    /** A process does its work meanwhile. */
    public static void testWaitsForProcess() throws Exception {
        new ProcessBuilder("sleep", "3").start().waitFor();
    }

    /** It waits again and again, each time in the same place, and is answered. */
    public static void testIsAnswered() throws Exception {
        for (int i = 0; i < 5; i++) {
            waitASecond();
            Thread.sleep(1);
        }
    }

    private static void waitASecond() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        daemon((Work) () -> {
            Thread.sleep(1000);
            done.countDown();
        }).start();
        done.await();
    }
}
