package filedrop;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;

/** Computes a CRC-32 of what is read, and compares it with the expected one at the end. */
public class ChecksumInputStream extends FilterInputStream {
    private final CRC32 crc = new CRC32();
    private final long expected;
    private boolean ended;

    public ChecksumInputStream(InputStream in, long expected) {
        super(in);
        this.expected = expected;
    }

    public static long of(byte[] content) {
        CRC32 crc = new CRC32();
        crc.update(content);
        return crc.getValue();
    }

    @Override
    public int read() throws IOException {
        int b = in.read();
        if (b < 0) {
            verify();
        } else {
            crc.update(b);
        }
        return b;
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
        int n = in.read(b, off, len);
        if (n < 0) {
            verify();
        } else {
            crc.update(b, off, n);
        }
        return n;
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    private void verify() throws ChecksumException {
        if (!ended) {
            ended = true;
            if (crc.getValue() != expected) {
                throw new ChecksumException(expected, crc.getValue());
            }
        }
    }
}
