package streams;

import java.io.IOException;

/** Reads from the network. */
public class SocketIn extends InputStream {
    private final Socket socket;

    public SocketIn(Socket socket) {
        this.socket = socket;
    }

    @Override
    public int read(byte[] b) throws IOException { //@ reachingThrows("streams/SocketIn.read0")
        return read0(socket, b);
    }

    private static native int read0(Socket socket, byte[] b) throws IOException;
}
