package exceptions;

/** What is caught and thrown again keeps its throw site; a new exception has its own. */
public class Rethrow {
    static class Failure extends Exception {
    }

    static class Minor extends Failure {
    }

    static class Changed extends Exception {
        Changed() {
        }
    }

    static int count;

    static void fail() throws Failure {
        throw new Failure();
    }

    static void failMinor() throws Minor {
        throw new Minor();
    }

    static void again() throws Failure { //@ reachingThrows("exceptions/Rethrow.fail")
        try {
            fail();
        } catch (Failure e) { //@ links("exceptions/Rethrow.fail")
            count++;
            throw e;
        }
    }

    static void precise() throws Failure { //@ reachingThrows("exceptions/Rethrow.fail", "exceptions/Rethrow.failMinor")
        try {
            fail();
            failMinor();
        } catch (Exception e) { //@ links("exceptions/Rethrow.fail", "exceptions/Rethrow.failMinor") arrives("exceptions.Rethrow$Failure", "exceptions.Rethrow$Minor")
            throw e;
        }
    }

    static void sometimes() throws Failure { //@ reachingThrows("exceptions/Rethrow.fail")
        try {
            fail();
        } catch (Failure e) { //@ links("exceptions/Rethrow.fail")
            if (count > 2) {
                throw e;
            }
        }
    }

    static void throughVariable() throws Failure { //@ reachingThrows("exceptions/Rethrow.fail")
        Failure last = null;
        try {
            fail();
        } catch (Failure e) { //@ links("exceptions/Rethrow.fail")
            last = e;
            throw last;
        }
    }

    static void replaced() throws Changed { //@ reachingThrows("exceptions/Rethrow.replaced")
        try {
            fail();
        } catch (Failure e) { //@ links("exceptions/Rethrow.fail")
            throw new Changed();
        }
    }

    static void outer() {
        try {
            again();
            sometimes();
            throughVariable();
        } catch (Minor e) { //@ nolinks
            count++;
        } catch (Failure e) { //@ links("exceptions/Rethrow.fail") arrives("exceptions.Rethrow$Failure")
            count++;
        }
        try {
            precise();
        } catch (Minor e) { //@ links("exceptions/Rethrow.failMinor") arrives("exceptions.Rethrow$Minor")
            count++;
        } catch (Failure e) { //@ links("exceptions/Rethrow.fail") arrives("exceptions.Rethrow$Failure")
            count++;
        }
        try {
            replaced();
        } catch (Changed e) { //@ links("exceptions/Rethrow.replaced")
            count++;
        }
    }

    static void nestedAgain() {
        try {
            try {
                fail();
            } catch (Failure e) { //@ links("exceptions/Rethrow.fail")
                throw e;
            }
        } catch (Failure e) { //@ links("exceptions/Rethrow.fail")
            count++;
        }
    }

    public static void main(String[] args) {
        outer();
        nestedAgain();
    }
}
