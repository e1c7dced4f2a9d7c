package exceptions;

/** What a throw throws that takes its operand from elsewhere: the objects there, not all of their static type. */
public class ThrownOperands {
    static class Late extends RuntimeException {
    }

    static class Lost extends RuntimeException {
    }

    static class Box {
        private Object kept;

        void put(Object o) {
            kept = o;
        }

        RuntimeException take() {
            return (RuntimeException) kept;
        }
    }

    interface Factory {
        RuntimeException make(int k);
    }

    static int count;
    static RuntimeException next = new Late();

    static RuntimeException late() {
        return new Late();
    }

    static <T> T same(T t) {
        return t;
    }

    static RuntimeException nothing() {
        return null;
    }

    static void ofCall() {
        try {
            throw late();
        } catch (Lost e) { //@ nolinks[pta+] includes[cha]("exceptions/ThrownOperands.ofCall") includes[rta]("exceptions/ThrownOperands.ofCall")
            count++;
        } catch (Late e) { //@ links("exceptions/ThrownOperands.ofCall")
            count++;
        }
    }

    static void ofGeneric() {
        try {
            throw same(late());
        } catch (Lost e) { //@ nolinks[pta+]
            count++;
        } catch (Late e) { //@ links("exceptions/ThrownOperands.ofGeneric")
            count++;
        }
    }

    static void ofStatic() {
        try {
            throw next;
        } catch (Lost e) { //@ nolinks[pta+]
            count++;
        }
    }

    static void ofBox() {
        Box b = new Box();
        b.put(new Late());
        try {
            throw b.take();
        } catch (Lost e) { //@ nolinks[pta+]
            count++;
        } catch (Late e) { //@ links("exceptions/ThrownOperands.ofBox")
            count++;
        }
    }

    static void ofLambda(Factory f) {
        try {
            throw f.make(1);
        } catch (Lost e) { //@ links("exceptions/ThrownOperands.ofLambda")
            count++;
        } catch (Late e) { //@ nolinks[pta+]
            count++;
        }
    }

    static void ofNothing() {
        try {
            throw nothing();
        } catch (Lost e) { //@ nolinks[pta+]
            count++;
        } catch (NullPointerException e) { //@ links("exceptions/ThrownOperands.ofNothing")
            count++;
        }
    }

    static void tested(Object o) {
        try {
            if (o instanceof RuntimeException) {
                throw (RuntimeException) o;
            }
        } catch (Lost e) { //@ nolinks[pta+]
            count++;
        } catch (Late e) { //@ links("exceptions/ThrownOperands.tested")
            count++;
        }
    }

    static RuntimeException any(int k) {
        switch (k) {
            case 0: return new IllegalStateException();
            case 1: return new IllegalArgumentException();
            case 2: return new UnsupportedOperationException();
            case 3: return new ArithmeticException();
            case 4: return new ClassCastException();
            case 5: return new IndexOutOfBoundsException();
            case 6: return new NegativeArraySizeException();
            case 7: return new SecurityException();
            default: return new Late();
        }
    }

    /** Of more than eight classes the static type is taken. */
    static void ofMany(int k) {
        try {
            throw any(k);
        } catch (Lost e) { //@ links("exceptions/ThrownOperands.ofMany")
            count++;
        }
    }

    public static void main(String[] args) {
        ofCall();
        ofGeneric();
        ofStatic();
        ofBox();
        ofLambda(k -> new Lost());
        ofNothing();
        ofMany(args.length);
        tested("x");
        tested(new Late());
    }
}
