package p; //@ release(17) indy[ecj]("record toString", "record hashCode", "record equals")

import java.io.IOException;
import java.io.UncheckedIOException;

/** Records, string concatenation, switches on strings and enums, sealed types. */
class Modern {
    record Point(int x, String name) { //@ indy[javac]("record toString", "record hashCode", "record equals")
        Point {
            if (x < 0) {
                throw new IllegalArgumentException("x " + x); //@ sources("new java/lang/IllegalArgumentException") indy("concat")
            }
        }
    }

    enum Color { RED, GREEN }

    int exhaustive(Color c) {
        return switch (c) { //@ sources[javac,release17]("new java/lang/IncompatibleClassChangeError") sources[javac,release25]("new java/lang/MatchException")
            case RED -> 1;
            case GREEN -> throw new UncheckedIOException(new IOException()); //@ sources[javac]("new java/io/UncheckedIOException") sources[ecj,release17]("new java/io/UncheckedIOException", "new java/lang/IncompatibleClassChangeError") sources[ecj,release25]("new java/io/UncheckedIOException", "new java/lang/MatchException")
        };
    }

    int onString(String s) {
        return switch (s) {
            case "a", "b" -> 1;
            default -> throw new IllegalStateException(s); //@ sources("new java/lang/IllegalStateException")
        };
    }

    int pattern(Object o) {
        if (o instanceof Exception e) {
            throw new IllegalStateException(e); //@ sources("new java/lang/IllegalStateException")
        }
        return 0;
    }
}
