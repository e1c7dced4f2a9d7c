package org.doit.muffin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import gnu.regexp.RE;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.ResolverListener;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.Type;
import sdsu.util.SimpleTokenizer;
import sdsu.util.TokenCharacters;
import served.Packaged;

/**
 * Workload 3 of Muffin: what its first two leave open, by what catchlens says of the links that they do not
 * cover. Its own pictures and texts, from folders and from its jar; requests and answers in parts; settings that are
 * wrong; logs that grow; servers of names by TCP.
 */
public class Muffin3Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private static final String PAGE = "<html><head><title>t</title></head><body bgcolor=white><font size=2>hello</font></body></html>";

    private Path root() {
        return folder.getRoot().toPath();
    }

    // ---- its own files ----

    @Test
    public void itsPictureAndTexts() throws IOException {
        assertTrue(Delivered.ask(folder.newFolder("home"), "", "/images/muffin.jpg", "/doc/filter/Glossary.txt").contains("200 Ok"));
    }

    /** What it says of itself goes through filters, too, from class path entries of a loader of its own. */
    private void delivered(URL... path) throws Exception {
        URL tests = Muffin3Workload.class.getProtectionDomain().getCodeSource().getLocation();
        URL[] all = Arrays.copyOf(path, path.length + 1);
        all[path.length] = tests;
        try (URLClassLoader loader = new URLClassLoader(all, ClassLoader.getSystemClassLoader().getParent())) {
            Class<?> d = Class.forName("org.doit.muffin.Delivered", true, loader);
            Object said = d.getMethod("ask", File.class, String.class, String[].class)
                    .invoke(null, folder.newFolder("home"), "Passing", new String[] {"/images/muffin.jpg", "/doc/more.html"});
            assertTrue(((String) said).contains("hello"));
        }
    }

    @Test
    public void itsFilesInFolders() throws Exception {
        Path doc = Files.createDirectories(root().resolve("more/doc"));
        Files.write(doc.resolve("more.html"), PAGE.getBytes());
        delivered(Main.class.getProtectionDomain().getCodeSource().getLocation(), root().resolve("more").toUri().toURL());
    }

    @Test
    public void itsFilesInTheJar() throws Exception {
        delivered(Packaged.jar(root().resolve("muffin.jar"), Main.class, "doc/more.html", PAGE.getBytes()).toUri().toURL());
    }

    // ---- requests and answers ----

    private static String packed() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(all)) {
            out.write(PAGE.getBytes());
        }
        return all.toString("ISO-8859-1");
    }

    private void answered(String filters, boolean content, String... parts) throws IOException {
        try (Slow origin = new Slow(parts)) {
            String said = Delivered.ask(folder.newFolder("home"), filters, "http://127.0.0.1:" + origin.port() + "/page");
            assertEquals(said, content, said.contains("hello"));
        }
    }

    @Test
    public void aPackedPage() throws IOException {
        answered("", true, "HTTP/1.0 200 OK\r\nContent-type: text/html\r\nContent-Encoding: gzip\r\nConnection: close\r\nContent-length: " + packed().length()
                + "\r\n\r\n", packed());
    }

    @Test
    public void aPackedPageThroughAFilter() throws IOException {
        answered("Painter", true, "HTTP/1.0 200 OK\r\nContent-type: text/html\r\nContent-Encoding: gzip\r\nConnection: close\r\nContent-length: "
                + packed().length() + "\r\n\r\n", packed());
    }

    @Test
    public void aScriptThroughAFilter() throws IOException {
        answered("Passing", true, "HTTP/1.0 200 OK\r\nContent-type: application/x-javascript\r\nContent-length: 19\r\n\r\n", "// hello", " to you all");
    }

    @Test
    public void aFormInParts() throws IOException {
        try (Slow origin = new Slow("HTTP/1.0 200 OK\r\nContent-length: 5\r\n\r\nhello"); Delivered d = new Delivered(folder.newFolder("home"), "")) {
            assertTrue(d.exchange("POST http://127.0.0.1:" + origin.port() + "/form HTTP/1.0\r\nContent-length: 10\r\n\r\n", "name=", "value").contains("hello"));
        }
    }

    /** After a while the address of this machine is asked for anew. */
    @Test
    public void aTunnelToThisMachine() throws IOException {
        try (Slow origin = new Slow("HTTP/1.0 200 OK\r\n\r\nhello"); Delivered d = new Delivered(folder.newFolder("home"), "")) {
            Delivered.pause(5200);
            try (Socket s = new Socket("127.0.0.1", d.server.server.getLocalPort())) {
                s.setSoTimeout(10000);
                s.getOutputStream().write(("CONNECT 0.0.0.0:" + origin.port() + " HTTP/1.0\r\n\r\n").getBytes());
                assertEquals('H', s.getInputStream().read());
            }
        }
    }

    @Test
    public void logsThatGrow() throws IOException {
        File home = folder.newFolder("home");
        assertFalse(Delivered.ask(home, "", "/", "/admin/vm", "/", "/nothing", "/").isEmpty());
        assertTrue(new File(home, "muffin.log.1.gz").exists());
    }

    @Test
    public void aServerAtAName() throws IOException {
        try (Delivered d = new Delivered(folder.newFolder("home"), "")) {
            Main.options.putString("muffin.bindaddress", "localhost");
            Server second = new Server(0, new TextMonitor("second"), Main.manager, Main.options);
            second.server.close();
        }
    }

    // ---- settings ----

    private interface Use {
        void of(String location) throws Exception;
    }

    /** In a folder, and at an address that gives its answer in parts and keeps the connection. */
    private void each(String content, Use use) throws Exception {
        use.of(Files.write(root().resolve("file"), content.getBytes()).toString());
        try (Slow s = Slow.file(content)) {
            use.of("http://0.0.0.0:" + s.port() + "/file");
        }
    }

    /** A first line, and more than is read at once. */
    private static String commented(String first) {
        StringBuilder text = new StringBuilder(first);
        for (int i = 0; i < 2000; i++) {
            text.append("# nothing\n");
        }
        return text.toString();
    }

    @Test
    public void autoConfigurations() throws Exception {
        for (String content : new String[] {".*/other/.* other.conf\n", commented("[ other.conf\n")}) {
            each(content, location -> {
                Configuration c = new Configuration();
                c.setAutoConfigFile(location);
                c.load();
            });
        }
    }

    @Test
    public void preferences() throws Exception {
        each("a=b\n", location -> {
            UserPrefs p = new UserPrefs(location);
            p.load();
            assertEquals("b", p.getString("a"));
        });
    }

    @Test
    public void aShortStreamIsSearched() throws Exception {
        RE re = new RE("text");
        try (Slow s = Slow.file("some text")) {
            try (InputStream in = new URL("http://127.0.0.1:" + s.port() + "/file").openStream()) {
                assertTrue(re.getMatch(in) != null);
            }
        }
    }

    @Test
    public void aStreamOfAJarIsSearched() throws Exception {
        byte[] text = commented("").concat("some text").getBytes();
        ZipEntry e = new ZipEntry("file");
        CRC32 crc = new CRC32();
        crc.update(text);
        e.setMethod(ZipEntry.STORED);
        e.setSize(text.length);
        e.setCrc(crc.getValue());
        Path jar = root().resolve("file.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(e);
            zip.write(text);
        }
        RE re = new RE("(# nothing\n)+some");
        try (InputStream in = new URL("jar:" + jar.toUri() + "!/file").openStream()) {
            re.getMatch(in);
        }
    }

    @Test
    public void tokensUpToTheEnd() throws Exception {
        Path file = Files.write(root().resolve("file"), "some words".getBytes());
        for (URL location : new URL[] {null, file.toUri().toURL()}) {
            try (InputStream in = location == null ? new java.io.FileInputStream(file.toFile()) : location.openStream()) {
                SimpleTokenizer words = new SimpleTokenizer(in, new TokenCharacters("", "#", '"', '"', " \n"));
                while (words.hasMoreTokens()) {
                    assertFalse(words.nextToken().isEmpty());
                }
            }
        }
    }

    // ---- names ----

    @Test
    public void aServerOfNamesThatHasAName() {
        MuffinResolver.init(new String[] {"localhost"});
        MuffinResolver.init(null);
    }

    /** A name is asked for by TCP, at an address of this machine; whoever asks gets the question back, as an answer. */
    @Test
    public void aNameIsAskedForByTcp() throws Exception {
        try (ServerSocket listener = new ServerSocket(0)) {
            Thread t = new Thread(() -> {
                try {
                    while (true) {
                        try (Socket s = listener.accept()) {
                            DataInputStream in = new DataInputStream(s.getInputStream());
                            byte[] message = new byte[in.readUnsignedShort()];
                            in.readFully(message);
                            message[2] |= (byte) 0x80;
                            DataOutputStream out = new DataOutputStream(s.getOutputStream());
                            out.writeShort(message.length);
                            out.write(message);
                        }
                    }
                } catch (IOException closed) {
                    return;
                }
            });
            t.setDaemon(true);
            t.start();
            SimpleResolver r = new SimpleResolver("0.0.0.0");
            r.setPort(listener.getLocalPort());
            r.setTCP(true);
            r.setTimeout(3);
            CountDownLatch done = new CountDownLatch(1);
            r.sendAsync(Message.newQuery(Record.newRecord(new Name("host.example."), Type.A, DClass.IN)), new ResolverListener() {
                @Override
                public void receiveMessage(Object id, Message m) {
                    done.countDown();
                }

                @Override
                public void handleException(Object id, Exception e) {
                    done.countDown();
                }
            });
            assertTrue(done.await(10, TimeUnit.SECONDS));
        }
    }
}
