package exceptions;

/** A synchronized block has a handler that unlocks; it catches nothing of the user's. */
public class Synchronized {
    static class Failure extends Exception {
    }

    static final Object LOCK = new Object();
    static int count;

    static void fail() throws Failure {
        throw new Failure();
    }

    static void locked() throws Failure { //@ reachingThrows("exceptions/Synchronized.fail")
        synchronized (LOCK) { //@ synthetic("synchronized")
            fail();
        }
    }

    static void catchOutside() {
        try {
            synchronized (LOCK) {
                fail();
            }
        } catch (Failure e) { //@ links("exceptions/Synchronized.fail") handlers(1)
            count++;
        }
    }

    static void catchInside() { //@ reachingThrows
        synchronized (LOCK) {
            try {
                fail();
            } catch (Failure e) { //@ links("exceptions/Synchronized.fail") handlers(1)
                count++;
            }
        }
    }

    static synchronized void method() throws Failure { //@ reachingThrows("exceptions/Synchronized.fail")
        fail();
    }

    static int returnInside() throws Failure {
        synchronized (LOCK) {
            if (count > 0) {
                return count;
            }
            fail();
        }
        return 0;
    }

    public static void main(String[] args) {
        catchOutside();
        catchInside();
        try {
            locked();
            method();
            returnInside();
        } catch (Failure e) { //@ links("exceptions/Synchronized.fail")
            count++;
        }
    }
}
