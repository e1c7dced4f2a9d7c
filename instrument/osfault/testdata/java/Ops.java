import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;

/**
 * Carries out one operation for each line of its standard input and prints one line: "ok" with what the operation
 * gave, or the class and message of the exception that it threw.
 */
public class Ops {
    static final Map<String, InputStream> open = new HashMap<String, InputStream>();
    static final Map<String, Socket> sockets = new HashMap<String, Socket>();

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        for (String line; (line = in.readLine()) != null;) {
            String[] a = line.split(" ");
            String answer;
            try {
                answer = "ok " + run(a);
            } catch (Throwable t) {
                answer = t.getClass().getName() + ": " + t.getMessage();
            }
            out.println(answer.trim().replace('\n', '|'));
        }
    }

    static String run(String[] a) throws Exception {
        switch (a[0]) {
            case "request": // as an application's own tests would
                try (InputStream s = new FileInputStream("/proc/self/catchlens-fault/" + a[1])) {
                    return text(s);
                }
            case "stream-read":
                try (InputStream s = new FileInputStream(a[1])) {
                    return text(s);
                }
            case "random-read":
                try (RandomAccessFile f = new RandomAccessFile(a[1], "r")) {
                    return "" + f.read();
                }
            case "files-read":
                return "" + Files.readAllBytes(Paths.get(a[1])).length;
            case "list":
                try (DirectoryStream<Path> d = Files.newDirectoryStream(Paths.get(a[1]))) {
                    int n = 0;
                    for (Path p : d) {
                        n++;
                    }
                    return "" + n;
                }
            case "channel-pread":
                try (FileChannel c = FileChannel.open(Paths.get(a[1]), StandardOpenOption.READ)) {
                    return "" + c.read(ByteBuffer.allocate(4), 1);
                }
            case "channel-scatter":
                try (FileChannel c = FileChannel.open(Paths.get(a[1]), StandardOpenOption.READ)) {
                    return "" + c.read(new ByteBuffer[] {ByteBuffer.allocate(2), ByteBuffer.allocate(2)});
                }
            case "stream-write":
                try (OutputStream s = new FileOutputStream(a[1])) {
                    s.write("hello".getBytes());
                    return "";
                }
            case "append":
                try (OutputStream s = new FileOutputStream(a[1], true)) {
                    s.write(a[2].getBytes());
                    return "";
                }
            case "buffered-write": { // the fault shows at the flush, here in close
                BufferedWriter w = new BufferedWriter(new FileWriter(a[1]));
                try {
                    w.write("hello");
                } finally {
                    w.close();
                }
                return "";
            }
            case "files-write":
                Files.write(Paths.get(a[1]), "hello".getBytes());
                return "";
            case "channel-force":
                try (FileChannel c = FileChannel.open(Paths.get(a[1]), StandardOpenOption.WRITE)) {
                    c.force(a[2].equals("true"));
                    return "";
                }
            case "fd-sync":
                try (FileOutputStream s = new FileOutputStream(a[1])) {
                    s.getFD().sync();
                    return "";
                }
            case "files-move":
                Files.move(Paths.get(a[1]), Paths.get(a[2]));
                return "";
            case "file-rename":
                return "" + new File(a[1]).renameTo(new File(a[2]));
            case "files-delete":
                Files.delete(Paths.get(a[1]));
                return "";
            case "files-mkdir":
                Files.createDirectory(Paths.get(a[1]));
                return "";
            case "transfer": // sendfile or copy_file_range where the JDK and the system have it
                try (FileChannel from = FileChannel.open(Paths.get(a[1]), StandardOpenOption.READ);
                        FileChannel to = FileChannel.open(Paths.get(a[2]), StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
                    return "" + from.transferTo(0, from.size(), to);
                }
            case "transfer-socket":
                try (FileChannel from = FileChannel.open(Paths.get(a[1]), StandardOpenOption.READ);
                        SocketChannel to = SocketChannel.open(address(a[2]))) {
                    return "" + from.transferTo(0, from.size(), to);
                }
            case "map": { // opened and mapped before the fault, read by "map-read"
                try (FileChannel c = FileChannel.open(Paths.get(a[1]), StandardOpenOption.READ)) {
                    mapped = c.map(FileChannel.MapMode.READ_ONLY, 0, c.size());
                }
                return "";
            }
            case "map-read":
                return "" + mapped.get(0);
            case "open": // kept open, read by "next" through a buffer of a[2] bytes
                open.put(a[1], new BufferedInputStream(new FileInputStream(a[1]), Integer.parseInt(a[2])));
                return "";
            case "next":
                return "" + open.get(a[1]).read();
            case "close":
                open.remove(a[1]).close();
                return "";
            case "exec": // another program, not a JVM
                return exec(a);
            case "connect":
                try (Socket s = new Socket()) {
                    s.connect(address(a[1]), Integer.parseInt(a[2]));
                    return "";
                }
            case "connect-channel":
                try (SocketChannel c = SocketChannel.open(address(a[1]))) {
                    return "";
                }
            case "dial": {
                Socket s = new Socket();
                s.connect(address(a[1]));
                sockets.put(a[1], s);
                return "";
            }
            case "receive": {
                Socket s = sockets.get(a[1]);
                s.setSoTimeout(Integer.parseInt(a[2]));
                return "" + s.getInputStream().read();
            }
            case "send":
                sockets.get(a[1]).getOutputStream().write(a[2].getBytes());
                return "";
            case "hang-up":
                sockets.remove(a[1]).close();
                return "";
            case "half-close":
                sockets.get(a[1]).shutdownOutput();
                return "";
            case "channel-io":
                try (SocketChannel c = SocketChannel.open(address(a[1]))) {
                    if (a[2].equals("write")) {
                        return "" + c.write(ByteBuffer.wrap("hello".getBytes()));
                    }
                    return "" + c.read(ByteBuffer.allocate(10));
                }
            case "datagram":
                try (DatagramSocket s = new DatagramSocket()) {
                    s.send(new DatagramPacket(new byte[] {1}, 1, address(a[1])));
                    return "";
                }
            case "accept":
                try (ServerSocket s = new ServerSocket(Integer.parseInt(a[1]), 5, InetAddress.getByName("127.0.0.1"))) {
                    s.setSoTimeout(200);
                    s.accept().close();
                    return "";
                }
            case "two-threads": { // the same read on two threads, at once for neither
                final String path = a[1];
                final String[] other = {null};
                Thread t = new Thread(() -> other[0] = outcome(path));
                String mine = outcome(path);
                t.start();
                t.join();
                return mine + " and " + other[0];
            }
            case "loop": { // reads the file n times, and says at which it failed
                int n = Integer.parseInt(a[2]);
                StringBuilder failed = new StringBuilder();
                for (int i = 0; i < n; i++) {
                    try (RandomAccessFile f = new RandomAccessFile(a[1], "r")) {
                        f.read();
                    } catch (IOException e) {
                        failed.append(i).append(' ');
                    }
                }
                return failed.toString();
            }
            case "batch": // a[2] rounds of writing a[1] + the round to each of the targets; says which failed
                return batch(a);
            default:
                throw new IllegalArgumentException(a[0]);
        }
    }

    static String batch(String[] a) {
        StringBuilder failed = new StringBuilder();
        for (int round = 0; round < Integer.parseInt(a[2]); round++) {
            for (int i = 3; i < a.length; i++) {
                byte[] token = (a[1] + "." + round + ";").getBytes(StandardCharsets.UTF_8);
                try {
                    if (!a[i].startsWith("/")) {
                        sockets.get(a[i]).getOutputStream().write(token);
                        continue;
                    }
                    try (OutputStream s = new FileOutputStream(a[i], true)) {
                        s.write(token);
                    }
                } catch (IOException e) {
                    failed.append(a[i]).append(' ').append(round).append(' ').append(e.getMessage());
                }
            }
        }
        return failed.toString();
    }

    static MappedByteBuffer mapped;

    static String outcome(String path) {
        try (InputStream s = new FileInputStream(path)) {
            return "" + s.read();
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    static String exec(String[] a) throws Exception {
        Process p = new ProcessBuilder(Arrays.asList(a).subList(1, a.length)).redirectErrorStream(true).start();
        String said = text(p.getInputStream());
        return p.waitFor() + " " + said;
    }

    static InetSocketAddress address(String s) {
        int i = s.lastIndexOf(':');
        return new InetSocketAddress(s.substring(0, i), Integer.parseInt(s.substring(i + 1)));
    }

    static String text(InputStream s) throws IOException {
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        byte[] buffer = new byte[1000];
        for (int n; (n = s.read(buffer)) > 0;) {
            b.write(buffer, 0, n);
        }
        return new String(b.toByteArray(), StandardCharsets.UTF_8);
    }
}
