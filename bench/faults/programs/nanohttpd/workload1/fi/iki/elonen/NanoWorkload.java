package fi.iki.elonen;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * Typical exchanges with NanoHTTPD's file server and with an application on top of it, through
 * real files and real connections on the loopback interface.
 */
public class NanoWorkload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private NanoHTTPD files, application;

    private byte[] picture;

    /** Answers what it is sent: forms, uploads and bodies of PUT. */
    private static class Application extends NanoHTTPD {
        Application() {
            super("127.0.0.1", 0);
        }

        @Override
        public Response serve(IHTTPSession session) {
            Map<String, String> parts = new HashMap<>();
            try {
                session.parseBody(parts);
                StringBuilder answer = new StringBuilder(session.getMethod() + " " + session.getUri());
                for (Map.Entry<String, String> e : session.getParms().entrySet()) {
                    answer.append(' ').append(e.getKey()).append('=').append(e.getValue());
                }
                for (String part : parts.values()) {
                    File f = new File(part);
                    answer.append(" part of ").append(f.isFile() ? f.length() : part.length());
                }
                if (session.getUri().equals("/stream")) {
                    return newChunkedResponse(Response.Status.OK, MIME_PLAINTEXT, new ByteArrayInputStream(new byte[5000]));
                }
                session.getCookies().set("seen", "yes", 1);
                return newFixedLengthResponse(answer.toString());
            } catch (ResponseException e) {
                return newFixedLengthResponse(e.getStatus(), MIME_PLAINTEXT, e.getMessage());
            } catch (IOException e) {
                return newFixedLengthResponse(Response.Status.INTERNAL_ERROR, MIME_PLAINTEXT, e.toString());
            }
        }
    }

    @Before
    public void start() throws IOException {
        Files.write(folder.newFile("index.html").toPath(), "<h1>hello</h1>".getBytes());
        picture = new byte[200_000];
        for (int i = 0; i < picture.length; i++) {
            picture[i] = (byte) (i * 31);
        }
        Files.write(folder.newFile("picture.png").toPath(), picture);
        File inner = folder.newFolder("papers");
        Files.write(new File(inner, "one two.txt").toPath(), "first".getBytes());
        new File(inner, "more").mkdir();
        files = new SimpleWebServer("127.0.0.1", 0, Arrays.asList(folder.getRoot()), true, "*");
        files.start(3000, true);
        application = new Application();
        application.start(3000, true);
    }

    @After
    public void stop() {
        files.stop();
        application.stop();
    }

    @Test
    public void aPage() throws IOException {
        assertTrue(get("/index.html").endsWith("<h1>hello</h1>"));
    }

    @Test
    public void theIndexOfAFolder() throws IOException {
        assertTrue(get("/").endsWith("<h1>hello</h1>"));
    }

    @Test
    public void aLargeFile() throws IOException {
        byte[] answer = exchange(files, request("GET", "/picture.png", ""), new byte[0]);
        assertArrayEquals(picture, Arrays.copyOfRange(answer, answer.length - picture.length, answer.length));
    }

    @Test
    public void partOfAFile() throws IOException {
        byte[] answer = exchange(files, request("GET", "/picture.png", "Range: bytes=1000-1099\r\n"), new byte[0]);
        assertArrayEquals(Arrays.copyOfRange(picture, 1000, 1100), Arrays.copyOfRange(answer, answer.length - 100, answer.length));
    }

    @Test
    public void aListing() throws IOException {
        assertTrue(get("/papers/").contains("one two.txt"));
        assertTrue(get("/papers").contains("301"));
        assertTrue(get("/papers/one%20two.txt").endsWith("first"));
    }

    @Test
    public void whatIsNotThere() throws IOException {
        assertTrue(get("/nothing").contains("404"));
        assertTrue(get("/../etc/passwd").contains("40"));
    }

    @Test
    public void whatTheClientHas() throws IOException {
        String first = get("/index.html");
        String tag = first.substring(first.indexOf("ETag: ") + 6).split("\r\n")[0];
        String again = text(exchange(files, request("GET", "/index.html", "If-None-Match: " + tag + "\r\n"), new byte[0]));
        assertTrue(again.contains("304"));
    }

    @Test
    public void onlyTheHead() throws IOException {
        assertTrue(text(exchange(files, request("HEAD", "/picture.png", ""), new byte[0])).contains("200 OK"));
        assertTrue(text(exchange(files, request("OPTIONS", "/picture.png", ""), new byte[0])).contains("Allow-Origin"));
    }

    @Test
    public void severalRequestsOnAConnection() throws IOException {
        try (Socket s = connect(files)) {
            for (int i = 0; i < 3; i++) {
                OutputStream out = s.getOutputStream();
                out.write("GET /index.html HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n".getBytes());
                out.flush();
                StringBuilder answer = new StringBuilder();
                while (answer.indexOf("</h1>") < 0) {
                    int b = s.getInputStream().read();
                    if (b < 0) {
                        throw new IOException("closed after " + answer);
                    }
                    answer.append((char) b);
                }
            }
        }
    }

    @Test
    public void aForm() throws IOException {
        byte[] body = "name=value&other=a+b".getBytes();
        String answer = text(exchange(application, request("POST", "/form", "Content-Type: application/x-www-form-urlencoded\r\nCookie: a=b; c=d\r\nContent-Length: " + body.length + "\r\n"), body));
        assertTrue(answer, answer.contains("other=a b"));
        assertTrue(answer, answer.contains("seen=yes"));
    }

    @Test
    public void anUpload() throws IOException {
        String answer = text(upload(2000));
        assertTrue(answer, answer.contains("part of 2000"));
    }

    @Test
    public void aLargeUpload() throws IOException {
        String answer = text(upload(1_500_000)); // more than is kept in memory
        assertTrue(answer, answer.contains("part of 1500000"));
    }

    @Test
    public void aFileThatIsPut() throws IOException {
        byte[] body = new byte[3000];
        String answer = text(exchange(application, request("PUT", "/file", "Content-Length: " + body.length + "\r\n"), body));
        assertTrue(answer, answer.contains("part of 3000"));
    }

    @Test
    public void aChunkedAnswer() throws IOException {
        byte[] answer = exchange(application, "GET /stream?a=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", new byte[0]);
        assertTrue(text(answer).toLowerCase().contains("chunked"));
        assertTrue(answer.length > 5000);
    }

    @Test
    public void aCompressedAnswer() throws IOException {
        String answer = text(exchange(application, request("GET", "/packed", "Accept-Encoding: gzip\r\n"), new byte[0]));
        assertTrue(answer, answer.toLowerCase().contains("gzip"));
    }

    @Test
    public void whatIsNoRequest() throws IOException {
        assertTrue(text(exchange(files, "NONSENSE\r\n\r\n", new byte[0])).contains("400"));
    }

    @Test
    public void asTheCommandStartsIt() {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream("\n".getBytes()));
        try {
            fi.iki.elonen.util.ServerRunner.executeInstance(new SimpleWebServer("127.0.0.1", 0, folder.getRoot(), true));
        } finally {
            System.setIn(before);
        }
    }

    private byte[] upload(int size) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(("--edge\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n").getBytes());
        body.write(("--edge\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n").getBytes());
        body.write(new byte[size]);
        body.write("\r\n--edge--\r\n".getBytes());
        return exchange(application, request("POST", "/upload", "Content-Type: multipart/form-data; boundary=edge\r\nContent-Length: " + body.size() + "\r\n"), body.toByteArray());
    }

    private String get(String path) throws IOException {
        return text(exchange(files, request("GET", path, ""), new byte[0]));
    }

    private static String request(String method, String path, String headers) {
        return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers + "\r\n";
    }

    private static Socket connect(NanoHTTPD server) throws IOException {
        Socket s = new Socket(InetAddress.getByName("127.0.0.1"), server.getListeningPort());
        s.setSoTimeout(10000);
        return s;
    }

    /** What a client does is not the server's: it has no catch that counts. */
    private static byte[] exchange(NanoHTTPD server, String head, byte[] body) throws IOException {
        try (Socket s = connect(server)) {
            OutputStream out = s.getOutputStream();
            out.write(head.getBytes(StandardCharsets.ISO_8859_1));
            out.write(body);
            out.flush();
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int n; (n = s.getInputStream().read(buffer)) >= 0;) {
                all.write(buffer, 0, n);
            }
            assertTrue("no answer", all.size() > 0);
            return all.toByteArray();
        }
    }

    private static String text(byte[] b) {
        return new String(b, StandardCharsets.ISO_8859_1);
    }

    @Test
    public void theyAreThere() {
        assertTrue(files.isAlive() && application.wasStarted());
        assertEquals("127.0.0.1", files.getHostname());
    }
}
