package pointsto;

import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * The compiler's promise about a type variable in a throws clause, broken by unchecked casts and raw
 * types, so that a checked exception leaves methods that do not declare it; and kept by honest code,
 * through which none comes.
 */
@SuppressWarnings({"unchecked", "rawtypes"})
public class Promises {
    interface Getter<R, E extends Exception> {
        R get() throws E;

        default Getter<R, E> again() {
            return () -> get();
        }
    }

    /** Says nothing of the exceptions by itself: they are those of what it extends. */
    interface Named<E extends Exception> extends Getter<String, E> {
    }

    /** The same with a class, and a variable that stands elsewhere. */
    abstract static class Task<E extends Exception, T> {
        abstract void work(T with) throws E;
    }

    static <R> R byWildcard(Getter<R, ? extends Exception> g) {
        return ((Getter<R, RuntimeException>) g).get();
    }

    static <R, E extends Exception> R run(Getter<R, E> g) throws E {
        return g.get();
    }

    static Object byRawType(Getter g) {
        Getter<Object, RuntimeException> h = g;
        return run(h);
    }

    static <R> Supplier<R> byLambda(Getter<R, ?> g) {
        return () -> ((Getter<R, RuntimeException>) g).get();
    }

    static <R> Supplier<R> byReference(Getter<R, ?> g) {
        return ((Getter<R, RuntimeException>) g)::get;
    }

    static <R> Supplier<R> byAnonymousClass(Getter<R, ?> g) {
        return new Supplier<R>() {
            @Override
            public R get() {
                return ((Getter<R, RuntimeException>) g).get();
            }
        };
    }

    static class CastWhenUsed {
        private final Getter<String, ? extends Exception> kept;

        CastWhenUsed(Getter<String, ? extends Exception> kept) {
            this.kept = kept;
        }

        String use() {
            return ((Getter<String, RuntimeException>) kept).get();
        }
    }

    static class CastWhenKept {
        private final Getter<String, RuntimeException> kept;

        CastWhenKept(Getter<String, ? extends Exception> kept) {
            this.kept = (Getter<String, RuntimeException>) kept;
        }

        String use() {
            return kept.get();
        }
    }

    static <R> Getter<R, RuntimeException> returned(Getter<R, ?> g) {
        return (Getter<R, RuntimeException>) g;
    }

    static <R, E extends Exception> Getter<R, E> returnedAsAny(Getter<R, ?> g) {
        return (Getter<R, E>) g;
    }

    static String passed(Getter<String, RuntimeException> g) {
        return g.get();
    }

    static <R, X extends Exception> R byNothing(Getter<R, ?> g) throws X {
        return ((Getter<R, X>) g).get();
    }

    static String bySubtype(Named<?> g) {
        Getter<String, RuntimeException> h = (Getter<String, RuntimeException>) (Getter<String, ?>) g;
        return h.get();
    }

    static void byClass(Task<?, String> t) {
        ((Task<RuntimeException, String>) t).work("");
    }

    /** Declared to return what it never returns, so that callers can write "throw hide(e)". */
    static RuntimeException hide(Throwable t) {
        Promises.<RuntimeException>hideAs(t);
        return null;
    }

    private static <X extends Throwable> void hideAs(Throwable t) throws X {
        throw (X) t; //@ site("hidden")
    }

    interface Source<R> {
        R give();
    }

    static <R> Source<R> hiding(Callable<R> c) {
        return () -> {
            try {
                return c.call();
            } catch (Exception e) {
                throw hide(e);
            }
        };
    }

    static class Later {
        private Throwable kept;

        void keep(Throwable t) {
            kept = t;
        }

        <X extends Throwable> void raise() throws X {
            if (kept != null) {
                throw (X) kept; //@ site("raised")
            }
        }
    }

    // Honest code.

    static String declares(Getter<String, Failure> g) throws Failure {
        return g.get();
    }

    static String throwsNone(Getter<String, RuntimeException> g) {
        return g.get();
    }

    static <R, E extends Exception> Getter<R, E> same(Getter<R, E> g) {
        return g;
    }

    static <R> Supplier<R> captures(Getter<R, RuntimeException> g) {
        return () -> g.get();
    }

    static final Getter NOTHING = () -> null;

    static <R, E extends Exception> Getter<R, E> nothing() {
        return NOTHING;
    }

    static class Keeps<E extends Exception> {
        final Getter<String, E> kept;

        Keeps(Getter<String, E> kept) {
            this.kept = kept;
        }

        String use() throws E {
            return kept.get();
        }
    }

    static String loads(Keeps<RuntimeException> k) {
        return k.kept.get();
    }

    static void fail(boolean yes, String message) throws Failure {
        if (yes) {
            throw new Failure(message); //@ site("fail")
        }
    }

    static int caught;

    static void cast() {
        try {
            byWildcard(() -> {
                throw new Failure("wildcard"); //@ site("wildcard")
            });
        } catch (Exception e) { //@ includes("wildcard") excludes[pta+]("raw", "subtype") experienced("wildcard")
            caught++;
        }
        try {
            byRawType((Getter<String, Failure>) () -> {
                throw new Failure("raw"); //@ site("raw")
            });
        } catch (Exception e) { //@ includes("raw") excludes[pta+]("wildcard") experienced("raw")
            caught++;
        }
        try {
            bySubtype((Named<Failure>) () -> {
                throw new Failure("subtype"); //@ site("subtype")
            });
        } catch (Exception e) { //@ includes("subtype") excludes[pta+]("wildcard") experienced("subtype")
            caught++;
        }
        try {
            Promises.<String, RuntimeException>byNothing(() -> {
                throw new Failure("nothing"); //@ site("nothing")
            });
        } catch (Exception e) { //@ includes("nothing") excludes[pta+]("wildcard") experienced("nothing")
            caught++;
        }
        try {
            byClass(new Task<Failure, String>() {
                @Override
                void work(String with) throws Failure {
                    throw new Failure("class"); //@ site("class")
                }
            });
        } catch (Exception e) { //@ includes("class") excludes("wildcard") experienced("class")
            caught++;
        }
    }

