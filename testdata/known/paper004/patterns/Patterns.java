package patterns;

import traced.Trace;

/** Switches on patterns, of Java 21. */
public class Patterns {
    enum Mode { FAST, SAFE, SLOW }

    sealed interface Shape permits Circle, Square { }
    record Circle(int radius) implements Shape { }
    record Square(String side) implements Shape { }

    sealed interface Key permits Letter, Digit { }
    enum Letter implements Key { A, B }
    record Digit() implements Key { }

    static int first() { return Trace.note(1); }
    static int second() { return Trace.note(2); }
    static int third() { return Trace.note(3); }
    static int other() { return Trace.note(4); }

    public static int modes() {
        return mode(Mode.SAFE);
    }

    /** The constant may be null instead. */
    public static int noMode() {
        return mode(System.nanoTime() > 0 ? null : Mode.SAFE);
    }

    static int mode(Mode m) {
        return switch (m) {
            case FAST -> first();
            case SAFE -> second();
            case null -> third();
            default -> other();
        };
    }

    public static int circles() {
        return shape(new Circle(1));
    }

    public static int squares() {
        return shape(new Square("a"));
    }

    static int shape(Shape s) {
        return switch (s) {
            case Circle(int radius) -> first();
            case Square square -> second();
        };
    }

    /** The first label may match, and its guard fails. */
    public static int texts() {
        return guarded("abc");
    }

    public static int numbers() {
        return guarded(7);
    }

    static int guarded(Object o) {
        return switch (o) {
            case String s when s.length() > 3 -> first();
            case String s -> second();
            case Integer i -> third();
            default -> other();
        };
    }

    /** After the guard of the first label fails, the second one matches. */
    public static int again() {
        return again(new Circle(1));
    }

    static int again(Object o) {
        return switch (o) {
            case Circle c when c.radius() > 1 -> first();
            case Shape s -> second();
            default -> other();
        };
    }

    public static int words() {
        return word("b");
    }

    public static int noWord() {
        return word(null);
    }

    static int word(String s) {
        return switch (s) {
            case "a" -> first();
            case "b" -> second();
            case null -> third();
            default -> other();
        };
    }

    /** A constant of an enum as label of a switch on something else is not read. */
    public static int keys() {
        return key(Letter.A);
    }

    static int key(Key k) {
        return switch (k) {
            case Letter.A -> first();
            case Letter.B -> second();
            case Digit d -> third();
        };
    }

    /** All constants, by their ordinals. */
    public static int all() {
        return every(Mode.SLOW);
    }

    static int every(Mode m) {
        return switch (m) {
            case FAST -> first();
            case SAFE -> second();
            case SLOW -> third();
        };
    }

    /** A lambda object may be null. */
    public static int noTask() {
        return task(Trace.note(9) > 0 ? null : Patterns::first);
    }

    static int task(Runnable r) {
        switch (r) {
            case null -> third();
            case Thread t -> second();
            default -> r.run();
        }
        return 0;
    }
}
