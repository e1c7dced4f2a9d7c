package pointsto;

/** Methods of interfaces: default, overridden, static and private. */
public class Defaults {
    interface Base {
        default void act() throws Failure {
            throw new Failure("base"); //@ site("base")
        }

        default void viaPrivate() throws Failure {
            hidden();
        }

        private void hidden() throws Failure {
            throw new Failure("hidden"); //@ site("hidden")
        }

        static void statically() throws Failure {
            throw new Failure("statically"); //@ site("statically")
        }
    }

    interface Left extends Base {
        @Override
        default void act() throws Failure {
            throw new Failure("left"); //@ site("left")
        }
    }

    interface Right extends Base {
        @Override
        default void act() throws Failure {
            throw new Failure("right"); //@ site("right")
        }
    }

    static class Plain implements Base {
    }

    static class Both implements Left, Right {
        @Override
        public void act() throws Failure {
            Right.super.act();
        }
    }

    static class Lefty implements Left {
    }

    public static int run() {
        int caught = 0;
        Base plain = new Plain();
        Base both = new Both();
        Base lefty = new Lefty();
        try {
            plain.act();
        } catch (Failure e) { //@ includes("base") excludes[pta+]("left", "right") experienced("base")
            caught++;
        }
        try {
            both.act();
        } catch (Failure e) { //@ includes("right") excludes[pta+]("base", "left") experienced("right")
            caught++;
        }
        try {
            lefty.act();
        } catch (Failure e) { //@ includes("left") excludes[pta+]("base", "right") experienced("left")
            caught++;
        }
        try {
            lefty.viaPrivate();
        } catch (Failure e) { //@ links("hidden") experienced("hidden")
            caught++;
        }
        try {
            Base.statically();
        } catch (Failure e) { //@ links("statically") experienced("statically")
            caught++;
        }
        return caught;
    }
}
