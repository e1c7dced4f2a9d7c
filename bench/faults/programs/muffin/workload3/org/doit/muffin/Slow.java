package org.doit.muffin;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A web server next door that gives one answer to each request, as slowly as it is told, and keeps connections open. */
final class Slow implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getByName("0.0.0.0"));
    private final byte[][] parts;

    /** The answer, in parts with a pause between each and the next. */
    Slow(String... parts) throws IOException {
        this.parts = new byte[parts.length][];
        for (int i = 0; i < parts.length; i++) {
            this.parts[i] = parts[i].getBytes(StandardCharsets.ISO_8859_1);
        }
        Thread t = new Thread(this::serve, "slow");
        t.setDaemon(true);
        t.start();
    }

    /** A file that is kept at one address, and the head in two parts. */
    static Slow file(String content) throws IOException {
        return new Slow("HT", "TP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + content.length() + "\r\n\r\n" + content);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void serve() {
        while (!listener.isClosed()) {
            try {
                Socket s = listener.accept();
                Thread t = new Thread(() -> answer(s), "slow answer");
                t.setDaemon(true);
                t.start();
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void answer(Socket s) {
        try (Socket open = s) {
            open.setSoTimeout(3000);
            while (head(open)) {
                OutputStream out = open.getOutputStream();
                for (int i = 0; i < parts.length; i++) {
                    if (i > 0) {
                        Thread.sleep(60);
                    }
                    out.write(parts[i]);
                    out.flush();
                }
            }
        } catch (IOException | InterruptedException gone) {
            return;
        }
    }

    private static boolean head(Socket s) throws IOException {
        int lines = 0;
        for (int b = s.getInputStream().read(), last = 0; b >= 0; last = b, b = s.getInputStream().read()) {
            lines += b == '\n' ? 1 : 0;
            if (b == '\n' && last == '\n') {
                return true;
            }
            b = b == '\r' ? last : b;
        }
        return lines > 1;
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
