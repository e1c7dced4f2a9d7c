package exceptions;

/** Catches and throws in member, static nested, local and anonymous classes. */
public class InnerClasses {
    static class Failure extends Exception {
    }

    interface Step {
        void go() throws Failure;
    }

    static int count;

    static void fail() throws Failure {
        throw new Failure();
    }

    class Member implements Step {
        @Override
        public void go() {
            try {
                fail();
            } catch (Failure e) { //@ links("exceptions/InnerClasses.fail") handlers(1)
                count++;
            }
        }
    }

    static class Nested {
        class Deeper {
            void go() {
                try {
                    fail();
                } catch (Failure e) { //@ links("exceptions/InnerClasses.fail") handlers(1)
                    count++;
                }
            }
        }
    }

    static void local() {
        class Local {
            void go() {
                try {
                    fail();
                } catch (Failure e) { //@ links("exceptions/InnerClasses.fail") handlers(1)
                    count++;
                }
            }
        }
        new Local().go();
    }

    static Step anonymous() {
        return new Step() {
            @Override
            public void go() throws Failure {
                try {
                    fail();
                } catch (Failure e) { //@ links("exceptions/InnerClasses.fail") handlers(1)
                    throw new Failure(); //@ site("anonymous")
                }
            }
        };
    }

    static void call(Step s) {
        try {
            s.go();
        } catch (Failure e) { //@ links("anonymous")
            count++;
        }
    }

    /** The catch stands in an argument's class; the try around the creation guards only the creation. */
    static void asArgument() {
        try {
            call(new Step() {
                @Override
                public void go() {
                    try {
                        fail();
                    } catch (Failure e) { //@ links("exceptions/InnerClasses.fail") handlers(1)
                        count++;
                    }
                }
            });
            fail();
        } catch (Failure e) { //@ links("exceptions/InnerClasses.fail") handlers(1)
            count++;
        }
    }

    public static void main(String[] args) {
        call(new InnerClasses().new Member());
        new Nested().new Deeper().go();
        local();
        call(anonymous());
        asArgument();
    }
}
