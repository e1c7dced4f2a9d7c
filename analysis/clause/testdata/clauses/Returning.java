package clauses;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Clauses after which the method goes on. */
public class Returning {
    interface Hub {
        boolean ready() throws IOException;
        String read(String key) throws IOException;
    }

    static class Missing extends RuntimeException {
        Missing(String m) { super(m); }
    }

    private static final Logger LOG = Logger.getLogger("returning");
    private static final String NONE = "none";
    private static final Map<String, String> KNOWN = new HashMap<>();

    private final Map<String, String> values = new HashMap<>();
    private String state = "new";
    private int tries;
    private volatile int flag;
    private int[] counts = new int[2];
    static int shared;

    String must(String key) {
        String v = values.get(key);
        if (v == null) throw new Missing(key);
        return v;
    }

    String given(String key, String other) {
        try {
            return must(key);
        } catch (Missing e) {           //@ clause("unaffected") prepared
            return other;
        }
    }

    String constant(Hub h) {
        try {
            h.ready();
            return h.read("k") + " read";
        } catch (IOException e) {       //@ clause("unaffected") prepared
            return NONE;
        }
    }

    String logged(Hub h, String key) {
        try {
            return h.read(key);
        } catch (IOException e) {       //@ clause("unaffected") prepared
            LOG.log(Level.WARNING, "cannot read " + key + ": " + e.getMessage(), e);
            return null;
        }
    }

    String loggedWithStep(Hub h, String key) {
        String step = "ready";
        try {
            h.ready();
            step = key.trim();
            return h.read(step);
        } catch (IOException e) {       //@ clause("open") prepared("local step: the result of String.trim > clause")
            LOG.warning("failed in " + step);
            return null;
        }
    }

    String cached(Hub h) throws IOException {
        boolean ready = false;
        try {
            ready = h.ready();
            return h.read("k");
        } catch (IOException e) {       //@ clause("open") prepared("local ready: the result of Hub.ready > clause")
            if (ready) return "missing";
            throw e;
        }
    }

    int chosen(Hub h) throws IOException {
        boolean known = false;
        boolean asked = false;
        try {
            known = h.read("k") != null;
            asked = true;
            return h.read("l").length();
        } catch (IOException e) {       //@ clause("open") prepared("local known: ? > clause", "local asked: true > clause")
            if (known) return -1;
            if (asked) return -2;
            throw e;
        }
    }

    int usedAfter(Hub h) {
        int length = -1;
        try {
            length = h.read("a").length();
            h.read("b");
        } catch (IOException e) {       //@ clause("open") prepared("local length: the result of String.length > after returns")
            LOG.info("ignored");
        }
        return length;
    }

    int reassigned(Hub h) {
        int length = -1;
        try {
            length = h.read("a").length();
            h.read("b");
        } catch (IOException e) {       //@ clause("unaffected") prepared
            length = 7;
        }
        return length;
    }

    /** What the try sets it to is what it was. */
    int reset(Hub h) {
        String last = null;
        int n = 0;
        try {
            last = null;
            n = 0;
            h.read("a");
        } catch (IOException e) {       //@ clause("unaffected") prepared
            n = last == null ? n : 1;
        }
        return n;
    }

    /** Here another one is there in between. */
    int resetLater(Hub h) {
        String last = null;
        try {
            last = h.read("a");
            h.read(last);
            last = null;
            h.read("b");
        } catch (IOException e) {       //@ clause("open") prepared("local last: the result of Hub.read > clause")
            return last == null ? 0 : 1;
        }
        return 2;
    }

    /** A loop comes back with it. */
    int resetAgain(Hub h) {
        String last = null;
        for (int i = 0; i < 3; i++) {
            try {
                h.ready();
                last = null;
                h.read("a");
            } catch (IOException e) {   //@ clause("open") prepared("local last: null > clause")
                tries += last == null ? 1 : 2;
            }
            last = "" + i;
        }
        return tries;
    }

    int unused(Hub h) {
        int length = -1;
        try {
            length = h.read("a").length();
            h.read("b");
            return length;
        } catch (IOException e) {       //@ clause("unaffected") prepared
            return 0;
        }
    }

    List<String> filled(Hub h) {
        List<String> out = new ArrayList<>();
        try {
            out.add(h.read("a"));
            out.add(h.read("b"));
        } catch (IOException e) {       //@ clause("open") prepared("object out: List.add > after returns")
            LOG.info("not all was read");
        }
        return out;
    }

    List<String> fresh(Hub h) {
        List<String> out = new ArrayList<>();
        try {
            out.add(h.read("a"));
            return out;
        } catch (IOException e) {       //@ clause("unaffected") prepared
            return new ArrayList<>();
        }
    }

    int array(Hub h) {
        int[] seen = new int[1];
        try {
            seen[0] = h.read("a").length();
            h.read("b");
        } catch (IOException e) {       //@ clause("open") prepared("element seen: the result of String.length > after returns")
            LOG.info("ignored");
        }
        return seen[0];
    }

    int atomic(Hub h) {
        AtomicInteger n = new AtomicInteger();
        try {
            n.incrementAndGet();
            h.read("b");
        } catch (IOException e) {       //@ clause("open") prepared("object n: AtomicInteger.incrementAndGet > clause")
            return n.get();
        }
        return 0;
    }

    int captured(Hub h) {
        int[] box = {0};
        try {
            Supplier<Integer> add = () -> ++box[0];
            add.get();
            h.read("b");
        } catch (IOException e) {       //@ clause("open") prepared
            return box[0];
        }
        return 0;
    }

    String fieldByHelper(Hub h) {
        try {
            begin();
            return h.read("k");
        } catch (IOException e) {       //@ clause("open") prepared("field Returning.state: Returning.begin > clause")
            return "failed when " + state;
        }
    }

