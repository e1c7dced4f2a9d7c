import java.io.BufferedInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Figure 4 of paper 000, with a real file and a real socket; and what a fault must not strike. */
public class Figure4 {
    private static int readFile(String s) {
        byte[] buffer = new byte[256];
        int n = 0;
        try (InputStream f = new FileInputStream(s); InputStream in = new BufferedInputStream(f)) {
            for (int c = in.read(buffer); c > 0; c = in.read(buffer)) {
                n += c;
            }
        } catch (IOException e) {
            System.out.println("GOT file " + e);
        }
        return n;
    }

    private static int readNet(Socket s) {
        byte[] buffer = new byte[256];
        int n = 0;
        try {
            InputStream in = new BufferedInputStream(s.getInputStream());
            for (int c = in.read(buffer); c > 0; c = in.read(buffer)) {
                n += c;
            }
        } catch (IOException e) {
            System.out.println("GOT net " + e);
        }
        return n;
    }

    private static File file(int size) throws IOException {
        File f = File.createTempFile("figure", ".txt");
        try (FileOutputStream out = new FileOutputStream(f)) {
            out.write(new byte[size]);
        }
        return f;
    }

    public static void testBoth() throws IOException {
        System.out.println("FILE " + readFile(file(1000).getPath()));
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket s = new Socket(server.getInetAddress(), server.getLocalPort()); Socket other = server.accept()) {
            other.getOutputStream().write(new byte[1000]);
            other.shutdownOutput();
            System.out.println("NET " + readNet(s));
        }
    }

    /** What is in the buffer arrives before the fault shows (paper 003, latent errors). */
    public static void testBuffered() throws IOException {
        int n = 0;
        try (InputStream in = new BufferedInputStream(new FileInputStream(file(10000)), 8192)) {
            in.read();
            try {
                for (int c = in.read(); c >= 0; c = in.read()) {
                    n++;
                }
            } catch (IOException e) {
                System.out.println("GOT " + n + " bytes, then " + e.getMessage());
            }
        }
    }

    private static void one(String f) {
        try {
            new FileInputStream(f).read();
        } catch (IOException e) {
            System.out.println("GOT " + e);
        }
    }

    /** Another thread does the same while the try is active, and classes are loaded. */
    public static void testOthers() throws Exception {
        String f = file(10).getPath();
        try (InputStream before = new FileInputStream(f)) {
            System.out.println("BEFORE " + before.read());
        }
        guarded(f);
        try (InputStream after = new FileInputStream(f)) {
            System.out.println("AFTER " + after.read());
        }
    }

    static class Loaded {
        static int one = 1;
    }

    private static void guarded(String f) throws Exception {
        try {
            System.out.println("LOADED " + Loaded.one);
            Thread t = new Thread(() -> one(f), "worker");
            t.start();
            t.join();
        } catch (IllegalStateException e) {
            throw e;
        }
    }

    /** The JDK closes what the garbage collector found, while a try is active. */
    public static void testCleaner() throws Exception {
        File f = file(10);
        forget(f);
        cleaned(f);
    }

    private static void forget(File f) throws IOException {
        new FileInputStream(f).read();
    }

    private static boolean isOpen(File f) throws IOException {
        File[] all = new File("/proc/self/fd").listFiles();
        for (int i = 0; all != null && i < all.length; i++) {
            if (all[i].getCanonicalPath().equals(f.getCanonicalPath())) {
                return true;
            }
        }
        return false;
    }

    private static void cleaned(File f) throws Exception {
        try {
            for (int i = 0; i < 500 && isOpen(f); i++) {
                System.gc();
                Thread.sleep(10);
            }
            System.out.println("OPEN " + isOpen(f));
        } catch (IllegalStateException e) {
            throw e;
        }
    }

    /** A device that stays broken, a retry, and a second run of the same try. */
    public static void testRetry() throws IOException {
        String f = file(10).getPath();
        int failed = 0;
        for (int i = 0; i < 3; i++) {
            try (InputStream in = new FileInputStream(f)) {
                in.read();
            } catch (IOException e) {
                failed++;
            }
        }
        System.out.println("GOT " + failed + " failures");
    }

    /** A host whose address the JVM has looked up before. */
    public static void testLookedUp() throws IOException {
        InetAddress.getByName("localhost");
        lookUp();
    }

    private static void lookUp() {
        try {
            System.out.println("FOUND " + InetAddress.getByName("localhost").isLoopbackAddress());
        } catch (IOException e) {
            System.out.println("GOT " + e);
        }
    }

    /** The JDK keeps what this finds for five seconds. */
    public static void testThisMachine() {
        try {
            System.out.println("FOUND " + (InetAddress.getLocalHost() != null));
        } catch (IOException e) {
            System.out.println("GOT " + e.getClass().getName());
        }
    }

    /** What cleans up after a read fails, and what cleans up after that may. */
    public static void testCleanUps() throws IOException {
        cleanUps(new FileInputStream(file(10)), new FileInputStream(file(10)));
    }

    private static void cleanUps(InputStream in, InputStream other) {
        try {
            try {
                System.out.println("READ " + in.read());
            } finally {
                try {
                    in.close();
                } finally {
                    other.close();
                }
            }
        } catch (IOException e) {
            System.out.println("GOT " + e.getMessage());
        }
    }

    /** Two ways to one operation, and one that runs after it has failed. */
    public static void testWays() throws IOException {
        ways(file(10).getPath());
    }

    private static void ways(String f) {
        try {
            InputStream in = new FileInputStream(f);
            try {
                System.out.println("READ " + in.read());
                System.out.println("READ " + in.read());
            } finally {
                in.close();
            }
        } catch (IOException e) {
            System.out.println("GOT " + e.getMessage());
        }
    }
}
