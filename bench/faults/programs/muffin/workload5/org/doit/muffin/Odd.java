package org.doit.muffin;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.net.URLStreamHandlerFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Streams as a protocol or a plug-in of a user's own may give them: one after the other, from files, archives and
 * connections, also from a connection that another thread writes to all the while. A URL of the protocol odd names one.
 */
public final class Odd extends URLStreamHandler implements URLStreamHandlerFactory {
    /** Opens a stream. */
    public interface Opening {
        InputStream open() throws IOException;
    }

    private static final Map<String, Opening> NAMED = new ConcurrentHashMap<>();
    private static final AtomicInteger NAMES = new AtomicInteger();

    /** What the filter Supplying answers with. */
    public static volatile Opening supplied;

    static {
        URL.setURLStreamHandlerFactory(new Odd());
    }

    private Odd() {
    }

    /** The address at which a stream is opened. */
    public static String address(Opening o) {
        String name = "/" + NAMES.incrementAndGet();
        NAMED.put(name, o);
        return "odd:" + name;
    }

    @Override
    public URLStreamHandler createURLStreamHandler(String protocol) {
        return protocol.equals("odd") ? this : null;
    }

    @Override
    protected URLConnection openConnection(URL url) {
        return new URLConnection(url) {
            @Override
            public void connect() {
            }

            @Override
            public InputStream getInputStream() throws IOException {
                return NAMED.get(url.getPath()).open();
            }
        };
    }

    // ---- streams ----

    static byte[] bytes(String s) {
        return s.getBytes(StandardCharsets.ISO_8859_1);
    }

    public static InputStream text(String s) {
        return new ByteArrayInputStream(bytes(s));
    }

    /** One after the other; each is closed at its end. */
    public static InputStream after(InputStream... parts) {
        return new SequenceInputStream(Collections.enumeration(Arrays.asList(parts)));
    }

    private static Path written(Path folder, byte[] content) throws IOException {
        return Files.write(Files.createTempFile(folder, "odd", ""), content);
    }

    public static InputStream file(Path folder, String content) throws IOException {
        return new FileInputStream(written(folder, bytes(content)).toFile());
    }

    public static InputStream buffered(InputStream in) {
        return new BufferedInputStream(in);
    }

    static byte[] packed(String content) throws IOException {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(all)) {
            out.write(bytes(content));
        }
        return all.toByteArray();
    }

    /** A packed file, which is read as it is needed. */
    public static InputStream packedFile(Path folder, String content) throws IOException {
        return new FileInputStream(written(folder, packed(content)).toFile());
    }

    /** A part of an archive that is not packed. */
    public static InputStream entry(Path folder, String content) throws IOException {
        ZipEntry e = new ZipEntry("file");
        CRC32 crc = new CRC32();
        crc.update(bytes(content));
        e.setMethod(ZipEntry.STORED);
        e.setSize(content.length());
        e.setCrc(crc.getValue());
        Path jar = Files.createTempFile(folder, "odd", ".jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(e);
            zip.write(bytes(content));
        }
        return new URL("jar:" + jar.toUri() + "!/file").openStream();
    }

    /** A connection whose other end says something and no more, after a while, and takes nothing. */
    static Socket connected(byte[] content, int after) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Socket here = new Socket(listener.getInetAddress(), listener.getLocalPort());
            Socket there = listener.accept();
            Thread t = new Thread(() -> {
                try {
                    Thread.sleep(after);
                    there.getOutputStream().write(content);
                    there.shutdownOutput();
                    Thread.sleep(20000);
                    there.close();
                } catch (IOException | InterruptedException gone) {
                    return;
                }
            }, "other end");
            t.setDaemon(true);
            t.start();
            return here;
        }
    }

    public static InputStream connection(byte[] content) throws IOException {
        return connected(content, 0).getInputStream();
    }

    /** The stream of a connection that another thread writes to, and waits until it is taken. */
    static InputStream written(Socket s) throws IOException {
        OutputStream out = s.getOutputStream();
        Thread t = new Thread(() -> {
            try {
                while (true) {
                    out.write(new byte[1 << 16]);
                }
            } catch (IOException closed) {
                return;
            }
        }, "writer");
        t.setDaemon(true);
        t.start();
        Delivered.pause(150);
        return s.getInputStream();
    }

    public static InputStream busy(String content) throws IOException {
        return written(connected(bytes(content), 0));
    }
}
