package chains;

/** Calls through this that are not what the class of the object would select by name. */
public class Selected {
    static class Base {
        int both() {
            return secret() + shared();
        }

        private int secret() { return 1; }

        int shared() { return 2; }
    }

    static class Derived extends Base {
        private int secret() { return 3; }

        int shared() {
            return super.shared() + secret();
        }
    }

    /** Calls Base.secret on an object that has another method of that name. */
    public static int hidden() {
        return new Derived().both();
    }

    interface Left {
        default int side() { return 0; }
    }

    static class Sides implements Left {
        public int side() {
            return Left.super.side();
        }
    }

    public static int defaults() {
        return new Sides().side();
    }

    abstract static class Ordered<T> implements Comparable<T> {
        boolean before(T other) {
            return compareTo(other) < 0;
        }
    }

    static class Number extends Ordered<Number> {
        public int compareTo(Number other) {
            return compared();
        }

        int compared() { return 0; }
    }

    /** Calls a bridge method, and that the method. */
    public static boolean bridged() {
        return new Number().before(new Number());
    }

    static class Made extends Base {
        final int n;

        Made(boolean b) {
            n = b ? shared() : new Base().both();
        }

        Made() {
            this(true);
        }
    }

    /** A constructor passes a constant to another one of its class. */
    public static int constructed() {
        return new Made().n;
    }
}
