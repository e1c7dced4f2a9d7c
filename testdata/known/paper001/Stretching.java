package paper001;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipException;

/** The cases of catch stretching: sections 3.4 and 4.3 of the paper. */
class Stretching {
    /** Case A: every exception that leaves the try is caught by the catch (joda-time's ZoneInfoCompiler). */
    static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) { //@ verdict("source-independent", "not-resilient") usages(pink=1, white=1, blue=0) stretchable("yes") stretchto("java.lang.Exception")
            return -1;
        }
    }

    /**
     * Case B, and the test does not mind: commons-lang's ClassUtils, whose catch of a
     * ClassNotFoundException would take the NullPointerException of null, too.
     */
    static String classOf(Map<String, String> abbreviations, String name) {
        try {
            return load(abbreviations, name);
        } catch (ClassNotFoundException e) { //@ verdict("source-independent", "not-resilient") usages(white=1, blue=1) stretchable("yes")
            return "none";
        }
    }

    static String load(Map<String, String> abbreviations, String name) throws ClassNotFoundException {
        String full = abbreviations.get(name.trim());
        if (full == null) {
            throw new ClassNotFoundException(name);
        }
        return full;
    }

    static String classOrNone(Map<String, String> abbreviations, String name) {
        try {
            return classOf(abbreviations, name);
        } catch (NullPointerException e) { //@ verdict("source-independent", "not-resilient") stretchable("yes")
            return "none";
        }
    }

    static class NonUniqueResultException extends RuntimeException {}

    /**
     * Case B, and a test specifies that the exception leaves: sonar-core's catch of a
     * NonUniqueResultException would take an IllegalStateException.
     */
    static String single(List<String> rows, boolean open) {
        try {
            if (!open) {
                throw new IllegalStateException("closed");
            }
            if (rows.size() != 1) {
                throw new NonUniqueResultException();
            }
            return rows.get(0);
        } catch (NonUniqueResultException e) { //@ verdict("source-independent", "not-resilient") usages(pink=1, white=1, blue=1) stretchable("no")
            return "several";
        }
    }

    /** Not Exception, but its nearest supertype is safe: a RuntimeException has to leave. */
    static int size(String name) throws IOException {
        try {
            return open(name);
        } catch (FileNotFoundException e) { //@ verdict("source-independent", "not-resilient") usages(white=1, blue=2) stretchable("no") stretchto("java.io.IOException")
            return -1;
        } catch (ZipException e) { //@ stretchable("unknown")
            return -2;
        }
    }

    static int sizeOrZero(String name) {
        try {
            return size(name);
        } catch (IOException e) {
            return -1;
        }
    }

    static int open(String name) throws IOException {
        switch (name) {
            case "missing":
                throw new FileNotFoundException(name);
            case "broken":
                throw new IOException(name);
            case "illegal":
                throw new IllegalArgumentException(name);
            default:
                return new File(name).getName().length();
        }
    }

    static class Coded extends Exception {
        int code() {
            return 3;
        }
    }

    /** The clause needs the narrow type: no test is asked. */
    static int code(boolean fail) {
        try {
            if (fail) {
                throw new Coded();
            }
            return 0;
        } catch (Coded e) { //@ stretchable("no")
            return e.code();
        }
    }

    /** It takes every Exception as it is. */
    static int all(boolean fail) {
        try {
            if (fail) {
                throw new Coded();
            }
            return 0;
        } catch (Exception e) { //@ verdict("source-independent", "not-resilient") stretchable("yes")
            return 1;
        }
    }

    static int coded(boolean fail) throws Coded {
        if (fail) {
            throw new Coded();
        }
        return 1;
    }

    /** It depends on where the exception comes from: no candidate. */
    static int dependent(boolean fail) {
        int state = 0;
        try {
            state = coded(false);
            coded(fail);
        } catch (Coded e) { //@ verdict("source-dependent", "not-resilient") stretchable("no")
            return state + 1;
        }
        return state;
    }

    /** Two catches of which each may be stretched, and not both: 3.4's third step. */
    static final class Meeting {
        String log = "";

        void inner(int kind) {
            try {
                if (kind == 1) {
                    throw new IllegalStateException();
                }
                if (kind == 2) {
                    throw new UnsupportedOperationException();
                }
            } catch (IllegalStateException e) { //@ verdict("source-independent", "not-resilient") stretchable("no")
                log += "inner ";
            }
        }

        void outer(int kind) {
            try {
                inner(kind);
                if (kind == 2) {
                    throw new ArithmeticException();
                }
                if (kind == 3) {
                    throw new IllegalArgumentException();
                }
            } catch (IllegalArgumentException e) { //@ verdict("source-independent", "not-resilient") stretchable("no")
                log += "outer ";
            }
        }
    }

    /** Two catches of which not both may take Exception, and both something narrower. */
    static final class Apart {
        String log = "";

        void inner(int kind) throws IOException {
            try {
                if (kind == 1) {
                    throw new FileNotFoundException();
                }
                if (kind == 2) {
                    throw new UnsupportedOperationException();
                }
            } catch (FileNotFoundException e) { //@ verdict("source-independent", "not-resilient") stretchable("no") stretchto("java.io.IOException")
                log += "inner ";
            }
        }

        void outer(int kind) throws IOException {
            try {
                inner(kind);
                if (kind == 2) {
                    throw new ArithmeticException();
                }
                if (kind == 3) {
                    throw new IllegalArgumentException();
                }
            } catch (IllegalArgumentException e) { //@ verdict("source-independent", "not-resilient") stretchable("no") stretchto("java.lang.RuntimeException")
                log += "outer ";
            }
        }
    }
}
