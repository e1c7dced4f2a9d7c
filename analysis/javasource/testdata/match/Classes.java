package match;

import java.io.IOException;
import java.util.Comparator;
import java.util.concurrent.Callable;

/** Catches in member, local and anonymous classes, enums and interfaces. */
class Classes {
    interface Shape {
        default int area() {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                return -1;
            }
            return 0;
        }

        static int count() {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                return -1;
            }
            return 0;
        }

        Callable<Integer> CONSTANT = () -> {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                return -1;
            }
            return 0;
        };
    }

    enum Op {
        PLUS {
            @Override
            int apply(int a) {
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    return -1;
                }
                return a;
            }
        },
        MINUS("x") {
            int n;
            {
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    n = 1;
                }
            }

            @Override
            int apply(int a) {
                return a;
            }
        };

        Op() {
            this("none");
        }

        Op(String s) {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                Basic.use(s.length());
            }
        }

        static {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                Basic.use(0);
            }
        }

        abstract int apply(int a);
    }

    static int inSwitch(Op op, String s) {
        switch (op) {
            case PLUS:
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    return 1;
                }
                break;
            default:
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    return 2;
                }
        }
        switch (s) {
            case "a":
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    return 3;
                }
        }
        return 4;
    }

    Object locals(int n) {
        class Local {
            Local(int m) {
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    Basic.use(m + n);
                }
            }
        }
        Runnable first = new Runnable() { public void run() { try { Basic.io(); } catch (IOException e) { Basic.use(1); } } }, second = new Runnable() { public void run() { try { Basic.io(); } catch (IOException e) { Basic.use(2); } } }; //@ handlers#1(1) handlers#2(1)
        first.run();
        second.run();
        return new Local(1);
    }

    Object locals(String n) {
        class Local {
            int use() {
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    return 1;
                }
                return 0;
            }
        }
        return new Local().use();
    }

    static <T> T pick(Callable<T> lazy, T now) throws Exception {
        return now == null ? lazy.call() : now;
    }

    /** javac numbers the class in the lambda after the one in the second argument. */
    Object numbering() throws Exception {
        return pick(() -> new Comparator<String>() {
            @Override
            public int compare(String a, String b) {
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    return 1;
                }
                return 0;
            }
        }, new Comparator<String>() {
            @Override
            public int compare(String a, String b) {
                try {
                    Basic.use(a);
                } catch (IllegalStateException e) { //@ handlers(1)
                    return 1;
                }
                return 0;
            }
        });
    }

    /** ECJ numbers the classes of field initialisers first. */
    final Runnable late = new Runnable() {
        @Override
        public void run() {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                Basic.use(3);
            }
        }
    };

    class Inner {
        class Deep extends Classes {
            Deep(int n) {
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    Basic.use(n);
                }
            }

            Object more() {
                return new Object() {
                    int m() {
                        return new Object() {
                            int k() {
                                try {
                                    Basic.io();
                                } catch (IOException e) { //@ handlers(1)
                                    return 1;
                                }
                                return 0;
                            }
                        }.k();
                    }
                };
            }
        }
    }

    private static class Hidden {
        static class OwnException extends Exception {
        }

        void own() throws OwnException {
            throw new OwnException();
        }

        void m() {
            try {
                own();
            } catch (OwnException e) { //@ handlers(1) types("match.Classes$Hidden$OwnException")
            }
        }
    }

    static class Heir extends Hidden {
        void n() {
            try {
                own();
            } catch (OwnException e) { //@ handlers(1) types("match.Classes$Hidden$OwnException")
            }
            try {
                own();
            } catch (Hidden.OwnException e) { //@ handlers(1) types("match.Classes$Hidden$OwnException")
            }
        }
    }
}
