package filedrop;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** Lines and blocks of bytes over a connection. */
final class Wire implements Closeable {
    private static final int LONGEST_LINE = 1000;

    private final InputStream in;
    private final OutputStream out;
    private final Closeable connection;

    Wire(InputStream in, OutputStream out, Closeable connection) {
        this.in = new BufferedInputStream(in);
        this.out = new BufferedOutputStream(out);
        this.connection = connection;
    }

    static Wire over(Socket socket) throws IOException {
        try {
            socket.setTcpNoDelay(true);
        } catch (SocketException e) {
            // slower, not wrong
        }
        return new Wire(socket.getInputStream(), socket.getOutputStream(), socket);
    }

    /** The next line without its end, or null at the end of the stream. */
    String readLine() throws IOException, ProtocolException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            }
            if (line.length() == LONGEST_LINE) {
                throw new ProtocolException("line too long");
            }
            line.append((char) b);
        }
        WireLog.line("<", line.toString());
        return line.toString();
    }

    LimitedInputStream block(long size) {
        return new LimitedInputStream(in, size);
    }

    void writeLine(String line) throws IOException {
        WireLog.line(">", line);
        out.write((line + "\n").getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    void write(byte[] block) throws IOException {
        out.write(block);
        out.flush();
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
