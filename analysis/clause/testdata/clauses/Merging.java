package clauses;

import java.io.IOException;

/** Local variables whose values come together in a handler within the try. */
public class Merging {
    interface Source { int read() throws IOException; }
    static class Bad extends Exception { Bad(Throwable cause) { super(cause); } }

    static int passesFinally(Source s) {
        int step = 0, depth = 1;
        try {
            try {
                s.read();
                step = 1;
                return s.read();
            } finally {
                depth = 0;
            }
        } catch (IOException e) {       //@ clause("open") prepared("local step: 1 > clause")
            return step > 0 ? -1 : -2;
        }
    }

    static int passesTwoFinally(Source s) {
        int step = 0, depth = 2;
        try {
            try {
                try {
                    s.read();
                    step = 1;
                    return s.read();
                } finally {
                    depth--;
                }
            } finally {
                depth--;
            }
        } catch (IOException e) {       //@ clause("open") prepared("local step: 1 > clause")
            return step > 0 ? -1 : -2;
        }
    }

    static int isWrapped(Source s) {
        int step = 0;
        try {
            try {
                s.read();
                step = 1;
                return s.read();
            } catch (Throwable t) {     //@ clause("open") prepared("local step: 1 > after")
                throw new Bad(t);
            }
        } catch (Bad e) {               //@ clause("open") prepared("local step: 1 > clause")
            return step > 0 ? -1 : -2;
        }
    }

    static int setInFinally(Source s) {
        int step = 0;
        try {
            try {
                s.read();
                return s.read();
            } finally {
                step = 1;
            }
        } catch (IOException e) {       //@ clause("unaffected") prepared
            return step > 0 ? -1 : -2;
        }
    }

    static int setsWhatItWas(Source s) {
        int step = 0;
        try {
            try {
                s.read();
                step = 0;
                return s.read();
            } finally {
                s = null;
            }
        } catch (IOException e) {       //@ clause("unaffected") prepared
            return step > 0 ? -1 : -2;
        }
    }
}
