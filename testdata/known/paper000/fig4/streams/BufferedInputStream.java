package streams;

import java.io.IOException;

public class BufferedInputStream extends FilterInputStream {
    private final byte[] buffer = new byte[8192];
    private int position;
    private int count;

    public BufferedInputStream(InputStream in) {
        super(in);
    }

    @Override
    public int read(byte[] b) throws IOException { //@ reachingThrows("streams/FileIn.read0", "streams/SocketIn.read0")
        if (position == count) {
            fill();
        }
        return read1(b);
    }

    private int read1(byte[] b) { //@ reachingThrows
        int n = 0;
        while (n < b.length && position < count) {
            b[n++] = buffer[position++];
        }
        return n == 0 ? -1 : n;
    }

    private void fill() throws IOException { //@ reachingThrows("streams/FileIn.read0", "streams/SocketIn.read0")
        position = 0;
        int n = in.read(buffer);
        count = n < 0 ? 0 : n;
    }
}
