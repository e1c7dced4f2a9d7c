package fi.iki.elonen;

import static org.junit.Assert.assertFalse;

import java.io.ByteArrayInputStream;
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
 * Workload 4 of NanoHTTPD: what its first three leave open, by what catchlens says of the links that they do not
 * cover. A connection that comes to its end, and is closed by who reads it, while another thread still writes to it: a
 * server that sends news to whoever connects, and is asked at the same time.
 */
public class Nano4Workload {

    @Rule
    public Timeout limit = Timeout.seconds(40);

    /** Sends news to each connection until nobody takes them, and serves what is asked on it. */
    private static class News extends NanoHTTPD {
        private final int looked;
        volatile Thread sender;

        /** looked is how much of a request is read before it is served. */
        News(int looked) {
            super("127.0.0.1", 0);
            this.looked = looked;
        }

        @Override
        protected ClientHandler createClientHandler(Socket connection, InputStream in) {
            sender = new Thread(() -> {
                byte[] news = new byte[1 << 16];
                try {
                    OutputStream out = connection.getOutputStream();
                    while (true) {
                        out.write(news);
                    }
                } catch (IOException e) {
                    // nobody is there any more
                }
            });
            sender.start();
            byte[] first = new byte[looked];
            try {
                int n = looked == 0 ? 0 : in.read(first);
                return super.createClientHandler(connection, new SequenceInputStream(new ByteArrayInputStream(first, 0, Math.max(n, 0)), in));
            } catch (IOException e) {
                return super.createClientHandler(connection, in); // which meets it again
            }
        }
    }

    /** A client that says so much and no more, and takes nothing. */
    private static void says(String request, int looked) throws Exception {
        News server = new News(looked);
        server.start(10000, true);
        try (Socket s = new Socket(InetAddress.getByName("127.0.0.1"), server.getListeningPort())) {
            s.getOutputStream().write(request.getBytes());
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

    @Test
    public void aConnectionThatEndsBeforeARequest() throws Exception {
        says("", 0);
    }

    @Test
    public void aConnectionThatEndsWithinARequest() throws Exception {
        says("GET /page HTTP/1.1\r\nHost: loc", 4);
    }
}
