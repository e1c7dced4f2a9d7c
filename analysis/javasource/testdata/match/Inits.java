package match;

import java.io.IOException;
import java.util.function.Supplier;

/** Catches in initialisers: a copy in each constructor that runs them. */
class Inits {
    static int count;
    static {
        try {
            Basic.io();
        } catch (IOException e) { //@ handlers(1)
            count++;
        }
    }

    int a;
    {
        try {
            Basic.io();
        } catch (IOException e) { //@ handlers(2)
            a = 1;
        }
    }

    final Supplier<Integer> field = () -> {
        try {
            Basic.io();
            return 1;
        } catch (IOException e) { //@ handlers(1)
            return 2;
        }
    };

    static final Supplier<Supplier<Integer>> DEEP = () -> () -> {
        try {
            Basic.io();
            return 1;
        } catch (IOException e) { //@ handlers(1)
            return 2;
        }
    };

    Inits() {
        try {
            Basic.io();
        } catch (IOException e) { //@ handlers(1)
            a = 3;
        }
    }

    Inits(int x) {
        this();
        try {
            Basic.io();
        } catch (IOException e) { //@ handlers(1)
            a = 4;
        }
    }

    Inits(String s) {
        super();
        a = s.length();
        Runnable r = () -> {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                Basic.use(s);
            }
        };
        r.run();
    }

    static {
        try {
            Basic.io();
        } catch (IOException e) { //@ handlers(1)
            count--;
        }
    }

    { try { Basic.io(); } catch (IOException e) { a = 5; } } //@ handlers(2)

    final Object anonymous = new Object() {
        int b;
        {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                b = 6;
            }
        }

        @Override
        public String toString() {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                return "a";
            }
            return "b";
        }
    };

    static class Implicit {
        int c;
        {
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                c = 7;
            }
        }
    }

    class Inner {
        final String s;

        Inner(String s) {
            String t = s;
            try {
                Basic.io();
            } catch (IOException e) { //@ handlers(1)
                t = "";
            }
            this.s = t;
        }

        Inner(int n) {
            this("" + n);
        }
    }
}
