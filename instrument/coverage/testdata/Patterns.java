/**
 * What javac adds to patterns, and to switches that have a case for everything, is not shown. Where JaCoCo 0.8.15 says
 * something else, it stands behind `//=` (its issues 1514, 1531, 1551, 1999 and 2000 ask about such lines).
 */
public class Patterns { //# missed
    sealed interface Shape permits A, B, C {}
    record A(int number) implements Shape {} //# hit
    record B() implements Shape {} //# hit
    record C(Shape in) implements Shape {} //# hit
    enum Color { RED, GREEN } //# hit

    static String several(Shape s) {
        return switch (s) { //# hit 2/2
            case A _ -> "a"; //# hit
            case B _, C _ -> "z"; //# hit 2/2 //= hit 3/4
        };
    }

    static String guarded(Shape s) {
        return switch (s) { //# hit 4/4
            case A(int n) when n == 0 -> "zero"; //# hit 2/2 //= hit 3/4
            case A _ -> "a"; //# hit
            case B _ -> "b"; //# hit
            case C _ -> "c"; //# hit
        };
    }

    static String inside(Shape s) {
        return switch (s) { //# hit 4/4
            case A(int n) -> { //# hit //= hit 1/2
                if (n == 0) { //# hit 2/2
                    yield "zero"; //# hit
                }
                yield "a"; //# hit
            }
            case B _ -> "b"; //# hit
            case C(A(int n)) -> "nested"; //# hit 2/2 //= hit 3/4
            case C _ -> "c"; //# hit
        };
    }

    static int expression(Color c) {
        return switch (c) { //# hit 1/2
            case RED -> 1; //# hit
            case GREEN -> 2; //# missed
        };
    }

    static int statement(Shape s) {
        int n = 0; //# hit
        switch (s) { //# hit 3/3
            case A a -> n = a.number(); //# hit
            case B b -> n = 2; //# hit
            case C c -> n = 3; //# hit
        }
        return n; //# hit
    }

    static int instance(Object o) {
        if (o instanceof A(int n)) { //# hit 2/2 //= hit 3/4
            return n; //# hit
        }
        return 0; //# hit
    }

    static int notMatched(Color c) {
        switch (c) { //# hit 1/2
            case RED: return 1; //# hit
            default: throw new MatchException(null, null); //# missed
        }
    }

    static int notWrapped(A a) {
        try {
            return a.number(); //# hit
        } catch (Throwable t) { //# missed //=
            throw new MatchException(t.toString(), t); //# missed //=
        }
    }

    static int joined(boolean a, boolean b) {
        if ((a ? b : true) != false) { //# hit 2/2 2/2 //= hit 4/4
            return 1; //# hit
        }
        return 0; //# hit
    }

    public static void main(String[] args) {
        for (Shape s : new Shape[] {new A(0), new A(1), new B(), new C(new A(1)), new C(new B())}) { //# hit 2/2
            several(s); //# hit
            guarded(s); //# hit
            inside(s); //# hit
            statement(s); //# hit
            instance(s); //# hit
        }
        expression(Color.RED); //# hit
        notMatched(Color.RED); //# hit
        notWrapped(new A(2)); //# hit
        joined(true, false); //# hit
        joined(false, false); //# hit
    } //# hit
}
