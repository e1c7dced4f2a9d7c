package exceptions;

/** Compilers copy the code of a finally, and with it the catches that stand there. */
public class CatchInFinally {
    static class Body extends Exception {
    }

    static class Cleanup extends Exception {
    }

    static int count;

    static void body() throws Body {
        if (count > 3) {
            throw new Body();
        }
    }

    static void cleanUp() throws Cleanup {
        if (count > 5) {
            throw new Cleanup();
        }
    }

    /** Two copies: after the body, and on the way of an exception. */
    static void twoWays() throws Body { //@ reachingThrows("exceptions/CatchInFinally.body")
        try {
            body();
        } finally { //@ synthetic("finally")
            try {
                cleanUp();
            } catch (Cleanup e) { //@ links("exceptions/CatchInFinally.cleanUp") handlers(2)
                count--;
            }
        }
    }

    /** Three: there is a catch as well. */
    static void threeWays() {
        try {
            body();
        } catch (Body e) { //@ links("exceptions/CatchInFinally.body") handlers(1)
            count++;
        } finally {
            try {
                cleanUp();
            } catch (Cleanup e) { //@ links("exceptions/CatchInFinally.cleanUp") handlers(3)
                count--;
            }
        }
    }

    /** A return in the body leaves by a copy of its own, and splits the catch's range, not its handler. */
    static int leaves() {
        try {
            body();
            if (count > 1) {
                return 1;
            }
            body();
        } catch (Body e) { //@ links("exceptions/CatchInFinally.body") handlers(1)
            return 2;
        } finally {
            count++;
        }
        return 3;
    }

    static void nested() throws Body {
        try {
            body();
        } finally {
            try {
                cleanUp();
            } catch (Cleanup e) { //@ links("exceptions/CatchInFinally.cleanUp") handlers(2)
                count++;
            } finally {
                count--;
            }
        }
    }

    public static void main(String[] args) throws Body {
        count = args.length;
        twoWays();
        threeWays();
        leaves();
        nested();
    }
}
