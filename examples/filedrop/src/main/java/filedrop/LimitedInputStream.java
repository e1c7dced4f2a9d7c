package filedrop;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The next so many bytes of a stream that goes on after them. Closing it leaves the stream open. */
class LimitedInputStream extends FilterInputStream {
    private long left;

    LimitedInputStream(InputStream in, long length) {
        super(in);
        this.left = length;
    }

    @Override
    public int read() throws IOException {
        if (left == 0) {
            return -1;
        }
        int b = in.read();
        if (b < 0) {
            throw new EOFException(left + " bytes are missing");
        }
        left--;
        return b;
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
        if (left == 0) {
            return -1;
        }
        int n = in.read(b, off, (int) Math.min(len, left));
        if (n < 0) {
            throw new EOFException(left + " bytes are missing");
        }
        left -= n;
        return n;
    }

    /** Reads up to the end of this part, so that the stream stands behind it. */
    void drain() throws IOException {
        byte[] buffer = new byte[4096];
        while (left > 0) {
            read(buffer, 0, buffer.length);
        }
    }

    @Override
    public void close() {
        // the stream is the connection's
    }
}
