package chains;

import traced.Trace;

/** Conditions on what objects are that the chain itself passes. */
public class Objects {
    public enum Mode {
        FAST, SAFE, SLOW {
            @Override
            int cost() { return 2; }
        };

        int cost() { return 1; }

        public static int inside() {
            return ownSwitch(SAFE);
        }

        static int ownSwitch(Mode m) {
            switch (m) {
                case FAST: return fast();
                case SAFE: return safe();
                default: return other();
            }
        }
    }

    static int fast() { return Trace.note(1); }
    static int safe() { return Trace.note(2); }
    static int other() { return Trace.note(3); }
    static int yes() { return Trace.note(4); }
    static int no() { return Trace.note(5); }

    // Switches on enums.

    public static int switched() {
        return switchOf(Mode.FAST);
    }

    /** The constant is none of the cases. */
    public static int defaulted() {
        return switchOf(Mode.SLOW);
    }

    static int switchOf(Mode m) {
        switch (m) {
            case FAST: return fast();
            case SAFE: return safe();
            default: return other();
        }
    }

    /** Null leads to the handler. */
    public static int caught() {
        return caught(System.nanoTime() > 0 ? Mode.SAFE : null);
    }

    static int caught(Mode m) {
        try {
            switch (m) {
                case SAFE: return safe();
                default: return other();
            }
        } catch (NullPointerException e) {
            return no();
        }
    }

    /** No one constant is passed. */
    public static int eitherMode() {
        return switchOf(System.nanoTime() > 0 ? Mode.FAST : Mode.SAFE);
    }

    /** The parameter is assigned before it is looked at. */
    public static int assignedMode() {
        return assigned(Mode.FAST);
    }

    static int assigned(Mode m) {
        if (System.nanoTime() > 0) {
            m = Mode.SAFE;
        }
        switch (m) {
            case FAST: return fast();
            case SAFE: return safe();
            default: return other();
        }
    }

    public static int ordinals() {
        return ordinal(Mode.SAFE);
    }

    static int ordinal(Mode m) {
        return m.ordinal() == 1 ? yes() : no();
    }

    /** Control falls from one case into the next. */
    public static int falls() {
        return through(Mode.FAST);
    }

    static int through(Mode m) {
        int n = 0;
        switch (m) {
            case FAST: n += fast();
            case SAFE: n += safe(); break;
            default: n += other();
        }
        return n;
    }

    /** An enum whose constructor switches on its own constants. */
    enum Early {
        A, B;

        Early() {
            look();
        }

        static void look() {
            early();
        }
    }

    public static int early() {
        return earlySwitch(Early.A);
    }

    static int earlySwitch(Early e) {
        if (e == null) {
            return no();
        }
        switch (e) {
            case A: return fast();
            default: return other();
        }
    }

    // Text.

    public static int texts() {
        return text("b");
    }

    /** Aa and BB have one hash code. */
    public static int sameHash() {
        return text("BB");
    }

    public static int otherText() {
        return text("?");
    }

    static int text(String s) {
        switch (s) {
            case "a": return fast();
            case "b": return safe();
            case "Aa": return yes();
            case "BB": return no();
            default: return other();
        }
    }

    public static int equalText() {
        return equal("x") + objectEqual("x") + reversed("y") + either("x");
    }

    static int equal(String s) {
        return s.equals("x") ? yes() : no();
    }

    static int objectEqual(Object o) {
        return o.equals("x") ? yes() : no();
    }

    static int reversed(Object o) {
        return "x".equals(o) ? yes() : no();
    }

    static int either(String s) {
        return java.util.Objects.equals(s, "y") || "x".equals(s) ? yes() : no();
    }

    /** Null is equal to no text. */
    public static int noText() {
        return reversed(null);
    }

    /** Text that is computed is not known, nor is that of an object of another class. */
    public static int madeText() {
        return equal(new String("x")) + objectEqual(new Equal());
    }

    /** It is equal to everything. */
    static class Equal {
        @Override
        public boolean equals(Object o) { return true; }

        @Override
        public int hashCode() { return 0; }
    }

    /** What a variable has from a comparison. */
    public static int kept() {
        return kept("x");
    }

