package clauses;

import java.io.IOException;

/** Clauses that end by throwing. */
public class Passing {
    static class Bad extends Exception {
        final int code;
        private int asked;
        Bad(String m, int code) { super(m); this.code = code; }
        Bad(String m, Throwable cause, int code) { super(m, cause); this.code = code; }
        int asked() { return ++asked; }
    }

    interface Source { int read() throws IOException; Source next() throws IOException; void close() throws IOException; }

    int failures;
    int total;
    private int level;
    private Source open;
    private final Object lock = new Object();

    static int check(int n) throws Bad {
        if (n < 0) throw new Bad("negative", n);
        return n;
    }

    int countingCheck(int n) throws Bad {
        total += n;
        return check(n);
    }

    int same(int n) throws Bad {
        try {
            return check(n);
        } catch (Bad e) {               //@ clause("passes-on") prepared
            throw e;
        }
    }

    int counts(int n) throws Bad {
        try {
            return check(n);
        } catch (Bad e) {               //@ clause("passes-on") prepared
            failures++;
            throw e;
        }
    }

    int countsWhatTheTryCounts(int n) throws Bad {
        try {
            return countingCheck(n);
        } catch (Bad e) {               //@ clause("open") prepared("field Passing.total: Passing.countingCheck > clause") throws
            total++;
            throw e;
        }
    }

    int wraps(int n) {
        try {
            return check(n);
        } catch (Bad e) {               //@ clause("passes-on") prepared
            throw new IllegalStateException("cannot check " + n, e);
        }
    }

    int wrapsInOwn(int n) throws Bad {
        try {
            return check(n);
        } catch (Bad e) {               //@ clause("passes-on") prepared
            throw new Bad("again: " + e.getMessage(), e, e.code + e.asked());
        }
    }

    int wrapsWithStep(int n) {
        String step = "first";
        try {
            int a = check(n);
            step = "second";
            return a + check(n + 1);
        } catch (Bad e) {               //@ clause("open") prepared("local step: \"second\" > clause") throws
            throw new IllegalStateException(step, e);
        }
    }

    void cleans(Source s) throws IOException {
        Source mine = null;
        try {
            mine = s.next();
            mine.read();
        } catch (IOException e) {       //@ clause("open") prepared("local mine: the result of Source.next > clause", "object mine: Source.read > clause") throws
            mine.close();
            throw e;
        }
    }

    int setsBeforeAnythingThrows(Source s) throws IOException {
        int step = 0;
        try {
            step = 1;
            return s.read();
        } catch (IOException e) {       //@ clause("passes-on") prepared
            failures += step;
            throw e;
        }
    }

    int setsBeforeAndAfter(Source s) throws IOException {
        int step = 0;
        try {
            step = 1;
            s.read();
            step = 2;
            return s.read();
        } catch (IOException e) {       //@ clause("open") prepared("local step: 2 > clause") throws
            failures += step;
            throw e;
        }
    }

    int setsWhereItBranches(Source s, boolean b) throws IOException {
        int step = 0;
        try {
            if (b) {
                step = 1;
            }
            return s.read();
        } catch (IOException e) {       //@ clause("passes-on") prepared
            failures += step;
            throw e;
        }
    }

    void cleansField(Source s) throws IOException {
        try {
            open = s.next();
            s.read();
        } catch (IOException e) {       //@ clause("open") prepared("field Passing.open: the result of Source.next > clause") throws
            open.close();
            throw e;
        }
    }

    void undoes(int n) throws Bad {
        enter();
        try {
            check(n);
            leave();
        } catch (Bad e) {               //@ clause("open") prepared("field Passing.level: Passing.leave > clause") throws
            leave();
            throw e;
        }
    }

    void enter() { level++; }
    void leave() { level--; }

    int synchronizedly(int n) throws Bad {
        synchronized (lock) {
            try {
                return check(n);
            } catch (Bad e) {           //@ clause("passes-on") prepared
                throw e;
            } finally {
                failures++;
            }
        }
    }

    int choosing(int n, boolean strict) throws Bad {
        try {
            return check(n);
        } catch (Bad e) {               //@ clause("passes-on") prepared
            if (strict) {
                throw e;
            }
            throw new RuntimeException(e);
        }
    }

    int finallyReturns(int n) {
        try {
            return check(n);
        } catch (Bad e) {               //@ clause("unaffected") prepared
            throw new IllegalArgumentException(e);
        } finally {
            return n;
        }
    }

    int throwsTheLast(int n) {
        for (int i = 0; ; i++) {
            try {
                return check(n);
            } catch (Bad e) {           //@ clause("open") prepared
                if (i > 2) {
                    throw new IllegalArgumentException(e);
                }
            }
        }
    }

    int outerReturns(int n) {
        int last = 0;
        try {
            try {
                last = check(n);
                return last + check(n - 1);
            } catch (Bad e) {           //@ clause("open") prepared("local last: the result of Passing.check > after returns")
                throw new IllegalArgumentException(e);
            }
        } catch (IllegalArgumentException e) {  //@ clause("open") prepared("local last: the result of Passing.check > clause returns")
            return last;
        }
    }

    int interrupts(Thread t) {
        try {
            t.join();
            return 1;
        } catch (InterruptedException e) {  //@ clause("passes-on") prepared
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    Passing(int n) throws Bad {
        try {
            failures = check(n);
        } catch (Bad e) {               //@ clause("passes-on") prepared
            throw e;
        }
    }

    public static void main(String[] args) throws Exception {
        Passing p = new Passing(args.length);
        p.same(1);
        p.counts(1);
        p.countsWhatTheTryCounts(1);
        p.wraps(1);
        p.wrapsInOwn(1);
        p.wrapsWithStep(1);
        Source s = new Source() {
            private int at;
            public int read() { return ++at; }
            public Source next() { return this; }
            public void close() { }
        };
        p.cleans(s);
        p.cleansField(s);
        p.setsBeforeAnythingThrows(s);
        p.setsBeforeAndAfter(s);
        p.setsWhereItBranches(s, true);
        p.undoes(1);
        p.synchronizedly(1);
        p.choosing(1, true);
        p.outerReturns(1);
        p.interrupts(new Thread());
    }
}
