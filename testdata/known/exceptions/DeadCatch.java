package exceptions;

/** Catches that no handler of the class file stands for, and such that nothing arrives at. */
public class DeadCatch {
    static class Failure extends Exception {
    }

    static class Unused extends RuntimeException {
    }

    static final boolean TRACE = false;
    static int count;

    static void fail() throws Failure {
        throw new Failure();
    }

    static void empty() {
        try {
        } catch (Unused e) { //@ nolinks handlers(0)
            count++;
        }
    }

    static void compiledOut() {
        try {
            if (TRACE) {
                fail();
            }
        } catch (Failure e) { //@ nolinks handlers(0)
            count++;
        }
    }

    static void nothingThrows() {
        try {
            count++;
        } catch (Unused e) { //@ nolinks handlers(1)
            count--;
        }
    }

    static void declaredOnly() throws Failure { //@ reachingThrows
        count++;
    }

    static void declaredButNotThrown() {
        try {
            declaredOnly();
        } catch (Failure e) { //@ nolinks handlers(1)
            count++;
        }
    }

    static void unreached() {
        try {
            fail();
        } catch (Failure e) { //@ nolinks handlers(1)
            count++;
        }
    }

    public static void main(String[] args) {
        empty();
        compiledOut();
        nothingThrows();
        declaredButNotThrown();
    }
}
