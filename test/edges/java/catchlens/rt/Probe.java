package catchlens.rt;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Stands in for the agent's class of this name where the call edges of a run are recorded: rewritten
 * classes call it, and all that it does is to look at the stack when a method is entered.
 *
 * <p>A method that is entered again and again from the callers known already is looked at less and
 * less often, at worst once in 1024 times.
 */
public final class Probe {
    private Probe() {}

    // Descriptors of frames are told since JDK 22 only if classes are retained.
    private static final StackWalker walker =
            StackWalker.getInstance(Set.of(StackWalker.Option.SHOW_REFLECT_FRAMES, StackWalker.Option.RETAIN_CLASS_REFERENCE));
    private static final Set<String> own = ConcurrentHashMap.newKeySet();
    private static final Map<String, Boolean> edges = new ConcurrentHashMap<>();
    private static volatile int[][] waits = new int[0][];
    private static volatile int[][] streaks = new int[0][];

    /** Says which classes are the program's, by binary name in the order of their numbers. */
    public static void start(List<String> classes) {
        own.addAll(classes);
        int[][] w = new int[classes.size()][65536 / 64];
        int[][] s = new int[classes.size()][65536 / 64];
        streaks = s;
        waits = w;
    }

    /** How many tests ran; then a line an edge: class, method, caller or -, its line, frames between. */
    public static void write(String file, long ran) throws IOException {
        try (PrintWriter out = new PrintWriter(file, "UTF-8")) {
            out.println(ran);
            edges.keySet().stream().sorted().forEach(out::println);
        }
    }

    public static void enter(int c, int n) {
        int[][] all = waits;
        if (c >= all.length) {
            return;
        }
        int[] wait = all[c];
        if (n < wait.length && --wait[n] > 0) {
            return;
        }
        boolean fresh = edges.put(walker.walk(s -> edge(c, n, s)), Boolean.TRUE) == null;
        if (n < wait.length) {
            int streak = fresh ? 0 : ++streaks[c][n];
            if (fresh) {
                streaks[c][n] = 0;
            }
            wait[n] = streak < 64 ? 0 : Math.min(1024, streak - 63);
        }
    }

    private static String edge(int c, int n, Stream<StackFrame> frames) {
        Iterator<StackFrame> i = frames.skip(2).iterator();
        List<String> between = new ArrayList<>();
        while (i.hasNext()) {
            StackFrame f = i.next();
            if (own.contains(f.getClassName())) {
                return c + " " + n + " " + f.getClassName() + "." + f.getMethodName() + f.getDescriptor() + " " + f.getLineNumber()
                        + " " + (between.isEmpty() ? "" : String.join(",", between));
            }
            if (between.size() < 8) {
                between.add(f.getClassName() + "." + f.getMethodName());
            }
        }
        return c + " " + n + " - 0 ";
    }

    public static void tryEnter(int c, int n) {}

    public static void caught(Throwable e, int c, int n) {}

    public static void uncaught(Throwable e, int c, int n) {}

    public static void thrown(Throwable e, int c, int n) {}

    public static void rethrown(Throwable e, int c, int n) {}
}
