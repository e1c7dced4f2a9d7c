package exceptions;

/** The innermost try whose catch fits handles an exception; what a catch throws is for outer ones. */
public class NestedTries {
    static class General extends Exception {
    }

    static class Special extends General {
    }

    static class Other extends Exception {
    }

    static int count;

    static void general() throws General { //@ reachingThrows("exceptions/NestedTries.general")
        throw new General(); //@ throws("exceptions.NestedTries$General")
    }

    static void special() throws Special {
        throw new Special();
    }

    static void other() throws Other {
        throw new Other();
    }

    static void innerFirst() throws Other {
        try {
            try {
                general();
                special();
            } catch (Special e) { //@ types("exceptions.NestedTries$Special") links("exceptions/NestedTries.special") handlers(1)
                count++;
            }
        } catch (General e) { //@ links("exceptions/NestedTries.general") arrives("exceptions.NestedTries$General") handlers(1)
            count++;
        }
    }

    static void siblings() throws Other {
        try {
            general();
            special();
        } catch (Special e) { //@ links("exceptions/NestedTries.special")
            other();
        } catch (General e) { //@ links("exceptions/NestedTries.general")
            count++;
        }
    }

    static void catchThrows() throws General {
        try {
            try {
                special();
            } catch (Special e) { //@ links("exceptions/NestedTries.special")
                other();
            }
        } catch (Other e) { //@ links("exceptions/NestedTries.other")
            count++;
        }
    }

    /** A catch does not guard its siblings' code. */
    static void siblingThrows() throws General, Other { //@ reachingThrows("exceptions/NestedTries.general", "exceptions/NestedTries.other")
        try {
            other();
        } catch (Other e) { //@ links("exceptions/NestedTries.other")
            general();
            other();
        }
    }

    static void outerOnly() {
        try {
            try {
                count++;
                general();
            } finally { //@ synthetic("finally")
                count--;
            }
        } catch (General e) { //@ links("exceptions/NestedTries.general")
            count++;
        }
    }

    static void afterTheTry() throws General {
        try {
            count++;
        } finally {
            count--;
        }
        try {
            count++;
            if (count > 100) {
                special();
            }
        } catch (Special e) { //@ links("exceptions/NestedTries.special")
            count++;
        }
        general();
    }

    static void loop() {
        for (int i = 0; i < 3; i++) {
            try {
                if (i == 1) {
                    continue;
                }
                general();
                if (i == 2) {
                    break;
                }
            } catch (General e) { //@ links("exceptions/NestedTries.general") handlers(1)
                count++;
            }
        }
    }

    public static void main(String[] args) throws General, Other {
        innerFirst();
        siblings();
        catchThrows();
        siblingThrows();
        outerOnly();
        afterTheTry();
        loop();
    }
}
