package exceptions;

/** ReachingThrows is a fixed point: exceptions travel around cycles of calls. */
public class Recursion {
    static class A extends Exception {
    }

    static class B extends Exception {
    }

    static int count;

    static void even(int n) throws A, B { //@ reachingThrows("exceptions/Recursion.even", "exceptions/Recursion.odd")
        if (n == 0) {
            throw new A();
        }
        odd(n - 1);
    }

    static void odd(int n) throws A, B { //@ reachingThrows("exceptions/Recursion.even", "exceptions/Recursion.odd")
        if (n == 1) {
            throw new B();
        }
        even(n - 1);
    }

    static void filtered(int n) throws B { //@ reachingThrows("exceptions/Recursion.odd")
        try {
            if (n > 0) {
                filtered(n - 1);
            }
            even(n);
        } catch (A e) { //@ links("exceptions/Recursion.even")
            count++;
        }
    }

    public static void main(String[] args) {
        try {
            filtered(args.length);
        } catch (B e) { //@ links("exceptions/Recursion.odd")
            count++;
        }
    }
}
