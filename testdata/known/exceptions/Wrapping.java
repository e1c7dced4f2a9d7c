package exceptions;

/** An exception that carries another as its cause has a throw site of its own, and the other's beside it. */
public class Wrapping {
    static class Low extends Exception {
    }

    static class Middle extends Exception {
        Middle(String message, Throwable cause) {
            super(message, cause);
        }
    }

    static class High extends RuntimeException {
        High(Throwable cause) {
            super(cause);
        }
    }

    static class Late extends Exception {
    }

    static int count;

    static void low() throws Low {
        throw new Low();
    }

    static void middle() throws Middle { //@ reachingThrows("exceptions/Wrapping.middle")
        try {
            low();
        } catch (Low e) { //@ links("exceptions/Wrapping.low")
            throw new Middle("low level", e); //@ throws("exceptions.Wrapping$Middle")
        }
    }

    static void high() {
        try {
            middle();
        } catch (Middle e) { //@ links("exceptions/Wrapping.middle") cause("exceptions/Wrapping.middle", "exceptions/Wrapping.low")
            throw new High(e);
        }
    }

    static void late() throws Late {
        try {
            low();
        } catch (Low e) { //@ links("exceptions/Wrapping.low")
            Late late = new Late();
            late.initCause(e);
            throw late;
        }
    }

    static void unrelated() throws Middle { //@ reachingThrows("exceptions/Wrapping.unrelated")
        try {
            low();
        } catch (Low e) { //@ links("exceptions/Wrapping.low")
            throw new Middle("forgets", null);
        }
    }

    public static void main(String[] args) {
        try {
            high();
        } catch (High e) { //@ links("exceptions/Wrapping.high") cause("exceptions/Wrapping.high", "exceptions/Wrapping.middle")
            count++;
        }
        try {
            late();
        } catch (Late e) { //@ links("exceptions/Wrapping.late") cause("exceptions/Wrapping.late", "exceptions/Wrapping.low")
            count++;
        }
        try {
            unrelated();
        } catch (Middle e) { //@ links("exceptions/Wrapping.unrelated")
            count++;
        }
    }
}
