package exceptions;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;

/** Code that only reflection with constant names reaches; what it throws arrives wrapped. */
public class Reflection {
    public static class Failure extends Exception {
    }

    static int count;

    public static class Target {
        public Target() {
        }

        static void fail() throws Failure {
            throw new Failure();
        }

        public static void inside() {
            try {
                fail();
            } catch (Failure e) { //@ links("exceptions/Reflection$Target.fail")
                count++;
            }
        }

        public void leaves() throws Failure { //@ reachingThrows("exceptions/Reflection$Target.leaves")
            throw new Failure();
        }
    }

    public static class Made {
        public Made() {
            try {
                Target.fail();
            } catch (Failure e) { //@ links("exceptions/Reflection$Target.fail")
                count++;
            }
        }
    }

    static void declared() throws Failure {
        if (count > 100) {
            throw new Failure(); //@ site("declared")
        }
    }

    /** A handle made of what reflection found throws what its method throws, unwrapped. */
    static void unreflected() throws Throwable {
        try {
            MethodHandles.lookup().unreflect(Target.class.getMethod("leaves")).invoke(new Target());
        } catch (Failure e) { //@ includes("exceptions/Reflection$Target.leaves")
            count++;
        }
    }

    public static void main(String[] args) throws Throwable {
        unreflected();
        Class.forName("exceptions.Reflection$Target").getMethod("inside").invoke(null);
        Class.forName("exceptions.Reflection$Made").getConstructor().newInstance();
        try {
            declared();
            Target.class.getMethod("leaves").invoke(new Target());
        } catch (Failure e) { //@ links("declared")
            count++;
        } catch (InvocationTargetException e) { //@ includes[jdk17]("jdk/internal/reflect/NativeMethodAccessorImpl.invoke0") includes[jdk25]("jdk/internal/reflect/DirectMethodHandleAccessor.invoke") excludes("declared", "exceptions/Reflection$Target.leaves")
            count++;
        }
    }
}
