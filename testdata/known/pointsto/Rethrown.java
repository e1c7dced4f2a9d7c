package pointsto;

/**
 * One method throws what others give it: in each call what that passes, which is of the type that an
 * instanceof has found.
 */
public class Rethrown {
    static class Usual extends Failure {
        Usual() {
            super("usual");
        }
    }

    static class Unusual extends Failure {
        Unusual() {
            super("unusual");
        }
    }

    static class Rare extends Failure {
        Rare() {
            super("rare");
        }
    }

    @SuppressWarnings("unchecked")
    static <T extends Throwable> void sneak(Throwable t) throws T {
        throw (T) t; //@ site("sneaky")
    }

    static void ifUnusual(Throwable t) throws Failure {
        if (t instanceof Unusual) {
            Rethrown.<Failure>sneak(t);
        }
    }

    static void ifNotUnusual(Throwable t) throws Failure {
        if (!(t instanceof Unusual)) {
            Rethrown.<Failure>sneak(t);
        }
    }

    static void ifEither(Throwable t) throws Failure {
        if (t instanceof Unusual || t instanceof Rare) {
            Rethrown.<Failure>sneak(t);
        }
    }

    static void ifThisOne(Throwable t, Throwable other) throws Failure {
        if (other instanceof Unusual) {
            Rethrown.<Failure>sneak(t);
        }
    }

    static void ifRare(Failure f) throws Failure {
        if (f instanceof Rare) {
            throw (Failure) (Object) f; //@ site("rare")
        }
    }

    static Failure never(String text) throws Rare {
        return never(text, 1);
    }

    static Failure never(String text, int times) throws Rare {
        throw new Rare(); //@ site("never")
    }

    static Failure given(String text) {
        return given(text, 1);
    }

    static Failure given(String text, int times) {
        return times > 1 ? given(text, times - 1) : new Rare();
    }

    static final Throwable[] ALL = {new Unusual(), new Usual(), new Rare()};

    public static int run() {
        int caught = 0;
        for (Throwable t : ALL) {
            try {
                ifUnusual(t);
            } catch (Unusual e) { //@ includes("sneaky") experienced("sneaky")
                caught++;
            } catch (Usual e) { //@ excludes[obj-dr]("sneaky")
                caught += 100;
            } catch (Failure e) {
                caught += 100;
            }
            try {
                ifNotUnusual(t);
            } catch (Usual e) { //@ includes("sneaky") experienced("sneaky")
                caught++;
            } catch (Failure e) {
                caught++;
            }
            try {
                ifEither(t);
            } catch (Unusual e) { //@ includes("sneaky") experienced("sneaky")
                caught++;
            } catch (Rare e) { //@ includes("sneaky") experienced("sneaky")
                caught++;
            } catch (Failure e) {
                caught += 100;
            }
            try {
                ifThisOne(t, ALL[0]);
            } catch (Unusual e) { //@ includes("sneaky") experienced("sneaky")
                caught++;
            } catch (Usual e) { //@ includes("sneaky") experienced("sneaky")
                caught++;
            } catch (Failure e) {
                caught++;
            }
        }
        try {
            Rethrown.<Failure>sneak(new Rare());
        } catch (Usual e) { //@ excludes[obj-dr]("sneaky")
            caught += 100;
        } catch (Rare e) { //@ includes("sneaky") experienced("sneaky")
            caught++;
        } catch (Failure e) {
            caught += 100;
        }
        try {
            throw never("a"); //@ site("never given")
        } catch (Rare e) { //@ includes("never") excludes[pta+]("never given") experienced("never")
            caught++;
        } catch (Failure e) {
            caught += 100;
        }
        try {
            throw given("a"); //@ site("given")
        } catch (Rare e) { //@ includes("given") experienced("given")
            caught++;
        } catch (Failure e) {
            caught += 100;
        }
        for (Throwable t : ALL) {
            try {
                ifRare((Failure) t);
            } catch (Usual e) { //@ excludes[pta+]("rare")
                caught += 100;
            } catch (Rare e) { //@ includes("rare") experienced("rare")
                caught++;
            } catch (Failure e) {
                caught += 100;
            }
        }
        return caught;
    }
}
