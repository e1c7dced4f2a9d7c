package org.doit.muffin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.doit.io.HtmlObjectStream;
import org.doit.io.InputObjectStream;
import org.doit.io.SourceObjectStream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;
import sdsu.util.SimpleTokenizer;
import sdsu.util.TokenCharacters;

/**
 * Workload 5 of Muffin: what its first four leave open, by what catchlens says of the links that they do not
 * cover. Contents of a plug-in's own and settings of a protocol of the user's own, from files, archives and connections, one after
 * the other; connections that other threads use while they are closed.
 */
public class Muffin5Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private Path root() {
        return folder.getRoot().toPath();
    }

    // ---- contents ----

    private Odd.Opening[] contents(String text) {
        return new Odd.Opening[] {
            () -> new GZIPInputStream(Odd.packedFile(root(), text), 1),
            () -> Odd.buffered(Odd.connection(Odd.bytes(text))),
            () -> Odd.after(Odd.file(root(), ""), Odd.text(text)),
            () -> Odd.after(Odd.busy(""), Odd.text(text)),
        };
    }

    private void filtered(int which) throws IOException {
        File home = folder.newFolder("home");
        Odd.supplied = contents("hello")[which];
        assertTrue(Delivered.ask(home, "Supplying", "http://127.0.0.1/page").endsWith("hello"));
    }

    @Test
    public void aPackedFileOfAFilter() throws IOException {
        filtered(0);
    }

    @Test
    public void aConnectionOfAFilter() throws IOException {
        filtered(1);
    }

    @Test
    public void aFileAndATextOfAFilter() throws IOException {
        filtered(2);
    }

    @Test
    public void aBusyConnectionOfAFilter() throws IOException {
        filtered(3);
    }

    @Test
    public void sources() throws IOException {
        for (Odd.Opening o : contents("hello")) {
            InputObjectStream out = new InputObjectStream();
            SourceObjectStream s = new SourceObjectStream(out);
            s.setSourceInputStream(o.open());
            s.run();
            out.read();
        }
    }

    @Test
    public void pages() throws IOException {
        for (Odd.Opening o : contents("<html>hello</html>")) {
            InputObjectStream out = new InputObjectStream();
            HtmlObjectStream s = new HtmlObjectStream(out);
            s.setSourceInputStream(o.open());
            s.run();
            out.read();
        }
    }

    /** An answer as another kind of connection gives it. */
    @Test
    public void answers() throws Exception {
        String text = "HTTP/1.0 200 OK\r\nContent-type: text/plain\r\n\r\n";
        Odd.Opening[] all = {
            () -> Odd.file(root(), text),
            () -> Odd.buffered(Odd.file(root(), text)),
            () -> new GZIPInputStream(Odd.buffered(Odd.packedFile(root(), text))),
            () -> Odd.entry(root(), text),
            () -> new GZIPInputStream(Odd.buffered(Odd.connection(Odd.packed(text)))),
            () -> Odd.after(Odd.file(root(), ""), Odd.text(text)),
            () -> Odd.after(Odd.busy(""), Odd.text(text)),
        };
        for (Odd.Opening o : all) {
            InputStream in = o.open();
            try (Slow origin = new Slow("nothing")) {
                Http h = new Http("127.0.0.1", origin.port());
                h.setInputStream(in);
                h.queue.addElement(null);
                Reply r = null;
                try {
                    r = h.recvReply(null);
                } finally {
                    h.reallyClose();
                }
                assertEquals(200, r.getStatusCode());
            }
        }
    }

    @Test
    public void anErrorForWhoIsStillSpokenTo() throws IOException {
        try (Delivered d = new Delivered(folder.newFolder("home"), "")) {
            Socket s = Odd.connected(new byte[0], 20000);
            Thread t = new Thread(() -> {
                try {
                    s.getInputStream().read();
                } catch (IOException closed) {
                    return;
                }
            }, "reader");
            t.setDaemon(true);
            t.start();
            Delivered.pause(150);
            d.server.error(s, 503, "not now");
            assertTrue(s.isClosed());
        }
    }

    // ---- tokens ----

    private static SimpleTokenizer words(InputStream in) {
        return new SimpleTokenizer(in, new TokenCharacters("", "#", '"', '"', " \n"));
    }

    @Test
    public void tokensOfSeveralStreams() throws IOException {
        for (InputStream first : new InputStream[] {Odd.file(root(), ""), Odd.busy("")}) {
            SimpleTokenizer all = words(Odd.after(first, Odd.text("some words")));
            assertEquals("some", all.nextToken());
        }
    }

    /** What comes too late for the beginning is there when the first word is asked for. */
    @Test
    public void tokensThatComeLate() throws IOException {
        for (InputStream next : new InputStream[] {Odd.file(root(), ""), Odd.entry(root(), "word")}) {
            Socket late = Odd.connected(new byte[0], 500);
            InputStream in = Odd.written(late);
            late.setSoTimeout(50);
            SimpleTokenizer all = words(Odd.after(in, next, Odd.text("word")));
            late.setSoTimeout(10000);
            assertTrue(all.hasMoreTokens());
        }
    }

    // ---- settings ----

    @Test
    public void autoConfigurations() throws Exception {
        settings(root(), location -> {
            Configuration c = new Configuration();
            c.setAutoConfigFile((String) location);
            c.load();
        }, ".*/other/.* other.conf\n", "[ other.conf\n");
    }

    @Test
    public void preferences() throws Exception {
        settings(root(), location -> {
            UserPrefs p = new UserPrefs((String) location);
            p.load();
            assertEquals("b", p.getString("a"));
        }, "a=b\n");
    }

    /** Uses settings at addresses whose connections are busy, and at some that look at something else first. */
    public static void settings(Path folder, Slowly.Use use, String... contents) throws Exception {
        for (String content : contents) {
            use.of(Odd.address(() -> Odd.busy(content)));
        }
        for (InputStream other : new InputStream[] {Odd.file(folder, "index"), Odd.busy("")}) {
            use.of(Odd.address(() -> {
                other.close();
                return Odd.text(contents[0]);
            }));
        }
    }
}
