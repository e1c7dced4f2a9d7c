package looks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A catch, and tests that look at what comes from it or at what the try does. */
public class Looks {
    interface Step {
        String run();
    }

    interface Listener {
        void failed(String why);
    }

    static class Context {
        int failures;
        int runs;

        int failures() {
            return failures;
        }

        int runs() {
            return runs;
        }
    }

    final Context context = new Context();

    String guarded(Step step, Listener listener) {
        try {
            context.runs++;
            return step.run();
        } catch (IllegalStateException e) {
            context.failures++;
            listener.failed(e.getMessage());
            return "failed";
        }
    }

    static void same(Object expected, Object is) {
        if (!expected.equals(is)) {
            throw new AssertionError(is);
        }
    }

    static class Tests {
        private final Looks l = new Looks();
        private final List<String> told = new ArrayList<>();
        private int ran;
        private Context seen;

        String fails() {
            ran++;
            seen = l.context;
            throw new IllegalStateException("no");
        }

        Context seen() {
            return seen;
        }

        void given() {
            same("failed", l.guarded(this::fails, told::add)); //@ looks("given", "Looks.guarded")
        }

        void given(String expected) {
            String is = l.guarded(this::fails, told::add);
            String both = is + "!";
            same(expected, both); //@ looks("given", "Looks.guarded")
        }

        void written() {
            l.guarded(this::fails, told::add);
            same(1, l.context.failures()); //@ looks("given")
        }

        void worked() {
            l.guarded(this::fails, told::add);
            same(1, ran); //@ looks("work", "Tests.ran")
        }

        void counted() {
            l.guarded(this::fails, told::add);
            same(1, l.context.runs()); //@ looks("work", "Context.runs")
        }

        void called() {
            AtomicInteger calls = new AtomicInteger();
            l.guarded(() -> "" + calls.incrementAndGet(), s -> {});
            same(1, calls.get()); //@ looks("work", "calls")
        }

        private Step counting(AtomicInteger calls) {
            return () -> {
                calls.incrementAndGet();
                throw new IllegalStateException("no");
            };
        }

        void helped() {
            AtomicInteger calls = new AtomicInteger();
            l.guarded(counting(calls), s -> {});
            same(1, calls.get()); //@ looks("work", "calls")
        }

        void heard() {
            AtomicInteger calls = new AtomicInteger();
            l.guarded(this::fails, s -> calls.incrementAndGet());
            same(1, calls.get()); //@ looks("given")
        }

        void listened() {
            l.guarded(this::fails, this::tell);
            same(1, told.size()); //@ looks("given", "Tests.told")
        }

        private void tell(String s) {
            told.add(s);
        }

        void null0() {
            l.guarded(this::fails, told::add);
            same(1, seen().failures()); //@ looks("work", "Tests.seen", "looks.Looks$Tests.seen()")
        }

        void threw() {
            l.guarded(this::fails, told::add);
            throw new AssertionError("it should not come here"); //@ looks("given")
        }

        void nothing() {
            throw new AssertionError("it never works"); //@ looks("work")
        }

        public static void main(String[] args) {
            Tests t = new Tests();
            t.given();
            t.given("x");
            t.written();
            t.worked();
            t.counted();
            t.called();
            t.helped();
            t.heard();
            t.listened();
            t.null0();
            t.threw();
            t.nothing();
        }
    }
}
