package pointsto;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;

/** Reflection and handles of static members initialise the class that declares the member: its constant is not enough. */
public class ReflectiveInitialisers {
    static class Failure extends Error {
    }

    static int count;

    static int[] fail() {
        if (count >= 0) {
            throw new Failure(); //@ site("failure")
        }
        return null;
    }

    public interface Got {
        int[] STATE = fail();
    }

    public static class OfGot implements Got {
    }

    public static class Constructed {
        static int[] state = fail();
    }

    public static class Invoked {
        static int[] state = fail();

        public static int inside() {
            return 1;
        }
    }

    public static class Set {
        public static int[] state = fail();
    }

    public static class Found {
        static int[] state = fail();

        static int inside() {
            return 1;
        }
    }

    public interface Read {
        int[] STATE = fail();
    }

    public static class OfRead implements Read {
    }

    public static class Varied {
        static int[] state = fail();
    }

    static void got() throws ReflectiveOperationException {
        try {
            count += ((int[]) OfGot.class.getField("STATE").get(null)).length;
        } catch (Failure e) { //@ includes("failure") experienced("failure")
            count++;
        }
    }

    static void set() throws ReflectiveOperationException {
        try {
            Set.class.getField("state").set(null, null);
        } catch (Failure e) { //@ includes("failure") experienced("failure")
            count++;
        }
    }

    static void constructed() throws ReflectiveOperationException {
        try {
            count += Constructed.class.getDeclaredConstructor().newInstance().hashCode();
        } catch (Failure e) { //@ includes("failure") experienced("failure")
            count++;
        }
    }

    static void invoked() throws ReflectiveOperationException {
        try {
            count += (Integer) Invoked.class.getMethod("inside").invoke(null);
        } catch (Failure e) { //@ includes("failure") experienced("failure")
            count++;
        }
    }

    static void found() throws Throwable {
        try {
            MethodHandle h = MethodHandles.lookup().findStatic(Found.class, "inside", MethodType.methodType(int.class));
            count += (int) h.invokeExact();
        } catch (Failure e) { //@ includes("failure") experienced("failure")
            count++;
        }
    }

    static void read() throws Throwable {
        try {
            MethodHandle h = MethodHandles.lookup().findStaticGetter(OfRead.class, "STATE", int[].class);
            count += ((int[]) h.invokeExact()).length;
        } catch (Failure e) { //@ includes("failure") experienced("failure")
            count++;
        }
    }

    static void varied() throws ReflectiveOperationException {
        try {
            VarHandle h = MethodHandles.lookup().findStaticVarHandle(Varied.class, "state", int[].class);
            count += ((int[]) h.get()).length;
        } catch (Failure e) { //@ includes("failure") experienced("failure")
            count++;
        }
    }

    static void nothing() {
        try {
            count++;
        } catch (Failure e) { //@ excludes("failure")
            count++;
        }
    }

    static int run() throws Throwable {
        got();
        set();
        constructed();
        invoked();
        found();
        read();
        varied();
        nothing();
        return count;
    }
}
