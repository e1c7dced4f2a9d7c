package filedrop;

import java.io.IOException;

/** A stream ended with another checksum than announced. */
public class ChecksumException extends IOException {
    private static final long serialVersionUID = 1;

    public ChecksumException(long expected, long actual) {
        super(String.format("checksum %08x, expected %08x", actual, expected));
    }
}
