package exceptions;

import java.util.ServiceLoader;

/** A provider that only META-INF/services names. */
public class Services {
    public static class Failure extends Exception {
    }

    public interface Codec {
        void code() throws Failure;
    }

    public static class Zip implements Codec {
        @Override
        public void code() throws Failure {
            throw new Failure(); //@ site("zip")
        }
    }

    /** Nothing names this one. */
    public static class Forgotten implements Codec {
        @Override
        public void code() throws Failure {
            throw new Failure(); //@ site("forgotten")
        }
    }

    static int count;

    public static void main(String[] args) {
        for (Codec c : ServiceLoader.load(Codec.class)) {
            try {
                c.code();
            } catch (Failure e) { //@ links[cha]("zip", "forgotten") links[rta]("zip")
                count++;
            }
        }
    }
}
