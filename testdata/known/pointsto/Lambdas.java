package pointsto;

import java.io.Serializable;
import java.util.function.Supplier;

/** Which code an object of a functional interface runs: lambdas and method references of every form. */
public class Lambdas {
    interface On<T> {
        void on(T t) throws Failure;
    }

    interface Two {
        void on(String a, String b) throws Failure;
    }

    interface Make {
        Object make() throws Failure;
    }

    static class Target {
        void bound() throws Failure {
            throw new Failure("bound"); //@ site("bound")
        }

        void unbound() throws Failure {
            throw new Failure("unbound"); //@ site("unbound")
        }

        void inherited() throws Failure {
            throw new Failure("inherited"); //@ site("inherited")
        }
    }

    static class Below extends Target {
        @Override
        void unbound() throws Failure {
            throw new Failure("below"); //@ site("below")
        }

        @Override
        void inherited() throws Failure {
            Thrower t = super::inherited;
            t.act();
        }
    }

    static class Made {
        Made() throws Failure {
            throw new Failure("made"); //@ site("made")
        }
    }

    static void statically() throws Failure {
        throw new Failure("static"); //@ site("static")
    }

    static void many(Object... all) throws Failure {
        throw new Failure("many"); //@ site("many")
    }

    static int forms() {
        int caught = 0;
        Thrower lambda = () -> {
            throw new Failure("lambda"); //@ site("lambda")
        };
        Thrower other = () -> {
            throw new Failure("other"); //@ site("otherLambda")
        };
        try {
            lambda.act();
        } catch (Failure e) { //@ includes("lambda") excludes[pta+]("otherLambda", "static") experienced("lambda")
            caught++;
        }
        try {
            other.act();
        } catch (Failure e) { //@ includes("otherLambda") excludes[pta+]("lambda", "bound") experienced("otherLambda")
            caught++;
        }
        try {
            Thrower t = Lambdas::statically;
            t.act();
        } catch (Failure e) { //@ includes("static") excludes[pta+]("lambda", "bound") experienced("static")
            caught++;
        }
        try {
            Thrower t = new Target()::bound;
            t.act();
        } catch (Failure e) { //@ includes("bound") excludes[pta+]("lambda", "static") experienced("bound")
            caught++;
        }
        return caught + moreForms();
    }

    static int moreForms() {
        int caught = 0;
        try {
            On<Target> on = Target::unbound;
            on.on(new Below());
        } catch (Failure e) { //@ includes("below") excludes[pta+]("unbound") experienced("below")
            caught++;
        }
        try {
            Make make = Made::new;
            make.make();
        } catch (Failure e) { //@ includes("made") experienced("made")
            caught++;
        }
        try {
            Two two = Lambdas::many;
            two.on("a", "b");
        } catch (Failure e) { //@ includes("many") experienced("many")
            caught++;
        }
        try {
            Thrower t = (Thrower & Serializable) () -> {
                throw new Failure("serializable"); //@ site("serializable")
            };
            t.act();
        } catch (Failure e) { //@ includes("serializable") excludes[pta+]("lambda") experienced("serializable")
            caught++;
        }
        try {
            new Below().inherited();
        } catch (Failure e) { //@ includes("inherited") experienced("inherited")
            caught++;
        }
        return caught;
    }

    /** What a lambda captures is a field of its object. */
    static int captured() {
        int caught = 0;
        Target below = new Below();
        Target plain = new Target();
        Thrower first = () -> below.unbound();
        Thrower second = () -> plain.unbound();
        try {
            first.act();
        } catch (Failure e) { //@ includes("below") excludes[pta+]("unbound") experienced("below")
            caught++;
        }
        try {
            second.act();
        } catch (Failure e) { //@ includes("unbound") excludes[pta+]("below") experienced("unbound")
            caught++;
        }
        Thrower bound = below::unbound;
        try {
            bound.act();
        } catch (Failure e) { //@ includes("below") excludes[pta+]("unbound") experienced("below")
            caught++;
        }
        return caught;
    }

    /** Initialised by the call of its method through a reference, or by making one. */
    static class Late {
        static final String WHEN = String.valueOf(System.nanoTime());

        static void late() throws Failure {
            throw new Failure("late"); //@ site("late")
        }
    }

    static class LateMade {
        static final String WHEN = String.valueOf(System.nanoTime());

        LateMade() throws Failure {
            throw new Failure("late made"); //@ site("late made")
        }
    }

    /** The class of a reference's method is initialised when that is called. */
    static int late() {
        int caught = 0;
        try {
            Thrower t = Late::late;
            t.act();
        } catch (Failure e) { //@ includes("late") excludes[pta+]("late made") experienced("late")
            caught++;
        }
        try {
            Thrower t = LateMade::new;
            t.act();
        } catch (Failure e) { //@ includes("late made") excludes[pta+]("late") experienced("late made")
            caught++;
        }
        return caught;
    }

    static class Refused extends Failure {
        Refused() {
            super("refused");
        }
    }

    static class Doubt {
        Failure asked() {
            return new Failure("doubt");
        }
    }

    static <E extends Exception> void raise(Supplier<E> of) throws E {
        throw of.get(); //@ site("raise")
    }

    /** What a call throws that an object of a functional interface gives it. */
    static int given() {
        int caught = 0;
        try {
            raise(() -> new Failure("given"));
        } catch (Refused e) { //@ experienced()
            caught = -1;
        } catch (Failure e) { //@ includes("raise") experienced("raise")
            caught++;
        }
        try {
            raise(Refused::new);
        } catch (Refused e) { //@ includes("raise") experienced("raise")
            caught++;
        }
        Doubt doubt = new Doubt();
        try {
            raise(doubt::asked);
        } catch (Refused e) { //@ experienced()
            caught = -1;
        } catch (Failure e) { //@ includes("raise") experienced("raise")
            caught++;
        }
        return caught;
    }

    public static int run() {
        return forms() + captured() + late() + given();
    }
}
