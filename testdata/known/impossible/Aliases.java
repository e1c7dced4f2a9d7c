package impossible;

import java.io.IOException;

/** Fields that hold one object, or another one later, do not exclude each other. */
public class Aliases {
    enum Mode {
        FAST, SAFE;

        static final Mode DEFAULT = FAST;
    }

    static void hit() throws IOException {
        throw new IOException("reached");
    }

    static void alias(Mode m) throws IOException {
        if (m == Mode.DEFAULT && m == Mode.FAST) {
            hit();
        }
    }

    static void aliased() {
        try {
            alias(Mode.FAST);
        } catch (IOException e) { //@ includes("impossible.Aliases.hit")
            System.out.println("aliased");
        }
    }

    static Mode usual = Mode.FAST;

    static void usual(Mode m) throws IOException {
        if (m != usual) {
            return;
        }
        if (m == Mode.SAFE) {
            System.out.println("safe");
            return;
        }
        if (m == Mode.FAST) {
            hit();
        }
    }

    static void asUsual() {
        try {
            usual(Mode.FAST);
        } catch (IOException e) { //@ includes("impossible.Aliases.hit")
            System.out.println("asUsual");
        }
    }

    static final String S1 = text();
    static final String S2 = S1;

    static String text() {
        return "a";
    }

    static void twoStrings(String s) throws IOException {
        if (s == S1 && s == S2) {
            hit();
        }
    }

    static void strings() {
        try {
            twoStrings("a");
        } catch (IOException e) { //@ includes("impossible.Aliases.hit")
            System.out.println("strings");
        }
    }

    static final Object N1 = null;
    static final Object N2 = null;

    static void twoNulls(Object o) throws IOException {
        if (o == N1 && o == N2) {
            hit();
        }
    }

    static void nulls() {
        try {
            twoNulls(null);
        } catch (IOException e) { //@ includes("impossible.Aliases.hit")
            System.out.println("nulls");
        }
    }

    static void nullField(Object o) throws IOException {
        if (o == N1 && o == null) {
            hit();
        }
    }

    static void nullFields() {
        try {
            nullField(null);
        } catch (IOException e) { //@ includes("impossible.Aliases.hit")
            System.out.println("nullFields");
        }
    }

    static void changes(Mode m) throws IOException {
        usual = m;
        if (m == usual) {
            usual = null;
            if (m != usual) {
                hit();
            }
        }
    }

    static void changed() {
        try {
            changes(Mode.FAST);
        } catch (IOException e) { //@ includes("impossible.Aliases.hit")
            System.out.println("changed");
        }
    }

    /** Two constants do exclude each other. */
    static void never(Mode m) throws IOException {
        if (m == Mode.SAFE) {
            hit();
        }
    }

    static void excluded() {
        try {
            never(Mode.FAST);
        } catch (IOException e) { //@ excludes[obj-dr]("impossible.Aliases.hit") includes[pta]("impossible.Aliases.hit")
            System.out.println("excluded");
        }
    }

    public static void main(String[] args) {
        aliased();
        asUsual();
        strings();
        nulls();
        nullFields();
        changed();
        excluded();
    }
}
