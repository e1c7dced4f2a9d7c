package exceptions;

/** Several catches on one line, of one try, of nested ones, and of neighbours. */
public class SameLine {
    static class A extends Exception {
    }

    static class B extends Exception {
    }

    static int count;

    static void a() throws A {
        throw new A();
    }

    static void b() throws B {
        throw new B();
    }

    static void siblings() {
        //@ links#1("exceptions/SameLine.a") types#1("exceptions.SameLine$A") handlers#1(1)
        //@ links#2("exceptions/SameLine.b") types#2("exceptions.SameLine$B") handlers#2(1)
        try { a(); b(); } catch (A e) { count++; } catch (B e) { count--; }
    }

    static void neighbours() {
        //@ links#1("exceptions/SameLine.a") handlers#1(1)
        //@ links#2("exceptions/SameLine.a") handlers#2(1)
        try { a(); } catch (A e) { count++; } try { count++; a(); } catch (A e) { count--; }
    }

    static void nested() {
        //@ links#1("exceptions/SameLine.a") handlers#1(1)
        //@ links#2("exceptions/SameLine.b") handlers#2(1)
        try { try { a(); } catch (A e) { b(); } } catch (B e) { count--; }
    }

    static void inCatch() throws B {
        //@ links#1("exceptions/SameLine.a") handlers#1(1)
        //@ links#2("exceptions/SameLine.b") handlers#2(1)
        try { a(); } catch (A e) { try { b(); } catch (B f) { count--; } }
    }

    public static void main(String[] args) throws B {
        siblings();
        neighbours();
        nested();
        inCatch();
    }
}
