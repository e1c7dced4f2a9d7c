package exceptions;

/** Enums: bodies of constants, constructors, and switches over them. */
public class Enums {
    static class Failure extends Exception {
    }

    static int count;

    static void fail() throws Failure {
        throw new Failure();
    }

    enum Colour {
        RED {
            @Override
            void paint() throws Failure {
                throw new Failure(); //@ site("red")
            }
        },
        GREEN {
            @Override
            void paint() {
                try {
                    fail();
                } catch (Failure e) { //@ links("exceptions/Enums.fail") handlers(1)
                    count++;
                }
            }
        };

        final int weight;

        Colour() {
            int w;
            try {
                fail();
                w = 1;
            } catch (Failure e) { //@ links("exceptions/Enums.fail") handlers(1)
                w = 2;
            }
            weight = w;
        }

        abstract void paint() throws Failure;
    }

    static void choose(Colour c) {
        try {
            switch (c) {
                case RED:
                    c.paint();
                    break;
                default:
                    fail();
            }
        } catch (Failure e) { //@ links("red", "exceptions/Enums.fail") handlers(1)
            count++;
        }
    }

    static void onString(String s) {
        try {
            switch (s) {
                case "Aa":
                case "BB":
                    fail();
                    break;
                default:
                    count++;
            }
        } catch (Failure e) { //@ links("exceptions/Enums.fail") handlers(1)
            count++;
        }
    }

    public static void main(String[] args) {
        for (Colour c : Colour.values()) {
            choose(c);
        }
        onString("BB");
    }
}
