package paper001;

import java.io.IOException;

/** The cases of section 3.3 in which a predicate and its opposite are both false. */
public class Undecided {
    static class Source {
        private final String text;
        private final Exception failure;

        Source(String text) {
            this.text = text;
            this.failure = null;
        }

        Source(Exception failure) {
            this.text = null;
            this.failure = failure;
        }

        String read() throws IOException {
            if (failure instanceof IOException) {
                throw (IOException) failure; //@ site("checked") throws("java.io.IOException")
            }
            if (failure != null) {
                throw (RuntimeException) failure; //@ site("unchecked")
            }
            return text;
        }
    }

    /** Its tests only have the try complete, and need what it returns. */
    static String onlyPinkNeeded(Source s) {
        try {
            return s.read();
        //@ usages(pink=2, white=0, blue=0) verdict("not-resilient") experienced
        //@ matrix(fail=2) witness("paper001.UndecidedTest#onlyPinkNeededOnce", "paper001.UndecidedTest#onlyPinkNeededAgain")
        } catch (IOException e) {
            return null;
        }
    }

    /** Its test only has the try complete, and does well without it. */
    static int onlyPinkOptional(Source s) {
        int hint = 16;
        try {
            hint = s.read().length();
        //@ usages(pink=1, white=0, blue=0) verdict("source-independent", "purely-resilient") ground("pure-resilience")
        //@ matrix(pass=1) experienced
        } catch (IOException e) {
            hint = 16;
        }
        return new StringBuilder(hint).append("ready").length();
    }

    /** Its tests only have the catch run: nothing says what happens when the try completes. */
    static String onlyWhite(Source s) {
        try {
            return s.read();
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent") ground("white-usage")
        //@ matrix(pass=1) experienced("checked")
        } catch (IOException e) {
            return "unreadable";
        }
    }

    /** Its test only has other exceptions pass through, and does not mind which one leaves. */
    static String onlyBlue(Source s) {
        try {
            return s.read();
        //@ usages(pink=0, white=0, blue=1) verdict("unknown")
        //@ matrix(pass=1) experienced
        } catch (IOException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** The same with a test that wants the exception which passes through: that one fails. */
    static String onlyBlueWanted(Source s) {
        try {
            return s.read();
        //@ usages(pink=0, white=0, blue=1) verdict("not-resilient")
        //@ matrix(fail=1) witness("paper001.UndecidedTest#onlyBlueWanted") experienced
        } catch (IOException e) {
            return "";
        }
    }

    /** No test calls it. */
    static String neverRun(Source s) {
        try {
            return s.read();
        //@ usages(pink=0, white=0, blue=0) verdict("unknown") matrix(pass=0) experienced
        } catch (IOException e) {
            return "";
        }
    }

    /** White and pink in one test, which passes: both contracts hold on one witness. */
    static int mixed(Source... sources) {
        int read = 0;
        for (Source s : sources) {
            try {
                s.read();
            //@ usages(pink=2, white=1, blue=0) verdict("source-independent", "purely-resilient") ground("white-usage")
            //@ matrix(pass=1) experienced("checked")
            } catch (IOException e) {
                read += 0;
            }
            read++;
        }
        return read;
    }
}
