package catchlens.rt.record;

/** Whose code runs, by the frames of a stack. */
public final class Frames {
    private Frames() {}

    /** Whether a class, by its name, is the JDK's. */
    public static boolean inJDK(String c) {
        return c.startsWith("java.") || c.startsWith("javax.") || c.startsWith("jdk.") || c.startsWith("sun.") || c.startsWith("com.sun.");
    }

    /** The first frame that is not the agent's. */
    public static int caller(StackTraceElement[] st) {
        int i = 0;
        while (i < st.length && st[i].getClassName().startsWith("catchlens.rt.")) {
            i++;
        }
        return i;
    }

    private static final String[] FOREIGN = {
        "java.lang.ClassLoader", "jdk.internal.loader.", "java.net.URLClassLoader", "java.security.SecureClassLoader",
        "sun.misc.URLClassPath", "sun.misc.Launcher", "java.util.ServiceLoader", "java.lang.ref.",
        "java.lang.invoke.MethodHandleNatives", "sun.instrument.", "jdk.internal.jimage.", "sun.security.provider.NativePRNG", "sun.security.provider.SeedGenerator",
        "jdk.internal.misc.VM", "java.lang.Shutdown", "sun.util.resources.", "sun.util.locale.", "sun.util.calendar.",
    };

    /**
     * Whether what runs in the frames from one to another (exclusive) does not work for the program:
     * it loads or initialises classes, seeds random numbers, or cleans up after objects. A fault there would
     * hurt the JVM for good, and no try of the program is meant to cope with it.
     */
    public static boolean foreign(StackTraceElement[] st, int from, int to) {
        return notForProgram(st, from, to) >= 0;
    }

    /** The first of these frames for which that is so; -1: none. */
    public static int notForProgram(StackTraceElement[] st, int from, int to) {
        boolean program = false; // its code has been seen
        for (int i = from; i < to; i++) {
            String c = st[i].getClassName();
            if (c.startsWith("catchlens.fault.")) {
                return program ? -1 : i; // the fault API does something for itself, or runs the test
            }
            if (c.startsWith("catchlens.")) {
                return -1; // below it is what runs the tests
            }
            program |= !inJDK(c);
            if (st[i].getMethodName().equals("<clinit>")) {
                return i;
            }
            if (c.equals("jdk.internal.ref.CleanerImpl")) {
                return i; // its thread; the classes in it run in explicit closes, too
            }
            for (String p : FOREIGN) {
                if (c.startsWith(p)) {
                    return i;
                }
            }
        }
        return -1;
    }

    /**
     * A number from 1 to 2^32 - 1 for the calls that lead from one frame, inclusive, down to another: class, method and line of
     * each. Two ways have the same with a chance of one in four thousand million.
     */
    public static long way(StackTraceElement[] st, int from, int to) {
        int h = 0;
        for (int i = from; i <= to; i++) {
            h = 31 * h + st[i].getClassName().hashCode();
            h = 31 * h + st[i].getMethodName().hashCode();
            h = 31 * h + st[i].getLineNumber();
        }
        return h == 0 ? 1 : h & 0xFFFFFFFFL;
    }

    /** Whether what the method of a frame is given is part of the name of a file that it makes up. */
    public static boolean namesFile(StackTraceElement frame) {
        return frame.getMethodName().equals("createTempFile") && frame.getClassName().equals("java.io.File");
    }
}
