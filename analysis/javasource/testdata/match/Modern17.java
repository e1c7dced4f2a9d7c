package match;

//@ release(17)

import java.io.IOException;
import java.util.function.Supplier;

/** What Java 9 to 17 added. */
class Modern17 {
    record Point(int x, int y) {
        Point {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                x = 1;
            }
        }

        Point(int x) {
            this(x, 0);
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                Basic.use(x);
            }
        }

        static int n;
        static {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                n = 1;
            }
        }

        public int x() {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                return 0;
            }
            return x;
        }
    }

    record Canonical(String s) {
        Canonical(String s) {
            String t = s;
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                t = "";
            }
            this.s = t;
        }
    }

    sealed interface Shape permits Circle, Square {
        private int hidden() {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                return 0;
            }
            return 1;
        }

        default int shown() {
            return hidden();
        }
    }

    record Circle(int r) implements Shape {
    }

    record Square(int a) implements Shape {
    }

    int switches(String s) {
        int n = switch (s) {
            case "a" -> {
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    yield 1;
                }
                yield 2;
            }
            case "b" -> 3;
            default -> {
                Supplier<Integer> lazy = () -> {
                    try {
                        Basic.io();
                    } catch (IOException e) { //@ handlers(1)
                        return 4;
                    }
                    return 5;
                };
                yield lazy.get();
            }
        };
        int m = switch (n) {
            case 1: {
                try {
                    Basic.io();
                    yield 6;
                } catch (IOException e) { //@ handlers(1)
                    yield 7;
                } finally {
                    try {
                        Basic.io();
                    } catch (IOException e) { //@ handlers(3)
                        Basic.use(8);
                    }
                }
            }
            default:
                yield 9;
        };
        return m + n;
    }

    int patterns(Object o) {
        if (o instanceof String s && s.length() > 1) {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                return s.length();
            }
        }
        record Local(int a) {
            Local {
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    a = 1;
                }
            }
        }
        enum Colour {
            RED;

            int m() {
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    return 1;
                }
                return 0;
            }
        }
        String text = """
            try { } catch (Exception e) { } "quoted" \"""
            """;
        return new Local(2).a() + Colour.RED.m() + text.length();
    }

    void effectivelyFinal(java.io.InputStream in) {
        try (in) {
            in.read();
        } catch (IOException e) { //@ handlers(1)
            Basic.use(1);
        }
    }
}
