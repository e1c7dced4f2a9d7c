import java.io.IOException;
import java.io.StringReader;

/**
 * What the compiler adds is not shown. Behind a line stands what a run of main covers of it: `hit` or
 * `missed`, and for each branch how many of its ways were taken. Lines without a comment have no code.
 */
public class Filters { //# hit
    enum Color { RED, GREEN } //# hit

    static int copies(int k) {
        int n = 0; //# hit
        try {
            if (k == 0) { //# hit 2/2
                return n; //# hit
            }
            fail(k); //# hit
            n = 1; //# hit
        } catch (IllegalStateException e) { //# hit
            n = 2; //# hit
        } finally {
            if (n == 2) { //# hit 2/2
                n++; //# hit
            }
        }
        return n; //# hit
    }

    static void fail(int k) {
        if (k == 2) { //# hit 2/2
            throw new IllegalStateException(); //# hit
        }
    } //# hit

    static int resources(String s) throws IOException {
        try (StringReader r = new StringReader(s); StringReader q = null) { //# hit
            return r.read(); //# hit
        }
    }

    static int leftInTheMiddle(String s) {
        int n = 0; //# hit
        n += s.isEmpty() ? 1 : 2; //# hit 1/2
        n += Integer.parseInt(s); //# hit
        n++; //# missed
        return n; //# missed
    }

    static String strings(String s) {
        switch (s) { //# hit 2/3
            case "a": return "A"; //# hit
            case "Aa": return "B"; //# missed
            default: return s; //# hit
        }
    }

    static int colors(Color c) {
        switch (c) { //# hit 1/2
            case RED: return 1; //# hit
            default: return 2; //# missed
        }
    }

    static void monitors(Object o) {
        synchronized (o) { //# hit
            fail(0); //# hit
        } //# hit
    } //# hit

    static void asserts(int k) {
        assert k > 0; //# hit 0/2
    } //# hit

    static Runnable lambdas() {
        return () -> fail(0); //# hit
    }

    static int loop(int n) {
        int s = 0; //# hit
        for (int i = 0; i < n; i++) s += i; //# hit 2/2
        return s; //# hit
    }

    static int choose(boolean a, boolean b) {
        return a && b ? 1 : 0; //# hit 1/2 0/2
    }

    public static void main(String[] args) throws Exception {
        for (int k = 0; k < 3; k++) { //# hit 2/2
            copies(k); //# hit
        }
        resources("x"); //# hit
        try {
            leftInTheMiddle("x"); //# hit
        } catch (NumberFormatException e) { //# hit
            strings("a"); //# hit
        } //# missed
        strings("z"); //# hit
        colors(Color.RED); //# hit
        monitors(args); //# hit
        asserts(1); //# hit
        lambdas().run(); //# hit
        loop(2); //# hit
        choose(false, true); //# hit
    } //# hit
}
