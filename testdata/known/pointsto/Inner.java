package pointsto;

/** Inner, local and anonymous classes, and what they capture. */
public class Inner {
    static class First implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("first"); //@ site("first")
        }
    }

    static class Second implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("second"); //@ site("second")
        }
    }

    private Thrower mine;

    class Member implements Thrower {
        @Override
        public void act() throws Failure {
            mine.act();
        }
    }

    static Thrower anonymous(Thrower t) {
        return new Thrower() {
            @Override
            public void act() throws Failure {
                t.act();
            }
        };
    }

    public static int run() {
        int caught = 0;
        Thrower first = new First();
        class Local implements Thrower {
            @Override
            public void act() throws Failure {
                first.act();
            }
        }
        try {
            new Local().act();
        } catch (Failure e) { //@ includes("first") excludes[pta+]("second") experienced("first")
            caught++;
        }
        try {
            anonymous(new Second()).act();
        } catch (Failure e) { //@ includes("second") excludes[pta+]("first") experienced("second")
            caught++;
        }
        Inner outer = new Inner();
        outer.mine = new Second();
        try {
            outer.new Member().act();
        } catch (Failure e) { //@ includes("second") excludes[pta+]("first") experienced("second")
            caught++;
        }
        Thrower nested = new Thrower() {
            private final Thrower second = new Second();

            @Override
            public void act() throws Failure {
                Thrower t = () -> second.act();
                t.act();
            }
        };
        try {
            nested.act();
        } catch (Failure e) { //@ includes("second") excludes[pta+]("first") experienced("second")
            caught++;
        }
        return caught;
    }
}
