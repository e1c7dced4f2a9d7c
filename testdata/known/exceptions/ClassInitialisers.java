package exceptions;

/** What leaves a class initialiser arrives as ExceptionInInitializerError, except for errors (JLS 12.4.2). */
public class ClassInitialisers {
    static class Failure extends RuntimeException {
    }

    static class Fatal extends Error {
    }

    static int count;

    static class Failing {
        static int value = 1;

        static {
            if (count >= 0) {
                throw new Failure(); //@ site("failure")
            }
        }
    }

    static class Dying {
        static int value = 1;

        static {
            if (count >= 0) {
                throw new Fatal(); //@ site("fatal")
            }
        }

        static void touch() {
        }
    }

    static class Careful {
        static int value;

        static {
            try {
                value = Failing.value;
                fail();
            } catch (Failure e) { //@ links("fail")
                value = 2;
            }
        }

        static void fail() {
            throw new Failure(); //@ site("fail")
        }
    }

    /** Initialised before a class that implements it, a lambda's too: it has a default method. */
    interface Acting {
        int[] STATE = fail();

        void act();

        default void twice() {
            act();
            act();
        }

        static int[] fail() {
            if (count >= 0) {
                throw new Fatal(); //@ site("acting")
            }
            return null;
        }
    }

    /** Has none, and is initialised when its field is asked for. */
    interface Quiet {
        int[] STATE = fail();

        void act();

        static int[] fail() {
            if (count >= 0) {
                throw new Fatal(); //@ site("quiet")
            }
            return null;
        }
    }

    static void lambdas() {
        try {
            Acting a = () -> count++;
            a.act();
        } catch (Fatal e) { //@ links("acting")
            count++;
        }
        try {
            Quiet q = () -> count++;
            q.act();
        } catch (Fatal e) { //@ nolinks
            count++;
        }
        try {
            count += Quiet.STATE.length;
        } catch (Fatal e) { //@ links("quiet")
            count++;
        }
    }

    public static void main(String[] args) {
        lambdas();
        try {
            count += Failing.value;
        } catch (Failure e) { //@ nolinks
            count++;
        } catch (ExceptionInInitializerError e) { //@ handlers(1)
            count++;
        }
        try {
            Dying.touch();
        } catch (Fatal e) { //@ links("fatal")
            count++;
        }
        try {
            count += new Dying().hashCode();
        } catch (Fatal e) { //@ links("fatal")
            count++;
        }
        count += Careful.value;
    }
}
