package streams;

import java.io.IOException;

public class FilterInputStream extends InputStream {
    protected final InputStream in;

    protected FilterInputStream(InputStream in) {
        this.in = in;
    }

    @Override
    public int read(byte[] b) throws IOException { //@ reachingThrows[cha]("streams/FileIn.read0", "streams/SocketIn.read0") reachingThrows[rta+]
        return in.read(b);
    }
}
