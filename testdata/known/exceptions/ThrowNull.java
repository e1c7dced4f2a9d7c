package exceptions;

/** Throwing null throws a NullPointerException (JLS 14.18, JVMS athrow). */
public class ThrowNull {
    static class Failure extends Exception {
    }

    static int count;

    static void throwNull() {
        throw null; //@ site("null") throws("java.lang.NullPointerException")
    }

    public static void main(String[] args) {
        try {
            throwNull();
        } catch (NullPointerException e) { //@ links("null") arrives("java.lang.NullPointerException")
            count++;
        }
        try {
            throwNull();
        } catch (IllegalStateException e) { //@ nolinks
            count++;
        } catch (RuntimeException e) { //@ links("null") arrives("java.lang.NullPointerException")
            count++;
        }
    }
}
