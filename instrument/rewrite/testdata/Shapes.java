/**
 * Try statements of every shape, with the number of times that each probe must
 * fire beside the line that the probe stands at: `try` the entries of the try
 * whose body starts on the line, `out` the exceptions that left it uncaught,
 * `caught` the entries of the catch, `thrown` the throw site. A probe of a line
 * that says nothing of its kind must not fire. [ecj] and [javac] limit a count
 * to what that compiler makes. `enter` counts the entries of the method whose
 * code begins on the line, where the comment says so.
 */
public class Shapes {
    static int depth;

    static class A extends RuntimeException {
        A(String m) { super(m); }
    }

    static class B extends A {
        B(String m) { super(m); }
    }

    static class C extends RuntimeException {
        C(String m) { super(m); }
    }

    /** With the line where an exception was made: rewriting must not change it. */
    static void say(Object o) {
        System.out.println(o instanceof Throwable ? o + " of line " + ((Throwable) o).getStackTrace()[0].getLineNumber() : o);
    }

    /** Throws A, B, C for 1, 2, 3; nothing for others. */
    static int may(int k) {
        if (k == 1) throw new A("a"); //# thrown 26
        if (k == 2) throw new B("b"); //# thrown 11
        if (k == 3) throw new C("c"); //# thrown 9
        return k;
    }

    static void simple() {
        for (int k = 0; k < 4; k++) {
            try {
                say(may(k)); //# try 4 out 1
            } catch (B b) { //# caught 1
                say("B " + b.getMessage());
            } catch (A a) { //# caught 1
                say("A " + a.getMessage());
            } finally {
                if (k == 3) break;
            }
        }
    }

    static void multi() {
        for (int k = 0; k < 4; k++) {
            try {
                say(may(k)); //# try 4 out 0
            } catch (A | C e) { //# caught 3
                say(e);
            }
        }
    }

    /** The back edge of the loop around the try enters it again. */
    static void loopAround() {
        int k = 0;
        while (true) {
            try {
                if (k > 3) return; //# try 4
                if (k == 2) { k += 2; continue; }
                say(may(k++));
            } catch (A a) { //# caught 1
                say(a);
            }
        }
    }

    static void loopAroundBranches(int n) {
        int k = 0;
        for (;;) {
            try {
                if (k % 2 == 0) { //# try 6
                    say("even");
                } else {
                    say("odd");
                }
                if (++k > n) break;
                if (k == 2) continue;
            } catch (A a) { //# caught 0
                say(a);
            }
        }
    }

    static void doAround() {
        int k = 0;
        do {
            try {
                may(k); //# try 3
            } catch (A a) { //# caught 2
                say(a);
            }
        } while (++k < 3 && depth == 0);
    }

    /** A loop whose head is the first instruction of the try enters it once. */
    static void loopInside() {
        int k = 0;
        try {
            while (k < 4) { //# try 1
                say(k++);
                if (k == 2) continue;
                depth = 0;
            }
            do { k--; } while (k > 0);
        } catch (A a) { //# caught 0
            say(a);
        }
    }

    static void doInside() {
        int k = 0;
        try {
            do {
                k++; //# try 1
                if (k == 2) continue;
                say(k);
            } while (k < 4);
        } catch (A a) { //# caught 0
            say(a);
        }
    }

    static void foreverInside() {
        int k = 0;
        try {
            while (true) {
                say(may(3 - k)); //# try 1
                k++;
            }
        } catch (A a) { //# caught 0
            say(a);
        } catch (C c) { //# caught 1
            say(c);
        }
    }

    /** Two loops and two tries with one start. */
    static void loopsBoth() {
        int k = 0;
        int n = 0;
        while (n++ < 3) {
            try {
                while (k < 10) { //# [javac] try 3
                    if (++k % 3 == 0) may(1); //# [ecj] try 3
                }
            } catch (A a) { //# caught 3
                say(a + " " + k);
            }
        }
    }

