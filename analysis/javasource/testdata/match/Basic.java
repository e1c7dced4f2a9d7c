package match;

import java.io.*;
import java.util.concurrent.Callable;

/** Catches in plain methods: several on one line, nested, multi-catch. */
class Basic {
    static void io() throws IOException {
        throw new FileNotFoundException();
    }

    static void use(Object o) {
        if (o instanceof String) {
            throw new IllegalStateException();
        }
    }

    void one() {
        try {
            io();
        } catch (IOException e) { //@ handlers(1) types("java.io.IOException")
            use(e);
        }
    }

    void ordered() {
        try {
            io();
        } catch (FileNotFoundException e) { //@ handlers(1) types("java.io.FileNotFoundException")
            use(e);
        } catch (IOException e) { //@ handlers(1) types("java.io.IOException")
            use(e);
        } catch (RuntimeException e) { //@ handlers(1) types("java.lang.RuntimeException")
        }
    }

    void multi() {
        try {
            io();
        } catch (final FileNotFoundException | EOFException | IllegalStateException e) { //@ handlers(1) types("java.io.FileNotFoundException", "java.io.EOFException", "java.lang.IllegalStateException")
            use(e);
        } catch (IOException e) { //@ handlers(1)
        }
    }

    void multiOverLines() {
        try {
            io();
        } catch (FileNotFoundException //@ handlers(1)
                | EOFException
                | IllegalStateException
                problem
        )
        {
            use(problem);
        }
        catch //@ handlers(1)
            (IOException e)
        {
        }
    }

    void oneLine() {
        try { io(); } catch (IOException e) { use(1); } try { io(); } catch (IOException e) { use(2); } //@ handlers#1(1) handlers#2(1)
        try { try { io(); } catch (EOFException e) { use(1); } } catch (IOException e) { use(2); } //@ handlers#1(1) handlers#2(1)
        try { io(); } catch (IOException e) { try { io(); } catch (IOException f) { use(2); } } //@ handlers#1(1) handlers#2(1)
        try { try { io(); } catch (IOException e) { } } catch (RuntimeException e) { try { io(); } catch (IOException f) { } finally { use(1); } } //@ handlers#1(1) handlers#2(1) handlers#3(1)
    }

    int nested(int n) {
        try {
            try {
                io();
                return 1;
            } catch (IOException e) { //@ handlers(1)
                try {
                    io();
                } catch (IOException f) { //@ handlers(1)
                    return 2;
                }
            }
        } catch (IllegalStateException e) { //@ handlers(1)
            return 3;
        }
        while (n-- > 0) {
            try {
                if (n == 5) {
                    break;
                }
                if (n == 6) {
                    continue;
                }
                io();
            } catch (IOException e) { //@ handlers(1)
                continue;
            } catch (Exception e) { //@ handlers(1)
                break;
            }
        }
        return n;
    }

    int sameTypesInARow() {
        try {
            use(1);
        } catch (Exception e) { //@ handlers(1)
            use(1);
        }
        try {
            use(2);
        } catch (Exception e) { //@ handlers(1)
            use(2);
        }
        try {
            use(3);
        } catch (Exception f) { //@ handlers(1)
            return 3;
        }
        return 4;
    }

    synchronized int locks(Object a) {
        try {
            synchronized (a) {
                io();
                try {
                    io();
                } catch (EOFException e) { //@ handlers(1)
                    return 1;
                }
            }
        } catch (IOException e) { //@ handlers(1)
            return 2;
        }
        return 3;
    }

    int overloads(int a) {
        try {
            io();
        } catch (IOException e) { //@ handlers(1)
            return 1;
        }
        return 0;
    }

    int overloads(String a) {
        try {
            use(a);
        } catch (RuntimeException e) { //@ handlers(1)
            return 1;
        }
        return 0;
    }

    <T extends Comparable<T>> int overloads(T a, int... b) {
        try {
            use(a);
        } catch (IllegalStateException e) { //@ handlers(1)
            return 1;
        }
        return 0;
    }

    <V> V calls(Callable<? extends V> c) {
        try {
            return c.call();
        } catch (RuntimeException | Error e) { //@ handlers(1)
            throw e;
        } catch (Exception e) { //@ handlers(1)
            throw new RuntimeException(e);
        }
    }
}
