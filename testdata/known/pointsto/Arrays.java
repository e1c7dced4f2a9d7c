package pointsto;

/** Elements of arrays: one array does not hold what another holds, whatever their static types. */
public class Arrays {
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

    static class Many implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("many"); //@ site("many")
        }
    }

    static void all(Thrower... throwers) throws Failure {
        for (Thrower t : throwers) {
            t.act();
        }
    }

    static Thrower[] shared = new Thrower[1];

    public static int run() {
        int caught = 0;
        Thrower[] first = {new First()};
        Object[] second = new Thrower[1];
        second[0] = new Second();
        try {
            first[0].act();
        } catch (Failure e) { //@ includes("first") excludes[pta+]("second", "many") experienced("first")
            caught++;
        }
        try {
            ((Thrower) second[0]).act();
        } catch (Failure e) { //@ includes("second") excludes[pta+]("first", "many") experienced("second")
            caught++;
        }
        try {
            all(new Many());
        } catch (Failure e) { //@ includes("many") excludes[pta+]("first", "second") experienced("many")
            caught++;
        }
        Thrower[][] nested = new Thrower[1][1];
        nested[0][0] = new First();
        try {
            for (Thrower[] row : nested) {
                row[0].act();
            }
        } catch (Failure e) { //@ includes("first") excludes[pta+]("second", "many") experienced("first")
            caught++;
        }
        Object alias = shared;
        ((Object[]) alias)[0] = new Second();
        try {
            shared[0].act();
        } catch (Failure e) { //@ includes("second") excludes[pta+]("first", "many") experienced("second")
            caught++;
        }
        return caught;
    }
}
