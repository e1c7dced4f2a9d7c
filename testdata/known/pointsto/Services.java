package pointsto;

import java.util.ServiceLoader;

/** Providers that only META-INF/services names. */
public class Services {
    public interface Codec {
        void code() throws Failure;
    }

    public static class Zip implements Codec {
        public Zip() {
        }

        /** The loader does not call it, but who asks it for the class may. */
        public Zip(String level) throws Failure {
            throw new Failure(level); //@ site("level")
        }

        @Override
        public void code() throws Failure {
            throw new Failure("zip"); //@ site("zip")
        }
    }

    /** Made here, and no provider. */
    static class Local implements Codec {
        @Override
        public void code() throws Failure {
            throw new Failure("local"); //@ site("local")
        }
    }

    public static int run() {
        int caught = 0;
        for (Codec c : ServiceLoader.load(Codec.class)) {
            try {
                c.code();
            } catch (Failure e) { //@ includes("zip") experienced("zip")
                caught++;
            }
        }
        try {
            ServiceLoader.load(Codec.class).stream().findFirst().get().type().getConstructor(String.class).newInstance("9");
        } catch (ReflectiveOperationException e) { //@ wraps("level")
            caught++;
        }
        Codec local = new Local();
        try {
            local.code();
        } catch (Failure e) { //@ includes("local") excludes[pta+]("zip") experienced("local")
            caught++;
        }
        return caught;
    }
}
