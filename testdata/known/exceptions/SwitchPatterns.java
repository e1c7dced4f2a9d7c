package exceptions;

//@ release(21)

/** Switches over patterns: what an accessor throws inside a match is wrapped by code that the compiler adds. */
public class SwitchPatterns {
    static class Failure extends Exception {
    }

    sealed interface Shape permits Circle, Box {
    }

    record Circle(int radius) implements Shape {
    }

    record Box(int width, int height) implements Shape {
    }

    static int count;

    static int fail(int n) throws Failure {
        if (n > 3) {
            throw new Failure();
        }
        return n;
    }

    static int types(Object o) {
        try {
            return switch (o) {
                case null -> 0;
                case Integer i when i > 2 -> fail(i);
                case String s -> fail(s.length());
                default -> 1;
            };
        } catch (Failure e) { //@ links("exceptions/SwitchPatterns.fail") handlers(1)
            return -1;
        }
    }

    static int deconstruct(Shape shape) throws Failure {
        return switch (shape) { //@ synthetic[javac]("switch")
            case Circle(int r) -> fail(r);
            case Box(int w, int h) when w > h -> fail(w);
            case Box(int w, int h) -> h;
        };
    }

    static int deconstructAndCatch(Shape shape) {
        try {
            return switch (shape) { //@ synthetic[javac]("switch")
                case Circle(int r) -> fail(r);
                case Box(int w, int h) -> fail(w * h);
            };
        } catch (Failure e) { //@ links("exceptions/SwitchPatterns.fail") handlers(1)
            return -1;
        }
    }

    static int exhaustive(Shape shape) {
        try {
            return switch (shape) {
                case Circle c -> fail(c.radius());
                case Box b -> fail(b.width());
            };
        } catch (Failure e) { //@ links("exceptions/SwitchPatterns.fail") handlers(1)
            return -1;
        }
    }

    public static void main(String[] args) throws Failure {
        try {
            count += deconstruct(new Circle(1));
        } catch (Failure e) { //@ links("exceptions/SwitchPatterns.fail")
            count++;
        }
        count += types(args) + deconstructAndCatch(new Box(1, 2)) + exhaustive(new Circle(2));
    }
}
