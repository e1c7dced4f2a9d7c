package exceptions;

/** A finally that completes abruptly discards the exception on its way (JLS 14.20.2). */
@SuppressWarnings("finally")
public class FinallyAbrupt {
    static class Lost extends Exception {
    }

    static class Kept extends Exception {
    }

    static int count;

    static void lose() throws Lost {
        throw new Lost();
    }

    static void keep() throws Kept {
        throw new Kept();
    }

    static int returns() throws Lost { //@ reachingThrows
        try {
            lose();
        } finally { //@ synthetic("finally")
            return 1;
        }
    }

    static void replaces() throws Lost, Kept { //@ reachingThrows("exceptions/FinallyAbrupt.replaces")
        try {
            lose();
        } finally {
            throw new Kept();
        }
    }

    static void maybeReplaces() throws Lost, Kept { //@ reachingThrows("exceptions/FinallyAbrupt.lose", "exceptions/FinallyAbrupt.keep")
        try {
            lose();
        } finally {
            if (count > 0) {
                keep();
            }
        }
    }

    static void continues() throws Lost { //@ reachingThrows
        for (int i = 0; i < 2; i++) {
            try {
                lose();
            } finally {
                continue;
            }
        }
    }

    static void breaks() throws Lost { //@ reachingThrows
        outer:
        while (true) {
            try {
                lose();
            } finally {
                break outer;
            }
        }
    }

    static void passes() throws Lost { //@ reachingThrows("exceptions/FinallyAbrupt.lose")
        try {
            lose();
        } finally {
            count++;
        }
    }

    /** The finally of a try with a catch also runs for what the catch throws. */
    static void afterCatch() throws Kept { //@ reachingThrows("exceptions/FinallyAbrupt.keep")
        try {
            lose();
        } catch (Lost e) { //@ links("exceptions/FinallyAbrupt.lose") handlers(1)
            keep();
        } finally {
            count++;
        }
    }

    static int catchThrowsIntoReturn() { //@ reachingThrows
        try {
            lose();
        } catch (Lost e) { //@ links("exceptions/FinallyAbrupt.lose")
            throw new IllegalStateException(e);
        } finally {
            return 2;
        }
    }

    static void around() {
        try {
            returns();
            continues();
            breaks();
        } catch (Lost e) { //@ nolinks handlers(1)
            count++;
        }
        try {
            replaces();
        } catch (Lost e) { //@ nolinks
            count++;
        } catch (Kept e) { //@ links("exceptions/FinallyAbrupt.replaces")
            count++;
        }
        try {
            maybeReplaces();
        } catch (Lost e) { //@ links("exceptions/FinallyAbrupt.lose")
            count++;
        } catch (Kept e) { //@ links("exceptions/FinallyAbrupt.keep")
            count++;
        }
        try {
            passes();
            afterCatch();
        } catch (Lost e) { //@ links("exceptions/FinallyAbrupt.lose")
            count++;
        } catch (Kept e) { //@ links("exceptions/FinallyAbrupt.keep")
            count++;
        }
        catchThrowsIntoReturn();
    }

    public static void main(String[] args) {
        around();
    }
}
