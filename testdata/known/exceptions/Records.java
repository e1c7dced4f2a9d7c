package exceptions;

//@ release(16)

/** Records: compact constructors and accessors. */
public class Records {
    static class Failure extends Exception {
    }

    static int count;

    static int check(int n) throws Failure {
        if (n < 0) {
            throw new Failure();
        }
        return n;
    }

    record Range(int low, int high) {
        Range {
            try {
                low = check(low);
            } catch (Failure e) { //@ links("exceptions/Records.check") handlers(1)
                low = 0;
            }
            if (high < low) {
                throw new IllegalArgumentException("empty"); //@ site("empty")
            }
        }

        @Override
        public int low() {
            try {
                return check(low);
            } catch (Failure e) { //@ links("exceptions/Records.check") handlers(1)
                return 0;
            }
        }
    }

    public static void main(String[] args) {
        try {
            Range r = new Range(2, 1);
            count += r.low();
        } catch (IllegalArgumentException e) { //@ links("empty") handlers(1)
            count++;
        }
    }
}