    /** Nested tries that start at one instruction. */
    static void nestedStart(int k) {
        try {
            try {
                try {
                    say(may(k)); //# try 12 out 3
                } catch (B b) { //# caught 1
                    say("inner " + b);
                }
            } catch (A a) { //# caught 1
                say("middle " + a);
            }
        } catch (C c) { //# caught 1
            say("outer " + c);
        } finally {
            say("finally");
        }
    }

    /** A loop in the outer try around the inner one: one entry, and three. */
    static void nestedLoop() {
        int k = 0;
        try {
            for (;;) {
                try {
                    if (++k == 3) may(3); //# try 4 out 1
                    say(may(k));
                } catch (A a) { //# caught 2
                    say("loop " + a);
                }
            }
        } catch (C c) { //# caught 1
            say("end " + c);
        }
    }

    static String finals(int k) {
        StringBuilder s = new StringBuilder();
        try {
            try {
                s.append(may(k)); //# try 8 out 2
                if (k == 0) return s.append("return").toString();
            } catch (C c) { //# caught 1
                s.append("C");
                throw new A("from catch"); //# thrown 1
            } finally {
                s.append("finally");
            }
        } catch (A a) { //# caught 3
            s.append(a.getMessage());
        }
        return s.toString();
    }

    @SuppressWarnings("finally")
    static int abrupt(int k) {
        while (true) {
            try {
                may(k); //# try 2 out 1
                return 1;
            } catch (B b) { //# caught 0
                return 2;
            } finally {
                break;
            }
        }
        return 3;
    }

    static class R implements AutoCloseable {
        final int k;

        R(int k) {
            say("open " + k);
            this.k = k;
        }

        public void close() {
            say("close " + k);
            may(k == 9 ? 1 : 0);
        }
    }

    static void resources() {
        for (int k = 0; k < 3; k++) {
            try (R r = new R(k); R q = new R(9)) { //# [javac] try 11 [javac] caught 7 [ecj] try 3
                say(may(k)); //# [javac] try 3
            } catch (B b) { //# caught 1
                say(b + " " + b.getSuppressed().length);
            } catch (A a) { //# caught 2
                say(a + " " + a.getSuppressed().length);
            }
        }
    }

    static void sync(Object lock) {
        for (int k = 0; k < 4; k++) {
            try {
                synchronized (lock) { //# try 4 out 0
                    try {
                        may(k); //# try 4 out 2
                        say("locked");
                    } catch (B b) { //# caught 1
                        say("in lock " + b);
                    }
                }
            } catch (A | C e) { //# caught 2
                say(e + " " + Thread.holdsLock(lock));
            }
        }
    }

    static int switches(int k) {
        switch (k) {
            case 0:
                try {
                    return may(1); //# try 1 out 0
                } catch (A a) { //# caught 1
                    k = 10;
                }
            case 1:
                try {
                    k += may(0); //# try 2 out 0
                } catch (A a) { //# caught 0
                    k = 11;
                }
                break;
            case 1000:
                k = 12;
                break;
            default:
                try {
                    switch ("s" + k) { //# try 2 out 0
                        case "s7": may(1);
                        case "s8": k = may(8); break;
                        default: k = 13;
                    }
                } catch (A a) { //# caught 1
                    k = 14;
                }
        }
        return k;
    }

    final int field;

    Shapes(int k) {
        this(k, k > 0 ? "positive" : "zero");
    }

    Shapes(int k, String s) {
        super();
        int f;
        try {
            f = may(k); //# try 2 out 0
        } catch (A a) { //# caught 1
            f = -1;
        }
        field = f;
        say(s + f);
    }

    static int rethrow(int k) {
        try {
            try {
                return may(k); //# try 6 out 0
            } catch (A a) { //# caught 2
                say("again");
                throw a;
            }
        } catch (RuntimeException e) { //# caught 2
            RuntimeException f = k == 1 ? e : new A("other");
            throw f; //# rethrown 2
        }
    }

