package streams;

import java.io.IOException;

/** Reads from the disk. */
public class FileIn extends InputStream {
    private final String name;

    public FileIn(String name) {
        this.name = name;
    }

    @Override
    public int read(byte[] b) throws IOException { //@ reachingThrows("streams/FileIn.read0")
        return read0(name, b);
    }

    private static native int read0(String name, byte[] b) throws IOException;
}
