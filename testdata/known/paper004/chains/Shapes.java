package chains;

/** Calls through this, which the class of the receiver decides. */
public class Shapes {
    abstract static class Shape {
        String draw() {
            return outline() + fill();
        }

        abstract String outline();

        String fill() {
            return "empty";
        }
    }

    static class Circle extends Shape {
        String outline() {
            return "circle";
        }
    }

    static class Square extends Shape {
        String outline() {
            return "square";
        }

        String fill() {
            return "full";
        }
    }

    /** A call through this stands in a method that super calls. */
    static class Dotted extends Square {
        String draw() {
            return super.draw();
        }

        String outline() {
            return "dots";
        }
    }

    public static String any(boolean round) {
        Shape s = round ? new Circle() : new Square();
        return s.draw();
    }

    public static String dotted() {
        return new Dotted().draw();
    }
}