    /** Handlers see what was thrown in catches of inner tries. */
    static void catchThrows() {
        try {
            try {
                may(1); //# try 2 out 0
            } catch (A a) { //# caught 1
                throw new C("c2"); //# thrown 1
            }
        } catch (C c) { //# caught 1
            say(c);
        }
    }

    /** Locals that differ between the ranges of a try and its handlers. */
    static long locals(int k, Object o) {
        long sum = 0;
        double d = 1.5;
        String s = null;
        try {
            int x = may(k); //# try 3 out 1
            s = "x" + x;
            try {
                long y = sum + x; //# try 1 out 0
                Object p = o == null ? s : new int[] {x};
                may(1);
                say(y + " " + p);
            } catch (A a) { //# caught 1
                sum += 100;
            }
        } catch (B b) { //# caught 1
            sum += 7;
        } finally {
            sum += (long) d;
        }
        return sum + (s == null ? 0 : s.length());
    }

    static void newInTry() {
        for (int k = 0; k < 3; k++) {
            try {
                say(new StringBuilder().append(k > 0 ? new String("pos") : "zero").append(may(k))); //# try 3 out 0
            } catch (A a) { //# caught 2
                say(new A(a.getMessage() + (k > 1 ? "!" : "")));
            }
        }
    }

    static int spins = 4;

    /** The method's first instruction heads the loop and starts the try: each has its own count. */
    static void spin() {
        while (true) {
            try {
                if (--spins == 0) return; //# enter 2 try 5 out 0
                if (spins < 0) may(1);
            } catch (A a) { //# caught 1
                return;
            }
        }
    }

    /** A loop from the first instruction on, in a method that is entered once. */
    static void spinInside() {
        try {
            do {
                spins++; //# enter 1 try 1 out 0
            } while (spins < 9);
        } catch (A a) { //# caught 0
            say(a);
        }
    }

    static boolean first = true;

    static int recursion(int k) {
        try {
            if (k == 0) throw new C("deep"); //# try 4 out 4 thrown 1
            return recursion(k - 1);
        } catch (A a) { //# caught 0
            return 0;
        }
    }

    static void handlerIsLoop() {
        int k = 3;
        while (k > 0) {
            try {
                may(k == 2 ? 0 : 1); //# try 3 out 0
                k--;
            } catch (A a) { //# caught 2
                while (k > 0) {
                    k--;
                    if (k == 2) break;
                }
            }
        }
    }

    static {
        try {
            first = may(1) == 1; //# try 1 out 0
        } catch (A a) { //# caught 1
            say("static " + a);
        }
    }

    public static void main(String[] args) {
        try {
            simple(); //# try 1 out 0
        } catch (C c) { //# caught 0
            say("simple " + c);
        }
        multi();
        loopAround();
        loopAroundBranches(5);
        doAround();
        loopInside();
        doInside();
        foreverInside();
        loopsBoth();
        for (int k = 0; k < 4; k++) nestedStart(k);
        nestedLoop();
        for (int k = 0; k < 4; k++) say(finals(k));
        say(abrupt(0) + abrupt(3));
        resources();
        sync(new Object());
        say(switches(0) + switches(1) + switches(1000) + switches(7) + switches(8));
        say(new Shapes(0).field + new Shapes(1).field);
        for (int k = 0; k < 3; k++) {
            try {
                say(rethrow(k)); //# try 3 out 0
            } catch (A a) { //# caught 2
                say("main " + a);
            }
        }
        catchThrows();
        say(locals(0, null));
        say(locals(2, ""));
        try {
            say(locals(3, null)); //# try 1 out 0
        } catch (C c) { //# caught 1
            say(c);
        }
        newInTry();
        try {
            recursion(3); //# try 1 out 0
        } catch (C c) { //# caught 1
            say(c);
        }
        handlerIsLoop();
        spin();
        spin();
        spinInside();
    }
}
