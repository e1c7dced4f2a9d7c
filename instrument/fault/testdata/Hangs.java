import java.io.FileInputStream;
import java.io.IOException;

/** A catch after which the test does not end. */
public class Hangs {
    static void attempt(String file) throws InterruptedException {
        try {
            new FileInputStream(file).read();
        } catch (IOException e) {
            Thread.sleep(1_000_000);
        }
    }

    /** A server that waits for the rest of a request, and a client for its answer. */
    static void serve(String file) throws Exception {
        try (java.net.ServerSocket server = new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress());
                java.net.Socket client = new java.net.Socket(server.getInetAddress(), server.getLocalPort())) {
            Thread t = new Thread() {
                @Override public void run() {
                    try (java.net.Socket s = server.accept()) {
                        s.getInputStream().read();
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                }
            };
            t.start();
            java.util.concurrent.ThreadPoolExecutor pool = (java.util.concurrent.ThreadPoolExecutor) java.util.concurrent.Executors.newCachedThreadPool();
            pool.submit(() -> { }).get(); // its thread is there for a minute, and has nothing to do
            try {
                new FileInputStream(file).read();
                client.getOutputStream().write(1);
            } catch (IOException e) {
                client.setSoTimeout(Integer.getInteger("patience", 0));
                client.getInputStream().read();
            }
            t.join();
            pool.shutdown();
        }
    }

    public static void testStalls() throws Exception {
        serve(java.io.File.createTempFile("hangs", ".txt").getPath());
    }

    /** It ends by itself, though all wait. */
    public static void testWaits() throws Exception {
        System.setProperty("patience", "2500");
        try {
            testStalls();
        } catch (java.net.SocketTimeoutException e) {
            System.out.println("ended");
        } finally {
            System.clearProperty("patience");
        }
    }

    public static void testHangs() throws Exception {
        attempt(java.io.File.createTempFile("hangs", ".txt").getPath());
    }
}
