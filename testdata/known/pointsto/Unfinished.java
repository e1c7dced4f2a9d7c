package pointsto;

/**
 * Static fields that are final hold null while their class is initialised: two of them are the same
 * then.
 */
public class Unfinished {
    static int caught;

    static void hit() throws Failure {
        throw new Failure("kind"); //@ site("kind")
    }

    static void isB(Kind k) throws Failure {
        if (k == Kind.B) {
            hit();
        }
    }

    enum Kind {
        A, B;

        Kind() {
            try {
                isB(first());
            } catch (Failure e) { //@ includes("kind") experienced("kind")
                caught++;
            }
        }

        static Kind first() {
            return A;
        }
    }

    static void isSecond(Object o) throws Failure {
        if (o == Constants.SECOND) {
            throw new Failure("second"); //@ site("second")
        }
    }

    static void isLast(Object o) throws Failure {
        if (o == Constants.SECOND) {
            throw new Failure("last"); //@ site("last")
        }
    }

    static class Constant { }

    static class Constants {
        static {
            try {
                isSecond(Constants.FIRST);
            } catch (Failure e) { //@ includes("second") experienced("second")
                caught++;
            }
        }

        static final Object FIRST = new Constant();
        static final Object SECOND = new Constant();

        static {
            try {
                isLast(FIRST);
            } catch (Failure e) { //@ excludes[obj-dr]("last")
                caught++;
            }
        }
    }

    static void isOther(String o) throws Failure {
        if (o == Derived.OTHER) {
            throw new Failure("other"); //@ site("other")
        }
    }

    static class Base {
        static {
            try {
                isOther(Derived.ONE);
            } catch (Failure e) { //@ includes("other") experienced("other")
                caught++;
            }
        }
    }

    static class Derived extends Base {
        static final String ONE = new String("text");
        static final String OTHER = new String("text");
    }

    static void isReady(Object o) throws Failure {
        if (o == Late.READY) {
            throw new Failure("ready"); //@ site("ready")
        }
    }

    /** Its fields get their objects on two ways, one of which calls before it stores. */
    static class Late {
        static final Object WAITING;
        static final Object READY;

        static {
            if (caught < 100) {
                try {
                    isReady(Late.WAITING);
                } catch (Failure e) { //@ includes("ready") experienced("ready")
                    caught++;
                }
            }
            WAITING = new Object();
            READY = new Object();
        }
    }

    public static int run() {
        Kind.valueOf("A");
        new Constants();
        new Derived();
        new Late();
        return caught;
    }
}
