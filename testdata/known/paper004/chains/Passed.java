package chains;

import traced.Trace;

/** Lambda expressions and method references that a call passes: what is called on them is their own code. */
public class Passed {
    interface Task {
        int run();

        default int twice() { return run() + run(); }
    }

    static class Plain implements Task {
        public int run() { return Trace.note(1); }
    }

    static class Base {
        int work() { return Trace.note(2); }
    }

    static class Derived extends Base {
        int work() { return Trace.note(3); }
    }

    static class Made implements Task {
        Made() { Trace.note(4); }

        public int run() { return Trace.note(5); }
    }

    interface Maker {
        Task make();
    }

    static Task kept;

    private static int first() { return Trace.note(6); }

    private static int second() { return Trace.note(7); }

    private static int call(Task task) { return task.run(); }

    private static int through(Task task) { return call(task); }

    private static int both(Task task) { return task.twice(); }

    private static int unlessNull(Task task) { return task == null ? first() : second(); }

    private static int runUnlessNull(Task task) { return task == null ? first() : task.run(); }

    private static int changed(Task task, boolean other) {
        if (other) {
            task = Passed::first;
        }
        return task.run();
    }

    private static Task from(Maker maker) { return maker.make(); }

    public static int lambda() { return call(() -> first()); }

    public static int reference() { return through(Passed::second); }

    public static int object() { return call(new Plain()); }

    public static int bound() {
        Base base = new Derived();
        return call(base::work);
    }

    public static int variable() {
        Task task = () -> second();
        Trace.note(8);
        return through(task);
    }

    public static int chosen() {
        return call(Trace.note(9) > 0 ? Passed::first : Passed::second);
    }

    public static int stored() {
        kept = Passed::first;
        return call(kept);
    }

    public static int twice() { return both(Passed::first); }

    public static int notNull() { return unlessNull(Passed::first); }

    public static int orNull() { return unlessNull(Trace.note(9) > 0 ? null : Passed::first); }

    public static int runOrNull() { return runUnlessNull(Trace.note(9) > 0 ? null : Passed::second); }

    public static int replaced() { return changed(Passed::second, true); }

    public static Task made() { return from(Made::new); }

    public static Task nested() { return from(() -> () -> first()); }

    public static int sameObject() { return call(new Plain()::run); }
}
