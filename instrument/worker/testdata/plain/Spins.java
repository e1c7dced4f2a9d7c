import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Tests that leave threads behind. */
public class Spins {
    public static void testLeavesNothing() {
        long end = System.nanoTime() + 300_000_000L;
        while (System.nanoTime() < end) {
            Math.sqrt(end);
        }
    }

    public static void testLeavesSleepers() throws Exception {
        Executors.newScheduledThreadPool(3).scheduleAtFixedRate(() -> { }, 1, 1, TimeUnit.MILLISECONDS);
        ServerSocket server = new ServerSocket(0);
        new Thread(() -> {
            try {
                server.accept();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }).start();
    }

    public static void testLeavesServer() throws Exception {
        ServerSocket server = new ServerSocket(0);
        server.close();
        CountDownLatch spins = new CountDownLatch(100);
        new Thread(() -> {
            while (true) {
                try {
                    server.accept();
                } catch (IOException e) {
                    spins.countDown();
                }
            }
        }).start();
        spins.await(); // or the test may be over before the thread has begun
    }
}
