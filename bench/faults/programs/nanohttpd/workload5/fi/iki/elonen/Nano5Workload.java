package fi.iki.elonen;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.net.Socket;

import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/**
 * Workload 5 of NanoHTTPD: what its first four leave open, by what catchlens says of the links that they do not
 * cover. Forms that are sent to a server that answers as NanoHTTPD does by itself: in parts, and ending too early
 * while another thread writes to the connection.
 */
public class Nano5Workload {

    @Rule
    public Timeout limit = Timeout.seconds(40);

    /** Answers by itself; may send news to each connection until nobody takes them. */
    private static class Plain extends NanoHTTPD {
        private final boolean news;
        volatile Thread sender;

        Plain(boolean news) {
            super("127.0.0.1", 0);
            this.news = news;
        }

        @Override
        protected ClientHandler createClientHandler(Socket connection, InputStream in) {
            if (!news) {
                return super.createClientHandler(connection, in);
            }
            sender = new Thread(() -> {
                byte[] some = new byte[1 << 16];
                try {
                    OutputStream out = connection.getOutputStream();
                    while (true) {
                        out.write(some);
                    }
                } catch (IOException e) {
                    // nobody is there any more
                }
            });
            sender.start();
            return super.createClientHandler(connection, new SequenceInputStream(new ByteArrayInputStream(new byte[0]), in));
        }
    }

    private static String head(int length) {
        return "POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: " + length
                + "\r\nConnection: close\r\n\r\n";
    }

    private static String form(int length) {
        StringBuilder all = new StringBuilder("text=");
        while (all.length() < length) {
            all.append("abcdefghi+");
        }
        return all.substring(0, length);
    }

    @Test
    public void aFormInParts() throws Exception {
        Plain server = new Plain(false);
        server.start(10000, true);
        try (Socket s = new Socket(InetAddress.getByName("127.0.0.1"), server.getListeningPort())) {
            s.setSoTimeout(10000);
            OutputStream out = s.getOutputStream();
            String form = form(3000);
            for (String part : new String[] {head(3000), form.substring(0, 700), form.substring(700, 1400), form.substring(1400)}) {
                out.write(part.getBytes());
                out.flush();
                Thread.sleep(50);
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            byte[] buffer = new byte[4096];
            for (int n; (n = s.getInputStream().read(buffer)) >= 0;) {
                all.write(buffer, 0, n);
            }
            assertTrue(all.toString(), all.toString("ISO-8859-1").startsWith("HTTP/1.1 404"));
        } finally {
            server.stop();
        }
    }

    @Test
    public void aFormThatEndsTooEarly() throws Exception {
        Plain server = new Plain(true);
        server.start(10000, true);
        try (Socket s = new Socket(InetAddress.getByName("127.0.0.1"), server.getListeningPort())) {
            s.getOutputStream().write((head(3000) + form(1500)).getBytes());
            Thread.sleep(300); // until the news wait for the client
            s.shutdownOutput();
            for (int i = 0; server.sender == null && i < 100; i++) {
                Thread.sleep(50);
            }
            server.sender.join(10000);
            assertFalse("still sends", server.sender.isAlive());
        } finally {
            server.stop();
        }
    }
}
