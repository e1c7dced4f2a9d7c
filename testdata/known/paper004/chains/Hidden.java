package chains;

import java.util.List;

/** Calls that do not stand in the code of the caller as calls of the callee. */
public class Hidden {
    interface Task {
        int run(boolean b);

        default int both() {
            return run(true) + run(false);
        }
    }

    static class Plain implements Task {
        public int run(boolean b) {
            return plain();
        }
    }

    static int plain() { return 0; }

    /** The lambda's body is called where the interface's method is. */
    public static int lambda() {
        Task t = b -> inLambda();
        return call(t);
    }

    public static int reference() {
        return call(Hidden::run);
    }

    public static int object() {
        return call(new Plain());
    }

    static int call(Task t) {
        return t.both();
    }

    static int run(boolean b) {
        return b ? inLambda() : plain();
    }

    static int inLambda() { return 1; }

    /** Code outside the component calls the body. */
    public static void outside(List<String> list) {
        list.forEach(s -> fromOutside(s));
    }

    static void fromOutside(String s) { }

    /** Other threads and initialisers begin chains of their own. */
    public static void thread() {
        new Thread(() -> inThread()).start();
    }

    static void inThread() { }

    static class Initialised {
        static int n = compute();

        static int compute() { return 1; }
    }

    public static int initialises() {
        return Initialised.n;
    }
}
