package fi.iki.elonen;

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
 * Workload 3 of NanoHTTPD: what its first two leave open, by what catchlens says of the links that they do not
 * cover. A request whose beginning has been read before, as by a server that tells by it which protocol is spoken.
 */
public class Nano3Workload {

    @Rule
    public Timeout limit = Timeout.seconds(40);

    /** Looks at the first bytes of a connection before it serves it. */
    private static class Looking extends NanoHTTPD {
        Looking() {
            super("127.0.0.1", 0);
        }

        @Override
        protected ClientHandler createClientHandler(Socket connection, InputStream in) {
            byte[] first = new byte[4];
            try {
                int n = in.read(first);
                return super.createClientHandler(connection, new SequenceInputStream(new ByteArrayInputStream(first, 0, Math.max(n, 0)), in));
            } catch (IOException e) {
                return super.createClientHandler(connection, in); // which meets it again
            }
        }

        @Override
        public Response serve(IHTTPSession session) {
            return newFixedLengthResponse("you asked for " + session.getUri());
        }
    }

    @Test
    public void aRequestThatHasBeenLookedAt() throws Exception {
        NanoHTTPD server = new Looking();
        server.start(3000, true);
        try (Socket s = new Socket(InetAddress.getByName("127.0.0.1"), server.getListeningPort())) {
            s.setSoTimeout(10000);
            OutputStream out = s.getOutputStream();
            for (String part : new String[] {"GET /page HT", "TP/1.1\r\nHost: localhost\r\nConn", "ection: close\r\n\r\n"}) {
                out.write(part.getBytes());
                out.flush();
                Thread.sleep(50);
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            byte[] buffer = new byte[4096];
            for (int n; (n = s.getInputStream().read(buffer)) >= 0;) {
                all.write(buffer, 0, n);
            }
            assertTrue(all.toString("ISO-8859-1").endsWith("you asked for /page"));
        } finally {
            server.stop();
        }
    }
}
