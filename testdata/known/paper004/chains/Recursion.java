package chains;

/** Recursion, direct and mutual, and through a virtual call. */
public class Recursion {
    public static int direct(int n) {
        return n == 0 ? 0 : direct(n - 1);
    }

    public static boolean even(int n) {
        return n == 0 || odd(n - 1);
    }

    static boolean odd(int n) {
        return n != 0 && even(n - 1);
    }

    /** Calls the same method at two sites. */
    public static int twice() {
        return once()
            + once();
    }

    static int once() {
        return 1;
    }

    /** Twice as many chains with each call. */
    public static int fib(int n) {
        return n < 2 ? n : fib(n - 1)
            + fib(n - 2);
    }

    /** Two ways to the same recursion. */
    public static boolean parity(int n) {
        return n < 0 ? odd(-n) : even(n);
    }

    /** A method that calls itself inside a larger circle. */
    public static int circle(int n) {
        return inner(n);
    }

    static int inner(int n) {
        return n > 9 ? inner(n - 1)
            : circle(n - 1);
    }
}
