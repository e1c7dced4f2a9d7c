package exceptions;

/** A catch of several types is one catch; its links are those of all its types. */
public class MultiCatch {
    static class A extends Exception {
    }

    static class B extends Exception {
    }

    static class C extends B {
    }

    static class D extends Exception {
    }

    static int count;

    static void a() throws A {
        throw new A();
    }

    static void b() throws B {
        throw new B();
    }

    static void c() throws C {
        throw new C();
    }

    static void d() throws D {
        throw new D();
    }

    static void two() throws D { //@ reachingThrows("exceptions/MultiCatch.d")
        try {
            a();
            b();
            c();
            d();
        } catch (A | B e) { //@ types("exceptions.MultiCatch$A", "exceptions.MultiCatch$B") links("exceptions/MultiCatch.a", "exceptions/MultiCatch.b", "exceptions/MultiCatch.c") handlers(1)
            count++;
        }
    }

    static void three() throws B { //@ reachingThrows("exceptions/MultiCatch.b")
        try {
            a();
            b();
            c();
            d();
        } catch (A | C | D e) { //@ links("exceptions/MultiCatch.a", "exceptions/MultiCatch.c", "exceptions/MultiCatch.d") arrives("exceptions.MultiCatch$A", "exceptions.MultiCatch$C", "exceptions.MultiCatch$D")
            count++;
        }
    }

    static void after() throws B { //@ reachingThrows
        try {
            a();
            c();
            b();
        } catch (C e) { //@ links("exceptions/MultiCatch.c")
            count++;
        } catch (A | B e) { //@ links("exceptions/MultiCatch.a", "exceptions/MultiCatch.b")
            count++;
        }
    }

    static void rethrown() throws A, D { //@ reachingThrows("exceptions/MultiCatch.a", "exceptions/MultiCatch.d")
        try {
            a();
            d();
        } catch (A | D e) { //@ links("exceptions/MultiCatch.a", "exceptions/MultiCatch.d")
            throw e;
        }
    }

    public static void main(String[] args) throws Exception {
        two();
        three();
        after();
        rethrown();
    }
}
