import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Each operation twice: with the fault really there (testReal...), and where nothing is wrong, to be
 * injected into (test...). Both print the exception that their catch got.
 */
public class Known {
    interface Action {
        void run() throws Exception;
    }

    private static void print(Throwable e, String path) {
        String m = String.valueOf(e.getMessage());
        StringBuilder b = new StringBuilder(e.getClass().getName() + ": " + (path == null ? m : m.replace(path, "<path>")));
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            b.append(" / ").append(cause.getClass().getName()).append(": ").append(cause.getMessage());
        }
        System.out.println("GOT " + b);
    }

    private static void attempt(String path, Action a) {
        try {
            a.run();
            System.out.println("GOT nothing");
        } catch (Exception e) {
            print(e, path);
        }
    }

    private static File file() throws IOException {
        File f = File.createTempFile("known", ".txt");
        try (FileOutputStream out = new FileOutputStream(f)) {
            out.write(new byte[100]);
        }
        return f;
    }

    // A read from address 0 of the process's own memory is an I/O error.
    static final String BAD = "/proc/self/mem";
    static final String FULL = "/dev/full";
    static final String NONE = "/nowhere/at/all";

    static void readStream(String f) {
        attempt(f, () -> {
            try (FileInputStream in = new FileInputStream(f)) {
                in.read(new byte[10]);
            }
        });
    }

    public static void testRealReadStream() { readStream(BAD); }

    public static void testReadStream() throws IOException { readStream(file().getPath()); }

    static void readByte(String f) {
        attempt(f, () -> {
            try (FileInputStream in = new FileInputStream(f)) {
                in.read();
            }
        });
    }

    public static void testRealReadByte() { readByte(BAD); }

    public static void testReadByte() throws IOException { readByte(file().getPath()); }

    static void readRandom(String f) {
        attempt(f, () -> {
            try (RandomAccessFile in = new RandomAccessFile(f, "r")) {
                in.read(new byte[10]);
            }
        });
    }

    public static void testRealReadRandom() { readRandom(BAD); }

    public static void testReadRandom() throws IOException { readRandom(file().getPath()); }

    static void readChannel(String f) {
        attempt(f, () -> {
            try (FileChannel in = FileChannel.open(Paths.get(f))) {
                in.read(ByteBuffer.allocate(10));
            }
        });
    }

    public static void testRealReadChannel() { readChannel(BAD); }

    public static void testReadChannel() throws IOException { readChannel(file().getPath()); }

    static void readAll(String f) {
        attempt(f, () -> Files.readAllBytes(Paths.get(f)));
    }

    public static void testRealReadAll() { readAll(BAD); }

    public static void testReadAll() throws IOException { readAll(file().getPath()); }

    static void writeStream(String f) {
        attempt(f, () -> {
            try (FileOutputStream out = new FileOutputStream(f)) {
                out.write(new byte[10]);
            }
        });
    }

    public static void testRealWriteStream() { writeStream(FULL); }

    public static void testWriteStream() throws IOException { writeStream(file().getPath()); }

    static void writeRandom(String f) {
        attempt(f, () -> {
            try (RandomAccessFile out = new RandomAccessFile(f, "rw")) {
                out.write(1);
            }
        });
    }

    public static void testRealWriteRandom() { writeRandom(FULL); }

    public static void testWriteRandom() throws IOException { writeRandom(file().getPath()); }

    static void writeChannel(String f) {
        attempt(f, () -> {
            try (FileChannel out = FileChannel.open(Paths.get(f), StandardOpenOption.WRITE)) {
                out.write(ByteBuffer.allocate(10));
            }
        });
    }

    public static void testRealWriteChannel() { writeChannel(FULL); }

    public static void testWriteChannel() throws IOException { writeChannel(file().getPath()); }

    static void open(String f) {
        attempt(f, () -> new FileInputStream(f).close());
    }

    public static void testRealOpen() { open(NONE); }

    public static void testOpen() throws IOException { open(file().getPath()); }

    static void openPath(String f) {
        attempt(f, () -> Files.newInputStream(Paths.get(f)).close());
    }

    public static void testRealOpenPath() { openPath(NONE); }

    public static void testOpenPath() throws IOException { openPath(file().getPath()); }

    static void create(String f) {
        attempt(f, () -> new FileOutputStream(f).close());
    }

    /** The JVM of this test may not write there. */
    public static void testRealCreate() { create(System.getProperty("forbidden")); }

    public static void testCreate() throws IOException { create(file().getPath()); }

    static void createPath(String f) {
        attempt(f, () -> Files.newOutputStream(Paths.get(f)).close());
    }

    public static void testRealCreatePath() { createPath(System.getProperty("forbidden")); }

    public static void testCreatePath() throws IOException { createPath(file().getPath()); }

    static void createTemp(String folder) {
        attempt(folder, () -> File.createTempFile("known", ".txt", new File(folder)));
    }

    public static void testRealCreateTemp() { createTemp(NONE); }

    public static void testCreateTemp() throws IOException { createTemp(file().getParent()); }

    static void createNew(String f) {
        attempt(f, () -> new File(f).createNewFile());
    }

    public static void testRealCreateNew() { createNew(NONE); }

    public static void testCreateNew() throws IOException { createNew(file().getPath() + ".new"); }

    static void move(String f) {
        attempt(f, () -> Files.move(Paths.get(f), Paths.get(f + ".moved")));
    }

    public static void testRealMove() { move(NONE); }

    public static void testMove() throws IOException { move(file().getPath()); }

    static void sync(String f) {
        attempt(f, () -> {
            try (FileOutputStream out = new FileOutputStream(f)) {
                out.getFD().sync();
            }
        });
    }

    public static void testRealSync() { sync("/dev/null"); }

    public static void testSync() throws IOException { sync(file().getPath()); }

    static void start(String f) {
        attempt(f, () -> new ProcessBuilder(f).start().waitFor());
    }

    public static void testRealStart() { start(NONE); }

    public static void testStart() { start("/bin/true"); }

    /** A file that is there and no program. */
    public static void testRealStartForbidden() { start("/etc/passwd"); }

    public static void testStartForbidden() { start("/bin/true"); }

    static void writeProcess(String... command) throws Exception {
        Process p = new ProcessBuilder(command).start();
        try {
            p.getInputStream().read();
            attempt(null, () -> {
                p.getOutputStream().write(new byte[10]);
                p.getOutputStream().flush();
            });
        } finally {
            p.destroy();
        }
    }

    /** A process that no longer reads. */
    public static void testRealWriteProcess() throws Exception { writeProcess("sh", "-c", "exec 0<&-; echo; exec sleep 30"); }

    public static void testWriteProcess() throws Exception { writeProcess("sh", "-c", "echo; exec cat"); }

    public static void testReadProcess() throws Exception {
        Process p = new ProcessBuilder("sh", "-c", "echo; exec sleep 30").start();
        attempt(null, () -> p.getInputStream().read(new byte[10]));
        p.destroy();
    }

    static void waitFor(boolean interrupted) throws Exception {
        Process p = new ProcessBuilder("sleep", "30").start();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        attempt(null, p::waitFor);
        p.destroy();
    }

    public static void testRealWaitFor() throws Exception { waitFor(true); }

    public static void testWaitFor() throws Exception { waitFor(false); }

    static void connect(int port) {
        attempt(null, () -> new Socket(InetAddress.getLoopbackAddress(), port).close());
    }

    private static int closedPort() throws IOException {
        try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return s.getLocalPort();
        }
    }

    public static void testRealConnect() throws IOException { connect(closedPort()); }

    public static void testConnect() throws IOException {
        try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            connect(s.getLocalPort());
        }
    }

    static void connectTimed(int port) {
        attempt(null, () -> {
            try (Socket s = new Socket()) {
                s.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 20000);
            }
        });
    }

    public static void testRealConnectTimed() throws IOException { connectTimed(closedPort()); }

    public static void testConnectTimed() throws IOException {
        try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            connectTimed(s.getLocalPort());
        }
    }

    static void connectChannel(int port) {
        attempt(null, () -> SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)).close());
    }

    public static void testRealConnectChannel() throws IOException { connectChannel(closedPort()); }

    public static void testConnectChannel() throws IOException {
        try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            connectChannel(s.getLocalPort());
        }
    }

    interface Use {
        void of(Socket s) throws Exception;
    }

    /** A connection whose peer resets it, closes it, or does neither. */
    static void connected(String peer, Use use) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket s = new Socket(server.getInetAddress(), server.getLocalPort()); Socket other = server.accept()) {
            if (peer.equals("resets")) {
                other.setSoLinger(true, 0);
                other.close();
            } else if (peer.equals("closes")) {
                other.close();
            } else if (!peer.equals("is silent")) {
                other.getOutputStream().write(new byte[100]);
            }
            attempt(null, () -> use.of(s));
        }
    }

    static void readSocket(Socket s) throws IOException { s.getInputStream().read(new byte[10]); }

    public static void testRealReset() throws Exception { connected("resets", Known::readSocket); }

    public static void testReset() throws Exception { connected("is well", Known::readSocket); }

    /** Waits for a connection, or for a byte of one, which come after a while, or as soon as nobody waits any more. */
    public static void testAcceptLate() throws Exception { late(true, 200); }

    public static void testReadLate() throws Exception { late(false, 200); }

    public static void testAcceptWoken() throws Exception { late(true, 20000); }

    public static void testReadWoken() throws Exception { late(false, 20000); }

    private static void late(boolean accepts, int millis) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); Socket s = new Socket()) {
            CountDownLatch waited = new CountDownLatch(1);
            Thread peer = new Thread(() -> {
                try {
                    if (!accepts) {
                        s.connect(server.getLocalSocketAddress());
                    }
                    waited.await(millis, TimeUnit.MILLISECONDS);
                    if (accepts) {
                        s.connect(server.getLocalSocketAddress());
                    } else {
                        s.getOutputStream().write(1);
                    }
                } catch (Exception e) {
                    System.out.println("the peer: " + e);
                }
            });
            peer.start();
            if (accepts) {
                attempt(null, () -> server.accept().close());
                waited.countDown();
            } else {
                try (Socket other = server.accept()) {
                    attempt(null, () -> other.getInputStream().read());
                    waited.countDown();
                }
            }
            peer.join();
        }
    }

    static void readTimed(Socket s, int millis) throws IOException {
        s.setSoTimeout(millis);
        s.getInputStream().read(new byte[10]);
    }

    public static void testRealReadTimed() throws Exception { connected("is silent", s -> readTimed(s, 1)); }

    public static void testReadTimed() throws Exception { connected("is well", s -> readTimed(s, 60_000)); }

    static void readSocketChannel(boolean resets) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SocketChannel s = SocketChannel.open(server.getLocalSocketAddress()); Socket other = server.accept()) {
            if (resets) {
                other.setSoLinger(true, 0);
                other.close();
            } else {
                other.getOutputStream().write(new byte[100]);
            }
            attempt(null, () -> s.read(ByteBuffer.allocate(10)));
        }
    }

    public static void testRealReadSocketChannel() throws Exception { readSocketChannel(true); }

    public static void testReadSocketChannel() throws Exception { readSocketChannel(false); }

    static void readGzip(String f) {
        attempt(f, () -> {
            try (FileInputStream in = new FileInputStream(f)) {
                new java.util.zip.GZIPInputStream(in).close();
            }
        });
    }

    public static void testRealReadGzip() { readGzip(BAD); }

    public static void testReadGzip() throws IOException { readGzip(file().getPath()); }

    static void openURL(int port) {
        attempt(null, () -> new java.net.URL("http://127.0.0.1:" + port + "/").openConnection(java.net.Proxy.NO_PROXY).connect());
    }

    public static void testRealOpenURL() throws IOException { openURL(closedPort()); }

    public static void testOpenURL() throws IOException {
        try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            openURL(s.getLocalPort());
        }
    }

    private static Object invoke(String type, String method, Class<?>[] types, Object on, Object... arguments) throws Exception {
        return Class.forName("java.net.http." + type).getMethod(method, types).invoke(on, arguments);
    }

    /** As of JDK 11: by reflection, since this is compiled for Java 8. */
    static void http(String host, int port) throws Exception {
        Object client = invoke("HttpClient", "newHttpClient", new Class<?>[0], null);
        Object builder = invoke("HttpRequest", "newBuilder", new Class<?>[] {java.net.URI.class}, null, java.net.URI.create("http://" + host + ":" + port + "/"));
        Object request = invoke("HttpRequest$Builder", "build", new Class<?>[0], builder);
        Object handler = invoke("HttpResponse$BodyHandlers", "ofString", new Class<?>[0], null);
        java.lang.reflect.Method send = Class.forName("java.net.http.HttpClient")
                .getMethod("send", Class.forName("java.net.http.HttpRequest"), Class.forName("java.net.http.HttpResponse$BodyHandler"));
        attempt(null, () -> {
            try {
                send.invoke(client, request, handler);
            } catch (java.lang.reflect.InvocationTargetException e) {
                throw (Exception) e.getCause();
            }
        });
    }

    public static void testRealHttpConnect() throws Exception { http("127.0.0.1", closedPort()); }

    public static void testHttpConnect() throws Exception {
        try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            http("127.0.0.1", s.getLocalPort());
        }
    }

    /**
     * A server that resets each connection when it has begun to read the request, or answers it and never
     * reads: a fault at reads is about the client's.
     */
    static void httpServed(boolean resets) throws Exception {
        java.util.List<Socket> open = new java.util.ArrayList<>();
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Thread t = new Thread(() -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    open.add(s);
                    if (resets) {
                        s.getInputStream().read();
                        s.setSoLinger(true, 0);
                        s.close();
                    } else {
                        s.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes("US-ASCII"));
                    }
                }
            } catch (IOException e) {
                return; // it is closed
            }
        });
        t.start();
        http("127.0.0.1", server.getLocalPort());
        server.close();
        t.join();
        for (Socket s : open) {
            s.close();
        }
    }

    public static void testRealHttpReset() throws Exception { httpServed(true); }

    public static void testHttpReset() throws Exception { httpServed(false); }

    public static void testRealHttpResolve() throws Exception { http("no-such-server.invalid", 80); }

    public static void testHttpResolve() throws Exception { http("no-such-server-either.invalid", 80); }

    static void writeSocket(Socket s) throws IOException {
        for (int i = 0; i < 100; i++) {
            s.getOutputStream().write(new byte[10]);
        }
    }

    public static void testRealPipe() throws Exception { connected("closes", Known::writeSocket); }

    public static void testPipe() throws Exception { connected("is well", Known::writeSocket); }

    static void resolve(String name) {
        attempt(name, () -> InetAddress.getByName(name));
    }

    public static void testRealResolve() { resolve("no-such-host.invalid"); }

    public static void testResolve() { resolve("no-such-host-either.invalid"); }

    static void sleep(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        attempt(null, () -> Thread.sleep(1));
    }

    public static void testRealSleep() { sleep(true); }

    public static void testSleep() { sleep(false); }
}
