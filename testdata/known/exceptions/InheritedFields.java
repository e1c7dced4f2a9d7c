package exceptions;

/** Asking for a static field initialises the class or interface that declares it (JVMS 5.5). */
public class InheritedFields {
    static int count;

    static class Failure extends Error {
        Failure(String text) {
            super(text);
        }
    }

    static int[] fail(String text) {
        if (count >= 0) {
            throw new Failure(text); //@ site("failure")
        }
        return null;
    }

    interface Array {
        int[] STATE = fail("array");
    }

    interface Number {
        int STATE = fail("number").length;
    }

    interface Own {
        int[] STATE = fail("own");
    }

    interface Below extends Own {
    }

    interface Far {
        int[] FAR = fail("far");
    }

    interface Hidden {
        int[] STATE = fail("hidden");
        int NUMBER = fail("hidden").length;
    }

    static class OfArray implements Array {
    }

    static class OfNumber implements Number {
    }

    static class Near implements Far {
    }

    /** Code of the class asks for the field by its simple name: the instruction names the class itself. */
    static class OfFar extends Near {
        static int inside() {
            try {
                return FAR.length;
            } catch (Failure e) { //@ links("failure")
                return 1;
            }
        }
    }

    static class OfOwn implements Below {
        int inside() {
            return STATE.length;
        }
    }

    static class Hides implements Hidden {
        static int[] STATE = {1};
        static int NUMBER = STATE.length;
    }

    static class Parent {
        static int value = 1;

        static {
            if (count > 1000) {
                throw new Failure("parent"); //@ site("parent")
            }
        }
    }

    /** Its initialiser does not run when the field of its superclass is asked for. */
    static class Child extends Parent {
        static int[] own = fail("child");

        /** What the superclass throws came before. */
        static int inside() {
            try {
                return value + Parent.value;
            } catch (Failure e) { //@ nolinks
                return 1;
            }
        }
    }

    interface WithDefault {
        int[] STATE = fail("with default");

        default int inside() {
            try {
                return STATE.length;
            } catch (Failure e) { //@ links("failure")
                return 1;
            }
        }
    }

    interface Defaulting {
        int[] KEPT = fail("defaulting");

        default void act() {
        }
    }

    /** Its initialiser calls code of a class below, whose interfaces are not initialised then. */
    static class Above {
        static final int LENGTH = new OfDefaults().length();
    }

    static class OfDefaults extends Above implements WithDefault, Defaulting {
        static int own = 1;

        int length() {
            int n = inside();
            try {
                return n + KEPT.length;
            } catch (Failure e) { //@ links("failure")
                return 1;
            }
        }
    }

    public static void main(String[] args) {
        try {
            count += OfArray.STATE.length;
        } catch (Failure e) { //@ links("failure")
            count++;
        }
        try {
            count += OfNumber.STATE;
        } catch (Failure e) { //@ links("failure")
            count++;
        }
        try {
            count += new OfOwn().inside();
        } catch (Failure e) { //@ links("failure")
            count++;
        }
        try {
            count += Hides.STATE.length + Hides.NUMBER;
        } catch (Failure e) { //@ nolinks
            count++;
        }
        try {
            count += Child.value;
        } catch (Failure e) { //@ links("parent")
            count++;
        }
        count += OfFar.inside();
        count += OfDefaults.own;
    }
}
