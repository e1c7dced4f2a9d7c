package readings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Catches that use what only real exceptions have. */
public class Thrown {
    public enum Code { GONE, DENIED }

    /** Its constructor checks, and it is made by a builder. */
    public static final class Built extends Exception {
        final Code code;
        final List<String> details;

        private Built(Builder b) {
            super(b.code.name());
            code = b.code;
            details = Objects.requireNonNull(b.details);
        }

        static class Builder {
            Code code;
            List<String> details;

            Builder code(Code c) {
                code = c;
                return this;
            }

            Built build(String... lines) {
                details = List.of(lines);
                return new Built(this);
            }
        }
    }

    /** The caller fills it in after it has been made. */
    public static class Filled extends Exception {
        String where;

        Filled(String message) {
            super(message);
        }

        Filled at(String place) {
            where = place;
            return this;
        }
    }

    /** Never made by any code here. */
    public static class Unmade extends Exception {
        final Code code;

        Unmade(Code code) {
            this.code = Objects.requireNonNull(code);
        }
    }

    /** It holds containers, and those who pass it on put more into them. */
    public static final class Filling extends RuntimeException {
        final List<String> way = new LinkedList<>();
        final Map<String, int[]> counts = new TreeMap<>(Map.of("here", new int[] {1}));
        final StringBuilder text = new StringBuilder("filling");
        final AtomicInteger seen = new AtomicInteger();
        final List<Object> itself = new ArrayList<>(List.of(this));
        final Object owner;

        Filling(Object owner) {
            this.owner = owner;
        }

        Filling by(String who) {
            way.add(who);
            return this;
        }
    }

    static int filling(int n, Object owner) {
        if (n < 0) {
            throw new Filling(owner).by("filling");
        }
        return n;
    }

    static int built(int n) throws Built {
        if (n < 0) {
            throw new Built.Builder().code(Code.DENIED).build("n", "" + n);
        }
        return n;
    }

    static int filled(int n) throws Filled {
        if (n < 0) {
            throw new Filled("negative: " + n).at("filled");
        }
        return n;
    }

    static int unmade(int n) throws Unmade {
        if (n > 1000) {
            throw new Unmade(Code.values()[n % 2]);
        }
        return n;
    }

    static String details(int n) {
        try {
            return "" + built(n);
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent")
        } catch (Built e) {
            return e.code.name().toLowerCase() + e.details.get(1);
        }
    }

    /** It hands the exception on, with more in it. */
    static int passedOn(int n) throws Filled {
        try {
            return filled(n);
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent")
        } catch (Filled e) {
            e.where += " in passedOn";
            e.addSuppressed(new IllegalStateException("late"));
            throw e;
        }
    }

    /** It puts something into a list that the exception holds, and throws the same one. */
    static int passedBy(int n, Object owner) {
        try {
            return filling(n, owner);
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent") paper("source-independent")
        } catch (Filling e) {
            throw e.by("passedBy");
        }
    }

    /** It changes all kinds of containers, at depth, and what the exception wraps. */
    static int emptied(int n, Object owner) {
        try {
            try {
                return filling(n, owner);
            //@ verdict("source-independent")
            } catch (Filling e) {
                throw new CompletionException(e.by("inner"));
            }
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent") paper("source-independent")
        } catch (CompletionException e) {
            Filling f = (Filling) e.getCause();
            f.counts.get("here")[0] += f.way.size();
            f.counts.put("there", new int[f.seen.incrementAndGet()]);
            f.text.append('!').reverse();
            f.way.remove("inner");
            if (f.itself.remove(0) != f || f.owner != owner) {
                throw new IllegalStateException("another one");
            }
            throw f;
        }
    }

    /** It changes the exception, which the next run copies, and asks where it came from. */
    static String traced(int n) {
        try {
            return "" + filled(n);
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent") paper("source-independent")
        } catch (Filled e) {
            e.addSuppressed(new IllegalStateException("late"));
            return e.getStackTrace()[0].getMethodName() + e.getSuppressed().length;
        }
    }

    /** It takes its trace away, and that of what it wraps, once it has looked at them. */
    static String untraced(int n) {
        String text = "";
        try {
            try {
                filled(n);
            //@ verdict("source-independent")
            } catch (Filled e) {
                throw new UncheckedIOException(new IOException(e));
            }
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent") paper("source-independent")
        } catch (UncheckedIOException e) {
            for (Throwable t = e; t != null; t = t.getCause()) {
                text += t.getStackTrace()[0].getMethodName() + " ";
                t.setStackTrace(new StackTraceElement[0]);
            }
        }
        return text;
    }

    /** Its list is the program's own, which a test looks at and fills before each run. */
    static final class Leak extends RuntimeException {
        static final List<String> OPEN = new ArrayList<>();

        final List<String> open = OPEN;
    }

    static int leaking(int n) {
        if (n < 0) {
            throw new Leak();
        }
        return n;
    }

    static int closed(int n) {
        try {
            return leaking(n);
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent") paper("source-independent")
        } catch (Leak e) {
            e.open.clear();
            return -1;
        }
    }

    /** What it holds is too much to be kept, and stays as the clause left it when the test ran as it is. */
    static int counted(int n) {
        try {
            return filling(n, new int[30_000]);
        //@ usages(pink=0, white=1, blue=0) verdict("not-resilient") paper("source-dependent")
        } catch (Filling e) {
            return ++((int[]) e.owner)[0];
        }
    }

    static String unwrapped(int n) {
        CompletableFuture<Integer> f = CompletableFuture.supplyAsync(() -> {
            try {
                return filled(n);
            //@ verdict("source-independent")
            } catch (Filled e) {
                throw new UncheckedIOException(e.where, new IOException(e));
            }
        });
        try {
            return "" + f.join();
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent")
        } catch (CompletionException e) {
            return ((UncheckedIOException) e.getCause()).getCause().getCause().getMessage();
        }
    }

    /** The test has it throw an exception that it has made before, and asks for that very one: which is another one in each run. */
    static int supplied(Failing source) throws Exception {
        try {
            return source.get();
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent") paper("unknown")
        } catch (IOException e) {
            throw new Exception("wrapped", e);
        }
    }

    interface Failing {
        int get() throws IOException;
    }

    static String described(Failing source) throws IOException {
        return source.toString();
    }

    /** The same, but the failure that the test sees is the clause's doing. */
    static int suppliedAndUsed(Failing source) throws Exception {
        String state = null;
        try {
            state = described(source);
            return source.get();
        //@ usages(pink=0, white=1, blue=0) verdict("source-dependent", "not-resilient")
        } catch (IOException e) {
            throw new Exception(state.substring(0, 8), e);
        }
    }

    /** No test makes the exception, and no code here makes one that the clause could use: it shows nothing that it fails then. */
    static String never(int n) {
        try {
            return "" + unmade(n);
        //@ usages(pink=1, white=0, blue=0) verdict("unknown")
        } catch (Unmade e) {
            return "" + e.code.name().length();
        }
    }

    /** No test makes it here, but another one has it made. */
    static String copied(int n) {
        try {
            return "" + (built(n) * 0 + 6);
        //@ usages(pink=1, white=0, blue=0) verdict("source-independent", "purely-resilient")
        } catch (Built e) {
            return "" + e.code.name().length();
        }
    }

    /** The same, and it is no plan B. */
    static String copiedToo(int n) {
        try {
            return "" + built(n);
        //@ usages(pink=2, white=0, blue=0) verdict("not-resilient")
        } catch (Built e) {
            return e.code.name();
        }
    }
}