    static void later() {
        Supplier<String> lambda = byLambda(() -> {
            throw new Failure("lambda"); //@ site("lambda")
        });
        try {
            lambda.get();
        } catch (Exception e) { //@ includes("lambda") excludes[pta+]("wildcard") experienced("lambda")
            caught++;
        }
        Supplier<String> reference = byReference(() -> {
            throw new Failure("reference"); //@ site("reference")
        });
        try {
            reference.get();
        } catch (Exception e) { //@ includes("reference") excludes[pta+]("wildcard") experienced("reference")
            caught++;
        }
        Supplier<String> anonymous = byAnonymousClass(() -> {
            throw new Failure("anonymous"); //@ site("anonymous")
        });
        try {
            anonymous.get();
        } catch (Exception e) { //@ includes("anonymous") excludes[pta+]("wildcard") experienced("anonymous")
            caught++;
        }
    }

    static void kept() {
        CastWhenUsed used = new CastWhenUsed(() -> {
            throw new Failure("used"); //@ site("used")
        });
        try {
            used.use();
        } catch (Exception e) { //@ includes("used") excludes[pta+]("wildcard") experienced("used")
            caught++;
        }
        CastWhenKept kept = new CastWhenKept(() -> {
            throw new Failure("kept"); //@ site("kept")
        });
        try {
            kept.use();
        } catch (Exception e) { //@ includes("kept") excludes[pta+]("wildcard") experienced("kept")
            caught++;
        }
        try {
            returned(() -> {
                throw new Failure("returned"); //@ site("returned")
            }).get();
        } catch (Exception e) { //@ includes("returned") excludes[pta+]("wildcard") experienced("returned")
            caught++;
        }
        Getter<String, RuntimeException> any = returnedAsAny(() -> {
            throw new Failure("any"); //@ site("any")
        });
        try {
            any.get();
        } catch (Exception e) { //@ includes("any") excludes[pta+]("wildcard") experienced("any")
            caught++;
        }
        try {
            passed((Getter) (Getter<String, Failure>) () -> {
                fail(true, "passed");
                return "";
            });
        } catch (Exception e) { //@ includes("fail") excludes[pta+]("wildcard") experienced("fail")
            caught++;
        }
    }

    static void hidden() {
        try {
            try {
                fail(true, "thrown");
            } catch (Failure e) { //@ includes("fail") experienced("fail")
                throw hide(e);
            }
        } catch (Exception e) { //@ includes("hidden") experienced("hidden")
            caught++;
        }
        try {
            try {
                fail(true, "called");
            } catch (Failure e) { //@ includes("fail") experienced("fail")
                hide(e);
            }
        } catch (Exception e) { //@ includes("hidden") experienced("hidden")
            caught++;
        }
        Source<String> s = hiding(() -> {
            fail(true, "supplied");
            return "";
        });
        try {
            s.give();
        } catch (Exception e) { //@ includes("hidden") experienced("hidden")
            caught++;
        }
        Later later = new Later();
        try {
            fail(true, "later");
        } catch (Failure e) { //@ includes("fail") experienced("fail")
            later.keep(e);
        }
        try {
            later.<RuntimeException>raise();
        } catch (Exception e) { //@ includes("raised") experienced("raised")
            caught++;
        }
    }

    static void honest() {
        Getter<String, Failure> failing = () -> {
            fail(true, "honest");
            return "";
        };
        Getter<String, RuntimeException> quiet = () -> "";
        try {
            declares(failing);
        } catch (Failure e) { //@ includes("fail") experienced("fail")
            caught++;
        } catch (Exception e) { //@ nolinks experienced
            caught++;
        }
        try {
            run(failing);
        } catch (Exception e) { //@ includes("fail") experienced("fail")
            caught++;
        }
        try {
            throwsNone(quiet);
        } catch (Exception e) { //@ nolinks experienced
            caught++;
        }
        try {
            same(quiet).get();
        } catch (Exception e) { //@ nolinks[pta+] experienced
            caught++;
        }
        try {
            captures(quiet).get();
        } catch (Exception e) { //@ excludes[pta+]("fail", "wildcard") experienced
            caught++;
        }
        try {
            Promises.<String, RuntimeException>nothing().get();
        } catch (Exception e) { //@ nolinks[pta+] experienced
            caught++;
        }
        Keeps<RuntimeException> keeps = new Keeps<>(quiet);
        try {
            keeps.use();
        } catch (Exception e) { //@ nolinks[pta+] experienced
            caught++;
        }
        try {
            loads(keeps);
        } catch (Exception e) { //@ nolinks[pta+] experienced
            caught++;
        }
        try {
            quiet.again().get();
        } catch (Exception e) { //@ nolinks[pta+] experienced
            caught++;
        }
    }

    public static int run() {
        caught = 0;
        cast();
        later();
        kept();
        hidden();
        honest();
        return caught;
    }
}
