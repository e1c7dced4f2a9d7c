import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Tests that wait, in a program with a server whose threads wake once an hour. */
public class Idle {
    private static void server() throws Exception {
        Executors.newScheduledThreadPool(1).scheduleAtFixedRate(() -> { }, 1, 1, TimeUnit.HOURS);
        Selector selector = Selector.open();
        new Thread(() -> {
            try {
                selector.select();
            } catch (java.io.IOException e) {
                throw new IllegalStateException(e);
            }
        }).start();
        ServerSocket accepting = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(accepting.getInetAddress(), accepting.getLocalPort());
        new Thread(() -> {
            try {
                client.getInputStream().read();
            } catch (java.io.IOException e) {
                throw new IllegalStateException(e);
            }
        }).start();
    }

    public static void testWaits() throws Exception {
        server();
        new CountDownLatch(1).await();
    }

    public static void testWaitsForTime() throws Exception {
        server();
        new CountDownLatch(1).await(1, TimeUnit.HOURS);
    }

    public static void testWaitsForAnswer() throws Exception {
        ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(nobody.getInetAddress(), nobody.getLocalPort());
        client.setSoTimeout(3_600_000);
        client.getInputStream().read();
    }

    public static void testRuns() {
        while (System.nanoTime() != 0) {
        }
    }

    public static void testHasProcess() throws Exception {
        new ProcessBuilder("sleep", "3600").start().waitFor();
    }
}
