package pointsto;

/** What the VM writes for a record: accessors, and methods that call those of the components. */
public class Records {
    record Holder(Thrower thrower, Object other) {
    }

    static class Held implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("held"); //@ site("held")
        }

        @Override
        public String toString() {
            throw new Broken("toString"); //@ site("toString")
        }

        @Override
        public int hashCode() {
            throw new Broken("hashCode"); //@ site("hashCode")
        }

        @Override
        public boolean equals(Object o) {
            throw new Broken("equals"); //@ site("equals")
        }
    }

    static class Unheld implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("unheld"); //@ site("unheld")
        }
    }

    public static int run() {
        int caught = 0;
        Holder h = new Holder(new Held(), "x");
        Thrower unheld = new Unheld();
        try {
            h.thrower().act();
        } catch (Failure e) { //@ includes("held") excludes[pta+]("unheld") experienced("held")
            caught++;
        }
        try {
            h.toString();
        } catch (Broken e) { //@ includes("toString") excludes[pta+]("hashCode", "equals") experienced("toString")
            caught++;
        }
        try {
            h.hashCode();
        } catch (Broken e) { //@ includes("hashCode") excludes[pta+]("toString", "equals") experienced("hashCode")
            caught++;
        }
        try {
            h.equals(new Holder(new Held(), "x"));
        } catch (Broken e) { //@ includes("equals") excludes[pta+]("toString", "hashCode") experienced("equals")
            caught++;
        }
        try {
            String s = "h: " + h.thrower();
        } catch (Broken e) { //@ includes("toString") experienced("toString")
            caught++;
        }
        try {
            unheld.act();
        } catch (Failure e) { //@ includes("unheld") excludes[pta+]("held") experienced("unheld")
            caught++;
        }
        return caught;
    }
}
