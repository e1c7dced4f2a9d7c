package match;

//@ release(25)

import java.io.IOException;

/** What Java 18 to 25 added. */
class Modern25 {
    record Point(int x, Object y) {
    }

    static class Base {
        Base(int n) {
        }
    }

    static class Flexible extends Base {
        int a;
        {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(2)
                a = 1;
            }
        }

        Flexible(String s) {
            int n = 0;
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                n = 1;
            }
            super(n);
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                a = 2;
            }
        }

        Flexible() {
            super(1);
        }

        Flexible(int n) {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                n = 1;
            }
            this("" + n);
        }
    }

    int deconstruct(Object o) {
        try {
            return switch (o) {
                case Point(int x, Point(int y, Object z)) when x > y -> {
                    try {
                        Basic.io();
                    } catch (IOException e) { //@ handlers(1)
                        yield x;
                    }
                    yield y;
                }
                case Point(int x, String y) -> {
                    try {
                        Basic.io();
                        yield 1;
                    } catch (Throwable e) { //@ handlers(1)
                        yield y.length();
                    }
                }
                case String s when s.length() > 2 -> 2;
                case null -> 3;
                default -> 4;
            };
        } catch (Throwable t) { //@ handlers(1)
            return 5;
        }
    }

    int instance(Object o) {
        if (o instanceof Point(var x, Point(var y, _))) {
            try {
                Basic.io();
            } catch (Throwable _) { //@ handlers(1)
                return x;
            }
            return y;
        }
        try {
            Basic.io();
        } catch (IOException | RuntimeException _) { //@ handlers(1)
            return 0;
        }
        return 1;
    }

    Runnable inLambda(Object o) {
        return () -> {
            try {
                if (o instanceof Point(int x, String s)) {
                    Basic.use(s);
                }
            } catch (Throwable t) { //@ handlers(1)
                Basic.use(1);
            }
        };
    }
}
