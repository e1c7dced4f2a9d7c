package org.doit.muffin;

import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.zip.GZIPOutputStream;
import org.doit.util.ThreadPool;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * What a browser does through Muffin, over the loopback interface: pages of a web server next
 * door, with filters and without, its administration, and a tunnel. Main needs a display, so
 * this makes the parts as Main does.
 */
public class MuffinWorkload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private final Origin origin = new Origin();
    private Server server;

    /** A web server that knows a few pages. */
    private static class Origin extends Thread {
        final ServerSocket listener;

        Origin() {
            try {
                listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            setDaemon(true);
        }

        @Override
        public void run() {
            while (!listener.isClosed()) {
                try (Socket s = listener.accept()) {
                    s.setSoTimeout(3000);
                    answer(s);
                } catch (IOException e) {
                    continue;
                }
            }
        }

        private void answer(Socket s) throws IOException {
            String head = head(s.getInputStream());
            OutputStream out = s.getOutputStream();
            String page = "<html><head><title>t</title></head><body bgcolor=white><font size=2>hello</font> <a href=x>x</a>"
                    + "<script>alert(1)</script><img src=ad.gif></body></html>";
            if (head.contains("/packed")) {
                ByteArrayOutputStream packed = new ByteArrayOutputStream();
                try (GZIPOutputStream gz = new GZIPOutputStream(packed)) {
                    gz.write(page.getBytes());
                }
                write(out, "HTTP/1.0 200 OK\r\nContent-type: text/html\r\nContent-Encoding: gzip\r\nContent-length: " + packed.size() + "\r\n\r\n");
                packed.writeTo(out);
            } else if (head.contains("/chunked")) {
                write(out, "HTTP/1.1 200 OK\r\nContent-type: text/plain\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
            } else if (head.contains("/old")) {
                write(out, page);
            } else if (head.contains("/empty")) {
                write(out, "HTTP/1.0 304 Not Modified\r\nServer: origin\r\n\r\n");
            } else if (head.contains("/twice")) {
                write(out, "HTTP/1.1 200 OK\r\nContent-type: text/plain\r\nContent-length: 3\r\n\r\none");
            } else if (head.contains("/picture")) {
                write(out, "HTTP/1.0 200 OK\r\nContent-type: image/gif\r\nContent-length: 20000\r\n\r\n");
                out.write(new byte[20000]);
            } else {
                write(out, "HTTP/1.0 200 OK\r\nContent-type: text/html\r\nSet-Cookie: a=b\r\nContent-length: " + page.length() + "\r\n\r\n" + page);
            }
            out.flush();
        }
    }

    @Before
    public void start() throws IOException {
        origin.start();
        File home = folder.newFolder("home");
        Files.write(new File(home, "autoconfig").toPath(), (".*/other/.* other.conf\n").getBytes());
        Files.write(new File(home, "other.conf").toPath(), "FilterManager.enabledFilters=Decaf,NoCode\nDecaf.noJavaScript=true\n".getBytes());
        Files.write(new File(home, "default.conf").toPath(), "FilterManager.enabledFilters=\n".getBytes());
        Files.write(new File(home, "muffin.props").toPath(), "muffin.readTimeout=3000\nmuffin.noWindow=true\n".getBytes());
        Files.write(new File(home, "glossary").toPath(), "hello http://localhost/hello\n".getBytes());
        Files.write(new File(home, "killfile").toPath(), "kill http://ads/.*\n".getBytes());
        Main.configs = new Configuration();
        Main.configs.setUserDirectory(home.getPath() + "/");
        Main.configs.checkUserDirectory();
        Main.configs.scan();
        Main.configs.setDefault("default.conf");
        Main.configs.setCurrent("default.conf");
        Main.options = new Options("muffin.props");
        Main.options.putInteger("muffin.port", 0);
        Main.options.putString("muffin.bindaddress", "127.0.0.1");
        Main.options.sync();
        Main.logfile = new LogFile(new File(home, "muffin.log").getPath());
        Main.configs.setAutoConfigFile("autoconfig");
        Main.configs.load();
        Main.pool = new ThreadPool("Muffin Threads");
        Main.manager = new FilterManager(Main.options, Main.configs);
        server = new Server(0, new TextMonitor("workload"), Main.manager, Main.options);
        Main.options.putInteger("muffin.port", server.server.getLocalPort());
        Thread t = new Thread(() -> {
            try {
                server.run();
            } catch (RuntimeException stopped) {
                return;
            }
        });
        t.setDaemon(true);
        t.start();
    }

    @After
    public void stop() throws IOException {
        Main.manager.disableAll();
        ServerSocket s = server.server;
        server.server = null; // its loop ends
        s.close();
        origin.listener.close();
    }

    @Test
    public void aPage() throws IOException {
        assertTrue(get("/page.html").contains("hello"));
    }

    @Test
    public void aPicture() throws IOException {
        assertTrue(get("/picture.gif").length() > 20000);
    }

    @Test
    public void aPageOfOldServers() throws IOException {
        assertTrue(get("/old.html").contains("hello"));
    }

    @Test
    public void aPageInChunks() throws IOException {
        assertTrue(get("/chunked").endsWith("hello"));
    }

    @Test
    public void aPageThatHasNotChanged() throws IOException {
        assertTrue(get("/empty").contains("304"));
    }

    @Test
    public void aPageTwice() throws IOException {
        assertTrue(get("/twice").endsWith("one"));
        assertTrue(get("/twice").endsWith("one"));
    }

    @Test
    public void aFilteredPage() throws IOException {
        assertTrue(get("/other/page.html").contains("hello"));
    }

    @Test
    public void aFilteredPackedPage() throws IOException {
        assertTrue(get("/other/packed.html").contains("hello"));
    }

    @Test
    public void aPageWithManyFilters() throws IOException {
        for (String f : new String[] {"AnimationKiller", "CookieMonster", "EmptyFont", "ForwardedFor", "Painter", "Referer", "SecretAgent", "Stats", "Rewrite",
                "NoThanks", "Glossary"}) {
            Main.manager.enable(f);
        }
        assertTrue(get("/page.html").contains("hello"));
        Main.manager.save();
        assertTrue(get("/picture.gif").length() > 20000);
    }

    @Test
    public void aForm() throws IOException {
        String body = "name=value";
        assertTrue(exchange("POST " + url("/form") + " HTTP/1.0\r\nContent-length: " + body.length() + "\r\n\r\n" + body).contains("hello"));
    }

    @Test
    public void theAdministration() throws IOException {
        String self = "http://" + Main.getMuffinHost() + ":" + Main.options.getString("muffin.port");
        for (String path : new String[] {"/", "/admin/configs", "/admin/connections", "/admin/vm", "/admin/filters?config=other.conf", "/nothing"}) {
            assertTrue(exchange("GET " + path + " HTTP/1.0\r\n\r\n").length() > 0);
        }
        String body = "text=.*/third/.* third.conf";
        exchange("POST /admin/autoConfig HTTP/1.0\r\nContent-length: " + body.length() + "\r\n\r\n" + body);
        assertTrue(self, self.startsWith("http://"));
    }

    @Test
    public void aTunnel() throws IOException {
        try (Socket s = connect()) {
            write(s.getOutputStream(), "CONNECT 127.0.0.1:" + origin.listener.getLocalPort() + " HTTP/1.0\r\n\r\n");
            assertTrue(head(s.getInputStream()).contains("200"));
            write(s.getOutputStream(), "GET /page.html HTTP/1.0\r\n\r\n");
            assertTrue(rest(s).contains("hello"));
        }
    }

    @Test
    public void aServerThatIsNotThere() throws IOException {
        int port = origin.listener.getLocalPort();
        origin.listener.close();
        assertTrue(exchange("GET http://127.0.0.1:" + port + "/ HTTP/1.0\r\n\r\n").contains("error"));
    }

    @Test
    public void noOneElse() throws IOException {
        Main.options.putString("muffin.hostsAllow", "10.0.0.1");
        Main.options.sync();
        assertTrue(get("/page.html").contains("403"));
    }

    @Test
    public void aPause() throws IOException {
        assertTrue(get("/page.html").contains("hello")); // it runs
        server.suspend();
        assertTrue(get("/page.html").contains("503"));
        server.resume();
    }

    @Test
    public void preferencesAreKept() throws IOException {
        Main.configs.getUserPrefs("other.conf").putString("a", "b");
        Main.configs.getUserPrefs("other.conf").save();
        Main.options.save();
        Main.configs.rescan();
        Main.configs.setCurrent("default.conf");
        assertTrue(Main.configs.getUserPrefs("other.conf").exists("a"));
    }

    private String url(String path) {
        return "http://127.0.0.1:" + origin.listener.getLocalPort() + path;
    }

    private String get(String path) throws IOException {
        return exchange("GET " + url(path) + " HTTP/1.0\r\nUser-Agent: workload\r\nCookie: a=b\r\n\r\n");
    }

    private Socket connect() throws IOException {
        Socket s = new Socket("127.0.0.1", server.server.getLocalPort());
        s.setSoTimeout(10000);
        return s;
    }

    private String exchange(String request) throws IOException {
        try (Socket s = connect()) {
            write(s.getOutputStream(), request);
            return rest(s);
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    private static String rest(Socket s) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int n; (n = s.getInputStream().read(buffer)) >= 0;) {
            all.write(buffer, 0, n);
        }
        return new String(all.toByteArray(), StandardCharsets.ISO_8859_1);
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0 && head.indexOf("\n\n") < 0) {
            int b = in.read();
            if (b < 0) {
                break;
            }
            head.append((char) b);
        }
        return head.toString();
    }
}
