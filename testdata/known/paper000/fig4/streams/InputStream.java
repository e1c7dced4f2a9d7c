package streams;

import java.io.IOException;

public abstract class InputStream {
    public abstract int read(byte[] b) throws IOException;
}
