import java.util.function.Supplier;

/** Tries in the constructs of Java 9 to 17; see Shapes for the expectations. */
public class Modern {
    /** With the line where an exception was made: rewriting must not change it. */
    static void say(Object o) {
        System.out.println(o instanceof Throwable ? o + " of line " + ((Throwable) o).getStackTrace()[0].getLineNumber() : o);
    }

    static int may(int k) {
        if (k < 0) throw new IllegalArgumentException("k" + k); //# thrown 13
        return k;
    }

    sealed interface S permits P, Q {}

    record P(int x, int y) implements S {
        P {
            try {
                x = may(x); //# try 4 out 0
            } catch (IllegalArgumentException e) { //# caught 1
                x = 0;
            }
        }
    }

    record Q(S left, S right) implements S {}

    enum E {
        ONE {
            @Override int value() {
                try {
                    return may(-1); //# try 1 out 0
                } catch (IllegalArgumentException e) { //# caught 1
                    return 1;
                }
            }
        },
        TWO;

        int value() { return 2; }
    }

    /** Values on the operand stack while a try inside an expression runs. */
    static int yields(int k) {
        return 7 + switch (k) {
            case 0 -> {
                try { //# [ecj] try 1 [ecj] out 0
                    yield may(5); //# [javac] try 1 [javac] out 0
                } catch (IllegalArgumentException e) { //# caught 0
                    yield 6;
                }
            }
            case 1 -> {
                try { //# [ecj] try 1 [ecj] out 0
                    yield may(-2); //# [javac] try 1 [javac] out 0
                } catch (IllegalArgumentException e) { //# caught 1
                    yield 6;
                } finally {
                    say("yield");
                }
            }
            default -> throw new IllegalStateException("no case"); //# thrown 1
        };
    }

    static String patterns(Object o) {
        try {
            if (o instanceof P p && p.x() == may(p.x())) { //# try 3 out 0
                return "p" + p.y();
            } else if (!(o instanceof String s)) {
                throw new IllegalArgumentException("neither"); //# thrown 1
            } else {
                return s + may(s.length() - 3);
            }
        } catch (IllegalArgumentException e) { //# caught 2
            return e.getMessage();
        }
    }

    static class Res implements AutoCloseable {
        @Override public void close() { may(-3); }
    }

    static void effectivelyFinal() {
        Res r = new Res();
        try (r) { //# try 1 out 0
            say("body"); //# [javac] try 1
        } catch (IllegalArgumentException e) { //# caught 1
            say(e);
        }
    }

    interface Defaults {
        default int get() {
            try {
                return hidden(-4); //# try 1 out 0
            } catch (IllegalArgumentException e) { //# caught 1
                return 4;
            }
        }

        private int hidden(int k) { return may(k); }

        static int fixed() {
            try {
                return may(-5); //# try 1 out 0
            } catch (IllegalArgumentException e) { //# caught 1
                return 5;
            }
        }
    }

    /** Retry loops: the catch leads back to the loop's head, which starts the try. */
    static int retry() {
        int k = -2;
        while (true) {
            try {
                k++; //# try 3
                if (k <= 0) may(k - 1);
                if (k == 1) return k;
            } catch (IllegalArgumentException e) { //# caught 2
                say("retry " + k);
            }
        }
    }

    /** The loop goes on behind the last statement of the try, which is an if. */
    static void serve() {
        int k = 0;
        while (true) {
            try {
                k++; //# try 5 out 1
                if (k == 5) throw new IllegalStateException("end"); //# thrown 1
                if (k % 2 == 0) say("even " + k);
            } catch (IllegalArgumentException e) { //# caught 0
                say(e);
            }
        }
    }

    /** An endless loop in a try in an endless loop, all with one head. */
    static void reconnect() {
        int k = 3;
        while (true) {
            try {
                while (true) {
                    say(may(k--)); //# try 2
                    if (k == 1) continue;
                    depth++;
                }
            } catch (IllegalArgumentException e) { //# caught 2
                if (++fails == 2) break;
                k = 0;
            }
        }
    }

    static int state() { throw new IllegalStateException("state"); } //# thrown 1

    static Runnable lambdas(int k) {
        return () -> {
            try {
                Runnable r = () -> { //# try 2 out 0
                    try {
                        may(k == 3 ? state() : k); //# try 2 out 1
                    } catch (IllegalArgumentException a) { //# caught 1
                        say("in lambda " + a);
                    }
                };
                r.run();
            } catch (IllegalStateException c) { //# caught 1
                say("outer lambda " + c);
            }
        };
    }

    static int depth, fails;

    public static void main(String[] args) {
        new P(1, 2);
        say(new P(-1, 2));
        say(E.ONE.value() + E.TWO.value());
        say(yields(0) + yields(1));
        try {
            yields(2); //# try 1 out 0
        } catch (IllegalStateException e) { //# caught 1
            say(e);
        }
        say(patterns(new P(3, 4)) + patterns("ab") + patterns(new Q(new P(0, 0), null)));
        effectivelyFinal();
        say(new Defaults() {}.get() + Defaults.fixed());
        say(retry());
        try {
            serve(); //# try 1 out 0
        } catch (IllegalStateException e) { //# caught 1
            say(e);
        }
        reconnect();
        lambdas(-7).run();
        lambdas(3).run();
        Supplier<Supplier<Integer>> s = () -> () -> {
            try {
                return may(-6); //# try 1 out 0
            } catch (IllegalArgumentException e) { //# caught 1
                return 6;
            }
        };
        say(s.get().get());
    }
}
