package filedrop;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;

/** A client of the server. */
public final class DropClient implements Closeable {
    private final Wire wire;

    public DropClient(int port, int timeoutMillis) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(timeoutMillis);
        wire = Wire.over(socket);
    }

    /** Sends a file; its size and checksum as the server states them. */
    public String put(String name, byte[] content) throws IOException {
        wire.writeLine("PUT " + name + " " + content.length + " " + Long.toHexString(ChecksumInputStream.of(content)));
        wire.write(content);
        return reply();
    }

    public byte[] get(String name) throws IOException {
        wire.writeLine("GET " + name);
        String[] fields = reply().split(" ");
        long size = Long.parseLong(fields[0]);
        try (InputStream in = new ChecksumInputStream(wire.block(size), Long.parseLong(fields[1], 16))) {
            return in.readAllBytes();
        }
    }

    public List<String> list() throws IOException {
        wire.writeLine("LIST");
        List<String> fields = Arrays.asList(reply().split(" "));
        return fields.subList(1, fields.size());
    }

    public void delete(String name) throws IOException {
        wire.writeLine("DELETE " + name);
        reply();
    }

    /** Sends a line as it is and returns the answer as it is. */
    public String raw(String line) throws IOException {
        wire.writeLine(line);
        return answer();
    }

    private String reply() throws IOException {
        String answer = answer();
        if (!answer.startsWith("OK")) {
            throw new IOException("server: " + answer);
        }
        return answer.substring(2).trim();
    }

    private String answer() throws IOException {
        try {
            String answer = wire.readLine();
            if (answer == null) {
                throw new IOException("server closed the connection");
            }
            return answer;
        } catch (ProtocolException e) {
            throw new IOException("server does not speak the protocol", e);
        }
    }

    /** Says good-bye where the connection still works. */
    @Override
    public void close() throws IOException {
        try {
            wire.writeLine("QUIT");
            answer();
        } catch (IOException e) {
            // it is being closed anyway
        } finally {
            wire.close();
        }
    }
}
