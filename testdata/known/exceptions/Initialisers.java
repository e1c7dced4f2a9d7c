package exceptions;

/** A catch in an instance initialiser is copied into each constructor that does not call another. */
public class Initialisers {
    static class Failure extends Exception {
    }

    static int count;

    static int value() throws Failure {
        if (count > 10) {
            throw new Failure();
        }
        return count;
    }

    static final int LIMIT;

    static {
        int limit;
        try {
            limit = value();
        } catch (Failure e) { //@ links("exceptions/Initialisers.value") handlers(1)
            limit = -1;
        }
        LIMIT = limit;
    }

    final int size;

    {
        int n;
        try {
            n = value();
        } catch (Failure e) { //@ links("exceptions/Initialisers.value") handlers(2)
            n = 0;
        }
        size = n;
    }

    Initialisers() {
        count++;
    }

    Initialisers(int more) {
        count += more;
    }

    Initialisers(String text) {
        this(text.length());
    }

    static class One {
        int first;

        {
            try {
                first = value();
            } catch (Failure e) { //@ links("exceptions/Initialisers.value") handlers(1)
                first = 1;
            }
        }
    }

    static class InConstructor {
        final int given;

        InConstructor() {
            int n;
            try {
                n = value();
            } catch (Failure e) { //@ links("exceptions/Initialisers.value") handlers(1)
                n = 2;
            }
            given = n;
        }
    }

    static class Throwing {
        final int n;

        Throwing() throws Failure { //@ reachingThrows("exceptions/Initialisers.value")
            n = value();
        }
    }

    public static void main(String[] args) {
        new Initialisers();
        new Initialisers(3);
        new Initialisers("x");
        new One();
        new InConstructor();
        try {
            new Throwing();
        } catch (Failure e) { //@ links("exceptions/Initialisers.value")
            count++;
        }
    }
}
