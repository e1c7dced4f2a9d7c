package pointsto;

/** Classes whose names are strings in one place and are loaded in another. */
public class Names {
    enum Kind {
        ONE("pointsto.Names$Loaded");

        final String name;

        Kind(String name) {
            this.name = name;
        }

        Thrower make() throws ReflectiveOperationException {
            return (Thrower) Class.forName(name).getDeclaredConstructor().newInstance();
        }
    }

    public static class Loaded implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("loaded"); //@ site("loaded")
        }
    }

    public static class Passed implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("passed"); //@ site("passed")
        }
    }

    public static class Unloaded implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("unloaded"); //@ site("unloaded")
        }
    }

    /** Loads what others name. */
    static class Maker {
        private final String name;

        Maker(String name) {
            this.name = name.trim();
        }

        Thrower make() throws ReflectiveOperationException {
            return (Thrower) Class.forName(name).getDeclaredConstructor().newInstance();
        }
    }
}
