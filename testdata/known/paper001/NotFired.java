package paper001;

import java.io.IOException;

/**
 * Tries that do not run a second time in one JVM. A test is injected into where it has passed as it
 * is, so the injection does not fire and decides nothing.
 */
public class NotFired {
    static class InInitialiser {
        static final int LIMIT;

        static {
            int limit = 0;
            try {
                limit = parse("64");
            //@ usages(pink=1, white=0, blue=0) handlers(1)
            //@ verdict("unknown") matrix(not-fired=1)
            } catch (IOException e) {
                limit = -1;
            }
            LIMIT = limit;
        }
    }

    private static Integer memo;

    static int memoised() {
        if (memo == null) {
            try {
                memo = parse("32");
            //@ usages(pink=1, white=0, blue=0)
            //@ verdict("unknown") matrix(not-fired=1)
            } catch (IOException e) {
                memo = -1;
            }
        }
        return memo;
    }

    static int inFixture() {
        try {
            return parse("16");
        //@ verdict("not-resilient")
        } catch (IOException e) {
            return -1;
        }
    }

    private static int parse(String text) throws IOException {
        if (text.isEmpty()) {
            throw new IOException("no number");
        }
        return Integer.parseInt(text);
    }
}
