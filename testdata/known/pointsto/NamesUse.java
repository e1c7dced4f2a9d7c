package pointsto;

/** Names classes, and leaves it to others to load them. */
public class NamesUse {
    static String said = "";

    static Thrower of(String name) throws ReflectiveOperationException {
        return new Names.Maker(name).make();
    }

    public static int run() throws Exception {
        int caught = 0;
        try {
            Names.Kind.ONE.make().act();
        } catch (Failure e) { //@ includes("loaded", "passed") excludes[rta+]("unloaded") experienced("loaded")
            caught++;
        }
        try {
            of("pointsto.Names$Passed").act();
        } catch (Failure e) { //@ includes("loaded", "passed") excludes[rta+]("unloaded") experienced("passed")
            caught++;
        }
        try {
            Names.Maker.later("no.such.property", "pointsto.Names$Captured").act();
        } catch (Failure e) { //@ includes("captured") excludes[rta+]("unloaded") experienced("captured")
            caught++;
        }
        said = "pointsto.Names$Unloaded".concat(said);
        return caught;
    }
}
