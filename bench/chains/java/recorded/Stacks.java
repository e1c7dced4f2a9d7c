package recorded;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The call chains of a component that run, read off the whole stack whenever one of its methods begins:
 * no event can be missed, whatever exceptions do. It stands in java.base, so that classes there can
 * call it. One thread is followed.
 */
public final class Stacks {
    private static final int CALLS = 4; // of a chain at most
    private static final StackWalker WALKER = StackWalker.getInstance(
            Set.of(StackWalker.Option.RETAIN_CLASS_REFERENCE, StackWalker.Option.SHOW_REFLECT_FRAMES));

    private static Thread followed; // null: nothing is recorded
    private static boolean busy;
    private static boolean abstracted;
    private static Set<String> classes;
    private static final Map<Class<?>, Boolean> INSIDE = new IdentityHashMap<>();
    private static final Set<String> CHAINS = new LinkedHashSet<>();
    private static final Random RANDOM = new Random(1);
    private static int one = 1; // of so many conditions comes out by chance

    private Stacks() {}

    /** Follows this thread from now on; with random conditions if they are to be abstracted. */
    public static void follow(Set<String> component, boolean random) {
        classes = component;
        abstracted = random;
        followed = Thread.currentThread();
    }

    /** Ends that, and writes each chain: level, and methods with the code index of their call. */
    public static void write(String file) throws IOException {
        followed = null;
        try (PrintWriter out = new PrintWriter(file, "UTF-8")) {
            CHAINS.forEach(out::println);
        }
    }

    /** A method of the component begins. */
    public static void begin() {
        if (followed == null || busy || Thread.currentThread() != followed) {
            return;
        }
        busy = true;
        try {
            String chain = WALKER.walk(Stacks::chain);
            if (chain != null) {
                CHAINS.add(chain);
            }
        } finally {
            busy = false;
        }
    }

    private static boolean inside(Class<?> c) {
        Boolean in = INSIDE.get(c);
        if (in == null) {
            String name = c.getName();
            int nested = name.indexOf('$');
            in = classes.contains(nested < 0 ? name : name.substring(0, nested));
            INSIDE.put(c, in);
        }
        return in;
    }

    /** The chain that ends on top, null where it is too long. */
    private static String chain(Stream<StackWalker.StackFrame> stack) {
        List<StackWalker.StackFrame> run = new ArrayList<>();
        boolean ended = false;
        boolean above = false; // the frame above is of the component, and called by its caller
        int level = 0;
        for (var frames = stack.skip(1).iterator(); frames.hasNext(); ) {
            StackWalker.StackFrame f = frames.next();
            boolean in = inside(f.getDeclaringClass());
            if (!ended && in) {
                run.add(f);
                if (run.size() > CALLS + 1) {
                    return null;
                }
            } else if (in && !above) {
                level++;
            }
            // The VM calls a class initialiser.
            above = in && !f.getMethodName().equals("<clinit>");
            ended |= !above;
        }
        StringBuilder b = new StringBuilder().append(level);
        for (int i = run.size() - 1; i >= 0; i--) {
            StackWalker.StackFrame f = run.get(i);
            b.append('\t').append(f.getDeclaringClass().getName()).append(' ').append(f.getMethodName())
                    .append(f.getDescriptor()).append(' ').append(f.getByteCodeIndex());
        }
        return b.toString();
    }

    /**
     * Whether the condition at hand comes out by chance. Of the choices that the abstracted semantics
     * leaves open, some thousand in a row are mostly those of the conditions themselves, or mostly not:
     * what takes many steps would hardly ever be done by chance alone.
     */
    private static boolean random() {
        if (!abstracted || followed == null || busy || Thread.currentThread() != followed) {
            return false;
        }
        if (RANDOM.nextInt(1000) == 0) {
            one = 1 << RANDOM.nextInt(8);
        }
        return RANDOM.nextInt(one) == 0;
    }

    /** What a condition compares with 0: itself, or what makes it true or false by chance. */
    public static int condition(int value) { return random() ? RANDOM.nextInt(3) - 1 : value; }

    /** What stands for a comparison of two numbers. */
    public static int compare(int a, int b) { return random() ? RANDOM.nextInt(3) - 1 : Integer.compare(a, b); }

    /** What a switch selects by: itself, or one of its keys, or none. */
    public static int select(int value, String keys) {
        if (!random()) {
            return value;
        }
        String[] all = keys.split(" ");
        int at = RANDOM.nextInt(all.length + 1);
        return at < all.length ? Integer.parseInt(all[at]) : value;
    }
}
