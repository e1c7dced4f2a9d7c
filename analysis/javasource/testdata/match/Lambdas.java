package match;

import java.io.IOException;
import java.io.Serializable;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;

/** Catches in lambdas: each is in a synthetic method. */
class Lambdas {
    interface Io<T> {
        T get() throws IOException;
    }

    static <T> T quiet(Io<T> io, T other) {
        try {
            return io.get();
        } catch (IOException e) { //@ handlers(1)
            return other;
        }
    }

    int several(int n) {
        Supplier<Integer> a = () -> { try { Basic.io(); return 1; } catch (IOException e) { return 2; } }; Supplier<Integer> b = () -> { try { Basic.io(); return 3; } catch (IOException e) { return 4; } }; //@ handlers#1(1) handlers#2(1)
        try {
            return a.get() + b.get();
        } catch (IllegalStateException e) { //@ handlers(1)
            return quiet(() -> {
                try {
                    Basic.io();
                } catch (IOException f) { //@ handlers(1)
                    Basic.use(n);
                }
                return 5;
            }, 6);
        }
    }

    Function<Integer, Function<Integer, Integer>> curried() {
        Function<String, Integer> len = String::length;
        Function<Integer, int[]> arrays = int[]::new;
        return x -> {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                Basic.use(x);
            }
            return y -> {
                try {
                    Basic.io();
                } catch (IOException e) { //@ handlers(1)
                    return x;
                }
                Runnable r = () -> {
                    try {
                        Basic.io();
                    } catch (IOException e) { //@ handlers(1)
                        Basic.use(y);
                    }
                };
                r.run();
                return y;
            };
        };
    }

    static Runnable serial() {
        return (Runnable & Serializable) () -> {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                Basic.use(1);
            }
        };
    }

    Callable<Integer> conditional(boolean b) {
        return b ? () -> {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                return 1;
            }
            return 2;
        } : () -> {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                return 3;
            }
            return 4;
        };
    }

    void classInLambda() {
        Runnable r = () -> {
            class Local implements Runnable {
                @Override
                public void run() {
                    try {
                        Basic.io();
                    } catch (IOException e) { //@ handlers(1)
                        Basic.use(1);
                    }
                }
            }
            new Local().run();
            new Thread() {
                @Override
                public void run() {
                    try {
                        Basic.io();
                    } catch (IOException e) { //@ handlers(1)
                        Basic.use(2);
                    }
                }
            }.start();
        };
        r.run();
    }
}
