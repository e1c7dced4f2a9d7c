import java.util.function.Supplier;

/**
 * Calls that throw: what issues of JaCoCo, by their numbers, say is missing. Where JaCoCo 0.8.15 says something else
 * than we do, it stands behind `//=`.
 */
public class Thrown {
    static int n;
    int k;

    static void fails() {
        throw new IllegalStateException(); //# hit
    }

    static void only() { // 1360, 370, EclEmma's 61
        fails(); //# hit //= missed
    } //# missed

    static void caught() { // 1067
        try {
            n++; //# hit
            fails(); //# hit //= missed
        } catch (IllegalStateException e) { //# hit
            n--; //# hit
            fails(); //# hit //= missed
        } finally {
            n = 3; //# hit
        }
    } //# missed

    Thrown(String brand) { // 1261 //# hit
        if (brand == null) { //# hit 1/2
            fails(); //# hit //= missed
        }
        k = brand.length(); //# missed
    } //# missed

    static void before(int[] list) { // 362, 310
        try {
            n = list.length; //# hit
            n += "ab".length(); //# hit
            fails(); //# hit //= missed
            n = 4; //# missed
        } catch (IllegalStateException e) { //# hit
            n = 5; //# hit
        } //# missed
    } //# hit

    static String given(Supplier<String> s) { // 370
        return s.get(); //# hit //= missed
    }

    static void sneaky(Throwable t) { // 1003
        if (t instanceof RuntimeException) { //# hit 1/2
            throwAny(t); //# hit //= missed
        }
    } //# missed

    static <T extends Throwable> void throwAny(Throwable t) throws T {
        throw (T) t; //# hit
    }

    static String chopped(String s) { // 1223
        int last = s.length() - 1; //# hit
        if (s.charAt(last) == '\n') { //# hit 0/2 //= missed 0/2
            last--; //# missed
        }
        return s.substring(0, last); //# missed
    }

    static int state(int state) { // 340
        switch (state) { //# hit 1/2 //= missed 0/2
            case 1: return 1; //# missed
            default: fails(); //# hit //= missed
        }
        return 0; //# missed
    }

    static void own(int a) { // 385
        if (a == 2) { //# hit 1/2 //= missed 0/2
            n = a; //# hit //= missed
            n /= a - 2; //# hit //= missed
        }
    } //# missed

    static void run(Runnable r) {
        try {
            r.run(); //# hit
        } catch (RuntimeException e) { //# hit
            n++; //# hit
        } //# hit
    } //# hit

    public static void main(String[] args) {
        run(Thrown::only); //# hit
        run(Thrown::caught); //# hit
        run(() -> new Thrown(null)); //# hit
        run(() -> before(new int[2])); //# hit
        run(() -> given(() -> { throw new IllegalStateException(); })); //# hit
        run(() -> sneaky(new IllegalStateException())); //# hit
        run(() -> chopped("")); //# hit
        run(() -> state(7)); //# hit
        run(() -> own(2)); //# hit
    } //# hit
}
