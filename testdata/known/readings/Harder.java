package readings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ExecutionException;

/** Usages that mix in ways of their own, and exceptions that only their program can make. */
public class Harder {
    public static class Bad extends Exception {
        Bad(String message) {
            super(message);
        }
    }

    static int check(int n) throws Bad {
        if (n < 0) {
            throw new Bad("negative: " + n);
        }
        return n;
    }

    /** The innermost of four executions catches; all are under way at the same time. */
    static int nested(int n) {
        try {
            return n == 3 ? check(-1) : nested(n + 1) + 1;
        //@ usages(pink=3, white=1, blue=0) verdict("source-independent", "not-resilient") paper("unknown")
        } catch (Bad e) {
            return 100;
        }
    }

    /** Two threads of a pool share the executions, whichever of them takes which. */
    static List<Integer> pooled(int... in) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            List<Future<Integer>> futures = new ArrayList<>();
            for (int i : in) {
                futures.add(pool.submit(() -> {
                    try {
                        return check(i);
                    //@ usages(pink=2, white=2, blue=0) verdict("source-independent", "not-resilient") paper("unknown")
                    } catch (Bad e) {
                        return -100;
                    }
                }));
            }
            List<Integer> out = new ArrayList<>();
            for (Future<Integer> f : futures) {
                out.add(f.get());
            }
            return out;
        } finally {
            pool.shutdown();
        }
    }

    final int base;

    Harder(int base) {
        this.base = base;
    }

    /** It knows the object that it was made in. */
    class Inner extends Exception {
        int state() {
            return base;
        }
    }

    int inner(int n) {
        try {
            if (n < 0) {
                throw new Inner();
            }
            return n;
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent")
        } catch (Inner e) {
            return e.state() * 2;
        }
    }

    abstract static class Saying extends Exception {
        abstract String say();
    }

    static String anonymous(int n) {
        try {
            if (n < 0) {
                throw new Saying() {
                    @Override
                    String say() {
                        return "n" + n;
                    }
                };
            }
            return "";
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent")
        } catch (Saying e) {
            return e.say();
        }
    }

    static void query() throws SQLException {
        SQLException first = new SQLException("a", "S1", 1);
        first.setNextException(new SQLException("b", "S2", 2));
        throw first;
    }

    static String chained() {
        try {
            query();
            return "";
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent")
        } catch (SQLException e) {
            String states = "";
            for (Throwable t : e) {
                states += ((SQLException) t).getSQLState();
            }
            return states;
        }
    }

    static class Resource implements AutoCloseable {
        final String name;

        Resource(String name) {
            this.name = name;
        }

        @Override
        public void close() throws IOException {
            throw new IOException("close " + name);
        }
    }

    /** What its resources threw when they were closed is suppressed. */
    static String closed(int n) {
        try (Resource a = new Resource("a"); Resource b = new Resource("b")) {
            return "" + check(n);
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent")
        } catch (Bad e) {
            return e.getSuppressed()[0].getMessage() + ", " + e.getSuppressed()[1].getMessage();
        //@ verdict("not-resilient")
        } catch (IOException e) {
            return "closed";
        }
    }

    /** Its cause is a field of its own. */
    static class Holding extends RuntimeException {
        private final Exception real;

        Holding(Exception real) {
            this.real = real;
        }

        @Override
        public Throwable getCause() {
            return real;
        }
    }

    static int held(int n) throws Bad {
        try {
            try {
                return check(n);
            //@ verdict("source-independent")
            } catch (Bad e) {
                throw new Holding(e);
            }
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent")
        } catch (Holding e) {
            throw (Bad) e.getCause();
        }
    }

    /** Each of three wrappers is unwrapped. */
    static String unwrapped(int n) throws InterruptedException {
        FutureTask<Integer> task = new FutureTask<>(() -> {
            try {
                return check(n);
            //@ verdict("source-independent")
            } catch (Bad e) {
                throw new UncheckedIOException(new IOException(e));
            }
        });
        task.run();
        try {
            return "" + task.get();
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent")
        } catch (ExecutionException e) {
            Throwable t = e;
            while (t.getCause() != null) {
                t = t.getCause();
            }
            return ((Bad) t).getMessage();
        }
    }

    interface Call {
        int call(int n) throws Bad;
    }

    static int proxied(int n) throws Throwable {
        Class<?>[] types = {Call.class};
        Call c = (Call) Proxy.newProxyInstance(Harder.class.getClassLoader(), types, (p, m, a) -> {
            throw new IOException("proxy");
        });
        try {
            return c.call(n);
        //@ usages(pink=0, white=1, blue=0) verdict("source-independent")
        } catch (UndeclaredThrowableException e) {
            throw e.getUndeclaredThrowable();
        }
    }

    /** How far it came decides. */
    static int counted(List<Integer> all) {
        int done = 0;
        try {
            for (int x : all) {
                check(x);
                done++;
            }
            return done;
        //@ usages(pink=0, white=1, blue=0) verdict("source-dependent", "not-resilient") paper("source-dependent")
        } catch (Bad e) {
            return -1 - done;
        }
    }
}
