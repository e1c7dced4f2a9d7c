package container;

import java.io.IOException;
import java.util.Enumeration;
import java.util.Vector;

/**
 * Section 4.4 of paper 000: three links of Muffin stay uncovered because a SequenceInputStream takes
 * its streams from an Enumeration, and the containers of all the program's streams are one to
 * points-to analysis without contexts for their methods. Here no Unzip is ever put into the vector
 * that the sequence is made from, but another vector holds one.
 */
public class Sequence {
    static int c;
    static int failures;

    abstract static class In {
        abstract int read(byte[] b) throws IOException;
    }

    static class FileIn extends In {
        private final String name;

        FileIn(String name) {
            this.name = name;
        }

        @Override
        int read(byte[] b) throws IOException {
            return read0(name, b);
        }

        private static native int read0(String name, byte[] b) throws IOException;
    }

    static class Unzip extends In {
        private final In in;

        Unzip(In in) {
            this.in = in;
        }

        @Override
        int read(byte[] b) throws IOException {
            int n = in.read(b);
            if (n > 0 && b[0] != 31) {
                throw new IOException("not in GZIP format"); //@ site("format")
            }
            return n;
        }
    }

    /** As java.io.SequenceInputStream. */
    static class SequenceIn extends In {
        private final Enumeration<? extends In> rest;
        private In in;

        SequenceIn(Enumeration<? extends In> rest) {
            this.rest = rest;
            next();
        }

        private void next() {
            in = rest.hasMoreElements() ? rest.nextElement() : null;
        }

        @Override
        int read(byte[] b) throws IOException {
            while (in != null) {
                int n = in.read(b);
                if (n > 0) {
                    return n;
                }
                next();
            }
            return -1;
        }
    }

    static void concatenate(String first, String second) {
        Vector<In> files = new Vector<>();
        files.add(new FileIn(first));
        files.add(new FileIn(second));
        In in = new SequenceIn(files.elements());
        byte[] buffer = new byte[256];
        try {
            c = in.read(buffer);
            // what is thrown for a wrong format is spurious
            //@ links("container/Sequence$FileIn.read0", "format")
            //@ links[obj-dr]("container/Sequence$FileIn.read0")
        } catch (IOException e) { //@ handlers(1)
            failures++;
        }
    }

    static void unpack(String name) {
        Vector<In> packed = new Vector<>();
        packed.add(new Unzip(new FileIn(name)));
        byte[] buffer = new byte[256];
        try {
            c = packed.get(0).read(buffer);
        } catch (IOException e) { //@ links("container/Sequence$FileIn.read0", "format")
            failures++;
        }
    }

    public static void main(String[] args) {
        concatenate(args[0], args[1]);
        unpack(args[2]);
    }
}