    String helperReads(Hub h) {
        try {
            begin();
            return h.read("k");
        } catch (IOException e) {       //@ clause("open") prepared("field Returning.state: Returning.begin > clause")
            return describe();
        }
    }

    String helperReadsAnother(Hub h) {
        try {
            return h.read("k");
        } catch (IOException e) {       //@ clause("unaffected") prepared
            return describe();
        }
    }

    void begin() { state = "begun"; }
    String describe() { return "state " + state; }

    void outlives(Hub h) {
        try {
            state = h.read("state");
            h.ready();
        } catch (IOException e) {       //@ clause("open") prepared("field Returning.state: the result of Hub.read > ")
            LOG.info("ignored");
        }
    }

    int readsVolatile(Hub h) {
        try {
            h.ready();
            return 1;
        } catch (IOException e) {       //@ clause("open") prepared
            return flag;
        }
    }

    static int readsStatic(Hub h) {
        try {
            h.ready();
            shared = 1;
            return h.read("k").length();
        } catch (IOException e) {       //@ clause("open") prepared("field Returning.shared: 1 > clause returns")
            return shared;
        }
    }

    int looks(Hub h) {
        try {
            h.ready();
            return 1;
        } catch (IOException e) {       //@ clause("open") prepared
            return KNOWN.size();
        }
    }

    int again(Hub h) {
        while (true) {
            try {
                return h.read("k").length();
            } catch (IOException e) {   //@ clause("open") prepared
                LOG.info("once more");
            }
        }
    }

    int countedLoop(Hub h, List<String> keys) {
        int good = 0;
        for (String k : keys) {
            try {
                h.read(k);
                good++;
            } catch (IOException e) {   //@ clause("open") prepared
                LOG.info("left out");
            }
        }
        return good;
    }

    String inLoop(Hub h) {
        String last = null;
        for (int i = 0; i < 3; i++) {
            last = null;
            try {
                last = h.read("k");
                h.ready();
            } catch (IOException e) {   //@ clause("open") prepared("local last: the result of Hub.read > clause returns")
                return last;
            }
        }
        return last;
    }

    int nested(Hub h) {
        int n = 0;
        try {
            try {
                n = h.read("a").length();
                h.ready();
            } catch (IllegalStateException e) { //@ clause("open") prepared("local n: the result of String.length > after", "object h: Hub.read, Hub.ready > after")
                LOG.info("inner");
            }
            n += 1;
            h.ready();
        } catch (IOException e) {       //@ clause("unaffected") prepared
            return -1;
        }
        return n;
    }

    int finallyReads(Hub h) {
        int n = 0;
        try {
            n = h.read("a").length();
            h.ready();
        } catch (IOException e) {       //@ clause("open") prepared("local n: the result of String.length > after")
            LOG.info("read");
        } finally {
            System.out.println(n);
        }
        return 0;
    }

    String resource(Supplier<Reader> s) {
        try (Reader r = s.get()) {
            return r.next();
        } catch (IOException e) {       //@ clause("open") prepared("field Returning.shared: Reader.close > ")
            return "";
        }
    }

    String quietResource(Supplier<Quiet> s) {
        try (Quiet r = s.get()) {
            return r.next();
        } catch (IOException e) {       //@ clause("unaffected") prepared
            return "";
        }
    }

    static class Quiet implements AutoCloseable {
        private int at;
        String next() throws IOException { at++; return "x"; }
        public void close() throws IOException { at = -1; }
    }

    static class Reader implements AutoCloseable {
        String next() throws IOException { return "x"; }
        public void close() throws IOException { shared++; }
    }

    Supplier<String> inLambda(Hub h) {
        return () -> {
            String got = "";
            try {
                got = h.read("a");
                return got + h.read("b");
            } catch (IOException e) {   //@ clause("open") prepared("local got: the result of Hub.read > clause returns")
                return got;
            }
        };
    }

    Supplier<String> lambdaConstant(Hub h) {
        return () -> {
            try {
                return h.read("b");
            } catch (IOException e) {   //@ clause("unaffected") prepared
                return "";
            }
        };
    }

    Returning(Hub h) {
        try {
            state = h.read("state");
            tries = h.read("tries").length();
        } catch (IOException e) {       //@ clause("open") prepared("field Returning.state: the result of Hub.read > ", "field Returning.tries: the result of String.length > ")
            LOG.info("defaults");
        }
    }

    public static void main(String[] args) throws Exception {
        Hub h = new Hub() {
            private final AtomicInteger reads = new AtomicInteger();
            public boolean ready() { return reads.incrementAndGet() > 0; }
            public String read(String key) { reads.incrementAndGet(); return key; }
        };
        Returning r = new Returning(h);
        r.given("a", "b");
        r.constant(h);
        r.logged(h, "k");
        r.loggedWithStep(h, "k");
        r.cached(h);
        r.chosen(h);
        r.usedAfter(h);
        r.reassigned(h);
        r.reset(h);
        r.resetLater(h);
        r.resetAgain(h);
        r.unused(h);
        r.filled(h);
        r.fresh(h);
        r.array(h);
        r.atomic(h);
        r.captured(h);
        r.fieldByHelper(h);
        r.helperReads(h);
        r.helperReadsAnother(h);
        r.outlives(h);
        r.readsVolatile(h);
        readsStatic(h);
        r.looks(h);
        r.again(h);
        r.countedLoop(h, r.filled(h));
        r.inLoop(h);
        r.nested(h);
        r.finallyReads(h);
        r.resource(Reader::new);
        r.quietResource(Quiet::new);
        r.inLambda(h).get();
        r.lambdaConstant(h).get();
    }
}
