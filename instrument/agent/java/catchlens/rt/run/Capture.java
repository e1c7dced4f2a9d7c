package catchlens.rt.run;

import catchlens.rt.wire.Out;

import java.io.OutputStream;
import java.io.PrintStream;

/** Keeps the tail of what a test prints, and passes everything on to the worker's pipe. */
public final class Capture extends OutputStream {
    static final int LIMIT = 8192;

    private static Capture out;
    private static Capture err;
    private static PrintStream outStream;
    private static PrintStream errStream;
    private static java.io.InputStream in;

    private final OutputStream to;
    private final byte[] ring = new byte[LIMIT];
    private long total;

    private Capture(OutputStream to) {
        this.to = to;
    }

    static void install() {
        out = new Capture(new java.io.FileOutputStream(java.io.FileDescriptor.out));
        err = new Capture(new java.io.FileOutputStream(java.io.FileDescriptor.err));
        outStream = new Unclosed(out);
        errStream = new Unclosed(err);
        in = System.in;
        restore();
    }

    /** Puts the standard streams back where a test left others. */
    static void restore() {
        if (System.out != outStream) {
            System.setOut(outStream);
        }
        if (System.err != errStream) {
            System.setErr(errStream);
        }
        if (System.in != in) {
            System.setIn(in);
        }
    }

    /** A test may close System.out: later tests still have it. */
    private static final class Unclosed extends PrintStream {
        Unclosed(OutputStream o) {
            super(o, true);
        }

        @Override
        public void close() {
            flush();
        }
    }

    static void reset() {
        outStream.flush();
        errStream.flush();
        out.clear();
        err.clear();
    }

    /** Both totals and tails, each tail at most limit bytes. */
    static void write(Out to, int limit) {
        outStream.flush();
        errStream.flush();
        out.tail(to, limit);
        err.tail(to, limit);
    }

    private synchronized void clear() {
        total = 0;
    }

    private synchronized void tail(Out o, int limit) {
        int n = (int) Math.min(Math.min(total, LIMIT), limit);
        byte[] b = new byte[n];
        for (int i = 0; i < n; i++) {
            b[i] = ring[(int) ((total - n + i) % LIMIT)];
        }
        o.u64(total).bytes(b);
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) {
        synchronized (this) {
            int skip = Math.max(0, len - LIMIT);
            total += skip;
            for (int i = off + skip; i < off + len;) {
                int at = (int) (total % LIMIT);
                int n = Math.min(LIMIT - at, off + len - i);
                System.arraycopy(b, i, ring, at, n);
                total += n;
                i += n;
            }
        }
        try {
            to.write(b, off, len);
        } catch (java.io.IOException e) {
            // the pipe is gone with the worker
        }
    }

    @Override
    public void flush() {}
}
