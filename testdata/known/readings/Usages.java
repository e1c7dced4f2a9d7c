package readings;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Tests that make a catch run and need its try to work elsewhere. */
public class Usages {
    static class Missing extends Exception {
        Missing(String key) {
            super(key);
        }
    }

    final Map<String, String> values = new HashMap<>();

    String must(String key) throws Missing {
        String value = values.get(key);
        if (value == null) {
            throw new Missing(key);
        }
        return value;
    }

    /** One test uses it for a key that is there and for one that is not. */
    String get(String key, String otherwise) {
        try {
            return must(key);
        //@ usages(pink=1, white=1, blue=0) verdict("source-independent", "not-resilient") paper("unknown")
        } catch (Missing e) {
            return otherwise;
        }
    }

    /** A loop: white in the middle, and at the end again. */
    List<String> all(String... keys) {
        List<String> found = new ArrayList<>();
        for (String key : keys) {
            try {
                found.add(must(key));
            //@ usages(pink=2, white=2, blue=0) verdict("source-independent", "not-resilient") paper("unknown")
            } catch (Missing e) {
                found.add("no " + e.getMessage());
            }
        }
        return found;
    }

    /** The catch of an outer call catches what comes after the inner calls have ended. */
    String path(String key, int depth) {
        try {
            String below = depth == 0 ? "" : "/" + path(key, depth - 1);
            return must(key + depth) + below;
        //@ usages(pink=4, white=1, blue=0) verdict("source-independent", "not-resilient")
        } catch (Missing e) {
            return "*";
        }
    }

    /** It works on a thread of a pool, where the exception comes, and on the caller's. */
    String pooled(String key) throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            Callable<String> task = () -> quiet(key);
            return pool.submit(task).get() + quiet("there");
        } finally {
            pool.shutdown();
        }
    }

    private String quiet(String key) {
        try {
            return must(key);
        //@ usages(pink=1, white=1, blue=0) verdict("source-independent", "not-resilient") paper("unknown")
        } catch (Missing e) {
            return "none";
        }
    }

    /** A retry: the second attempt works, and has to. */
    String retried(String key) {
        for (int attempt = 0; ; attempt++) {
            try {
                if (attempt > 0) {
                    values.put(key, "restored");
                }
                return must(key);
            //@ usages(pink=1, white=1, blue=0) verdict("source-independent", "not-resilient") paper("unknown")
            } catch (Missing e) {
                if (attempt > 1) {
                    return "given up";
                }
            }
        }
    }

    int measured(String key) throws Missing {
        return key.length();
    }

    /** It does depend on what the try has done: in a test that needs the try elsewhere, too. */
    String counted(String key) {
        int looked = 0;
        try {
            looked += measured(key);
            return must(key);
        //@ usages(pink=1, white=1, blue=0) verdict("source-dependent", "not-resilient") paper("unknown")
        } catch (Missing e) {
            return "looked " + looked;
        }
    }

    /** Only the second of its white executions depends on the try. */
    List<String> drained(String... keys) {
        List<String> found = new ArrayList<>();
        String last = "none";
        for (String key : keys) {
            try {
                last = key;
                found.add(must(key));
            //@ usages(pink=1, white=2, blue=0) verdict("source-dependent", "not-resilient") paper("unknown")
            } catch (Missing e) {
                found.add(found.isEmpty() ? "first" : last);
            }
        }
        return found;
    }
}
