package p; //@ release(25) indy[ecj]("record toString", "record hashCode", "record equals")

/** Switches on patterns (JEP 441) and record deconstruction (JEP 440). */
class Patterns {
    sealed interface Shape permits Circle, Square {}

    record Circle(double r) implements Shape {} //@ indy[javac]("record toString", "record hashCode", "record equals")

    record Square(double a) implements Shape {} //@ indy[javac]("record toString", "record hashCode", "record equals")

    double area(Shape s) {
        return switch (s) { //@ indy("switch typeSwitch") sources("new java/lang/MatchException")
            case Circle c when c.r() > 1 -> 1;
            case Circle(double r) -> r;
            case Square(double a) -> a * a; //@ sources[javac]("new java/lang/MatchException") causes[javac]("java/lang/Throwable")
        };
    } //@ sources[ecj]("new java/lang/MatchException") causes[ecj]("java/lang/Throwable")

    String text(Object o) {
        return switch (o) { //@ indy("switch typeSwitch")
            case null -> "null";
            case Integer i -> "int " + i; //@ indy("concat")
            case RuntimeException e -> throw e; //@ sources("typed java/lang/RuntimeException")
            default -> "other";
        };
    }
}
