package exceptions;

/** A lambda throws where it is called, not where it is made. */
public class Lambdas {
    static class Failure extends Exception {
    }

    interface Action {
        void run() throws Failure;
    }

    interface Producer<T, X extends Exception> {
        T get() throws X;
    }

    static int count;

    static void fail() throws Failure {
        throw new Failure(); //@ site("fail")
    }

    static Action make() {
        try {
            if (count > 100) {
                fail();
            }
            return () -> {
                throw new Failure(); //@ site("lambda")
            };
        } catch (Failure e) { //@ links("fail") handlers(1)
            return null;
        }
    }

    static void call(Action a) {
        try {
            a.run();
        } catch (Failure e) { //@ links("fail", "lambda") handlers(1)
            count++;
        }
    }

    static Action guarded() {
        return () -> {
            try {
                fail();
            } catch (Failure e) { //@ links("fail") handlers(1)
                count++;
            }
        };
    }

    static Action nested() {
        return () -> {
            Action inner = () -> {
                try {
                    fail();
                } catch (Failure e) { //@ links("fail") handlers(1)
                    count++;
                }
            };
            inner.run();
        };
    }

    Action field = () -> {
        try {
            fail();
        } catch (Failure e) { //@ links("fail") handlers(1)
            count += hashCode();
        }
    };

    static <T, X extends Exception> T get(Producer<T, X> p) throws X { //@ reachingThrows("produce")
        return p.get();
    }

    static String produce() throws Failure {
        throw new Failure(); //@ site("produce")
    }

    static void generic() {
        try {
            get(Lambdas::produce);
        } catch (Failure e) { //@ links("produce")
            count++;
        }
    }

    public static void main(String[] args) throws Failure {
        call(make());
        call(guarded());
        call(nested());
        call(Lambdas::fail);
        call(new Lambdas().field);
        generic();
    }
}