    static int kept(String s) {
        boolean is = s.equals("x");
        int n = is ? yes() : no();
        return is && n > 0 ? fast() : 0;
    }

    /** The variable has another value the second time. */
    public static int turned() {
        return turned("x");
    }

    static int turned(String s) {
        int state = s.equals("x") ? 1 : 0;
        int n = 0;
        for (int i = 0; i < 2; i++) {
            if (state == 1) {
                n += yes();
                state = 0;
            } else {
                n += no();
            }
        }
        return n;
    }

    // Classes.

    interface Shape { }
    static class Circle implements Shape { }
    static class Ring extends Circle { }
    static class Square implements Shape { }

    public static int circles() {
        return kind(new Ring());
    }

    public static int squares() {
        return kind(new Square());
    }

    static int kind(Object o) {
        if (o instanceof Circle) {
            return fast();
        }
        return o instanceof Shape ? safe() : other();
    }

    /** Constants, boxes and null have classes, or none. */
    public static int constants() {
        return kind("text");
    }

    public static int nothing() {
        return comparable(null);
    }

    public static int ofEnum() {
        return comparable(Mode.FAST);
    }

    static int comparable(Object o) {
        return o instanceof Comparable ? yes() : no();
    }

    /** An instance or not, as what came last. */
    public static int replaced() {
        return replaced(new Ring());
    }

    static int replaced(Object o) {
        int n = 0;
        while (n < 2) {
            n += o instanceof Circle ? yes() : no();
            o = "none";
        }
        return n;
    }

    /** The class of an array is not that of what is in it. */
    public static int arrays() {
        return rest(new Ring());
    }

    static int rest(Object... o) {
        return o[0] instanceof Circle ? yes() : no();
    }

    // Calls on what is passed.

    interface Task { int run(); }
    static class One implements Task {
        @Override
        public int run() { return yes(); }
    }
    static class Inherits extends One { }
    static class Two implements Task {
        @Override
        public int run() { return no(); }
    }

    public static int dispatched() {
        return handOn(new Inherits());
    }

    static int handOn(Task t) {
        return run(t);
    }

    static int run(Task t) {
        return t.run();
    }

    /** This is one of those on which run may call, in other chains. */
    public static int lambda() {
        return run(Objects::other);
    }

    public static int two() {
        return run(new Two());
    }

    /** Other parameters, which are not looked at, come before it. */
    public static int placed() {
        return new Objects().placed(new Two(), 1L, new One());
    }

    int placed(Task other, long n, Task t) {
        return t.run();
    }

    /** What a field or an array had is not what is passed. */
    public static int stored() {
        return stored(new One(), new Task[] {new Two()});
    }

    static int stored(Task t, Task[] all) {
        Task old = t;
        for (Task x : all) {
            old = t == x ? old : x;
        }
        return old.run();
    }

    /** The parameter is assigned, and may be null instead. */
    public static int exchanged() {
        return exchanged(new One()) + lost(new One());
    }

    static int exchanged(Task t) {
        if (System.nanoTime() > 0) {
            t = new Two();
        }
        return t.run();
    }

    static int lost(Task t) {
        if (System.nanoTime() < 0) {
            t = null;
        }
        return t.run();
    }

    /** It is what a call gives. */
    public static int given() {
        return given(new One());
    }

    static int given(Task t) {
        if (System.nanoTime() > 0) {
            t = pick();
        }
        return t.run();
    }

    static Task pick() {
        return new Two();
    }

    /** What may be a constant or null is compared with the constant. */
    public static int lostMode() {
        return isFast(System.nanoTime() > 0 ? null : Mode.FAST);
    }

    static int isFast(Mode m) {
        return m == Mode.FAST ? fast() : other();
    }

    // Boxes.

    public static int boxes() {
        return flag(true) + flag(Boolean.FALSE) + number(7);
    }

    static int flag(Boolean b) {
        return b ? yes() : no();
    }

    static int number(Integer n) {
        return n == 7 ? fast() : safe();
    }

    /** Far down, and to one that asks less. */
    public static int down() {
        return down("a", new Square());
    }

    static int down(String s, Object o) {
        return further(o, s);
    }

    static int further(Object o, String s) {
        return text(s) + kind(o) + (s == null ? no() : 0);
    }
}
