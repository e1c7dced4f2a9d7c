package pointsto;

import java.util.concurrent.Callable;

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

    public static class Captured implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("captured"); //@ site("captured")
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

        /** Makes what a property names; without it, what is named here. */
        static Thrower later(String property, String otherwise) throws Exception {
            Callable<Object> code = () -> {
                String name = System.getProperty(property, otherwise);
                ClassLoader loader = Maker.class.getClassLoader();
                return loader.loadClass(name).getConstructor().newInstance();
            };
            return (Thrower) code.call();
        }
    }
}
