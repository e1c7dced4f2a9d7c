/** What records have that no source says is not shown; what a source says is. */
public class Records { //# missed
    record Point(int x, int y) { //# hit
        int sum() {
            return x + y; //# hit
        }
    }

    record Named(String name) { //# missed
        public String name() {
            return "<" + name + ">"; //# missed
        }
    }

    static String kind(Object o) {
        if (o instanceof Point p) { //# hit 1/2
            return "point " + p.x(); //# hit
        }
        return "other"; //# missed
    }

    static int arrow(int k) {
        return switch (k) { //# hit 1/2
            case 1 -> 10; //# hit
            default -> 0; //# missed
        };
    }

    enum Way { LEFT, RIGHT } //# hit

    static int everyWay(Way w) {
        return switch (w) { //# hit 1/2
            case LEFT -> 10; //# hit
            case RIGHT -> 0; //# missed
        };
    }

    public static void main(String[] args) {
        kind(new Point(1, 2)); //# hit
        new Point(1, 2).sum(); //# hit
        arrow(1); //# hit
        everyWay(Way.LEFT); //# hit
    } //# hit
}
