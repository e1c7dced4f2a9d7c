package impossible;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** What a helper throws that a lambda gives it: below one call of the helper, that of the call. */
public class Given {
    static class Failure extends RuntimeException {
        Failure(String message) {
            super(message);
        }
    }

    static class Made extends RuntimeException {
    }

    static class Other extends RuntimeException {
        Other renamed() {
            return new Other();
        }
    }

    static final Map<String, Supplier<RuntimeException>> FACTORIES = new HashMap<>();
    static final ThreadLocal<Deque<Failure>> PENDING = ThreadLocal.withInitial(ArrayDeque::new);

    static <E extends RuntimeException> void raise(Supplier<E> of) {
        throw of.get();
    }

    static void number(IntFunction<RuntimeException> of) {
        throw of.apply(1);
    }

    /** A constructor that makes one more exception, which it does not give. */
    static class Wrapper extends RuntimeException {
        final Other inside = new Other();
    }

    static void given(boolean missing) {
        try {
            raise(() -> new Failure("lambda"));
        } catch (Failure e) { //@ includes("impossible.Given.raise")
            System.out.println(e);
        } catch (Made | Other e) { //@ includes[pta]("impossible.Given.raise") excludes[obj-dr]("impossible.Given.raise")
            System.out.println(e);
        }
        try {
            raise(Made::new);
        } catch (Failure e) { //@ includes[pta]("impossible.Given.raise") excludes[obj-dr]("impossible.Given.raise")
            System.out.println(e);
        } catch (Made e) { //@ includes("impossible.Given.raise")
            System.out.println(e);
        }
        try {
            raise(Wrapper::new);
        } catch (Other e) { //@ includes[pta]("impossible.Given.raise") excludes[obj-dr]("impossible.Given.raise")
            System.out.println(e);
        } catch (Wrapper e) { //@ includes("impossible.Given.raise")
            System.out.println(e.inside);
        }
        try {
            raise(new Other()::renamed);
        } catch (Failure e) { //@ includes[pta]("impossible.Given.raise") excludes[obj-dr]("impossible.Given.raise")
            System.out.println(e);
        } catch (Other e) { //@ includes("impossible.Given.raise")
            System.out.println(e);
        }
        Supplier<RuntimeException> either = missing ? () -> new Failure("either") : Other::new;
        try {
            raise(either);
        } catch (Failure e) { //@ includes("impossible.Given.raise")
            System.out.println(e);
        } catch (Other e) { //@ includes("impossible.Given.raise")
            System.out.println(e);
        } catch (Made e) { //@ includes[pta]("impossible.Given.raise") excludes[obj-dr]("impossible.Given.raise")
            System.out.println(e);
        }
        try {
            number(k -> k == 1 ? new Made() : null);
        } catch (Made e) { //@ includes("impossible.Given.number")
            System.out.println(e);
        }
    }

    /** The JDK looks classes up below Map.get, and there asks Optionals of its own. */
    static int asked(String kind, List<String> names) {
        try {
            return names.stream().findFirst().orElseThrow(() -> new Failure("none")).length();
        } catch (Failure e) { //@ includes("java.util.Optional.orElseThrow")
            System.out.println(e);
        }
        try {
            throw FACTORIES.get(kind).get();
        } catch (Failure e) { //@ includes("impossible.Given.asked") excludes[obj-dr]("java.util.Optional.orElseThrow")
            System.out.println(e);
        }
        PENDING.get().push(new Failure("pending"));
        try {
            throw PENDING.get().pop();
        } catch (Failure e) { //@ includes("impossible.Given.asked") excludes[obj-dr]("java.util.Optional.orElseThrow")
            return 2;
        }
    }

    public static void main(String[] args) {
        FACTORIES.put("failure", () -> new Failure("factory"));
        given(args.length == 0);
        asked(args[0], List.of(args));
    }
}
