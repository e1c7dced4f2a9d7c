package pointsto;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * Using a static member or a constructor by reflection or a handle initialises the class that declares it: its
 * constant is not enough. What the initialiser throws arrives as it is, not wrapped as what an invoked method throws.
 */
public class ReflectiveInitialisers {
    static class Failure extends Error {
    }

    static int count;

    public interface Got {
        int[] STATE = fail();

        static int[] fail() {
            if (count >= 0) {
                throw new Failure(); //@ site("class got")
            }
            return null;
        }
    }

    public static class OfGot implements Got {
    }

    public static class Set {
        public static int[] state = fail();

        static int[] fail() {
            if (count >= 0) {
                throw new Failure(); //@ site("class set")
            }
            return null;
        }
    }

    public static class Listed {
        public static int[] state = fail();

        static int[] fail() {
            if (count >= 0) {
                throw new Failure(); //@ site("class listed")
            }
            return null;
        }
    }

    public static class Constructed {
        static int[] state = fail();

        static int[] fail() {
            if (count >= 0) {
                throw new Failure(); //@ site("class constructed")
            }
            return null;
        }

        public Constructed() {
        }
    }

    public static class Invoked {
        static int[] state = fail();

        static int[] fail() {
            if (count >= 0) {
                throw new Failure(); //@ site("class invoked")
            }
            return null;
        }

        public static int inside() {
            return 1;
        }
    }

    public static class Counted {
        static int[] state = fail();

        static int[] fail() {
            if (count >= 0) {
                throw new Failure(); //@ site("class counted")
            }
            return null;
        }

        public static int inside() {
            return 1;
        }
    }

    public static class Found {
        static int[] state = fail();

        static int[] fail() {
            if (count >= 0) {
                throw new Failure(); //@ site("class found")
            }
            return null;
        }

        public static int inside() {
            return 1;
        }
    }

    public static class Unreflected {
        static int[] state = fail();

        static int[] fail() {
            if (count >= 0) {
                throw new Failure(); //@ site("class unreflected")
            }
            return null;
        }

        public static int inside() {
            return 1;
        }
    }

    public interface Read {
        int[] STATE = fail();

        static int[] fail() {
            if (count >= 0) {
                throw new Failure(); //@ site("class read")
            }
            return null;
        }
    }

    public static class OfRead implements Read {
    }

    public static class Varied {
        static int[] state = fail();

        static int[] fail() {
            if (count >= 0) {
                throw new Failure(); //@ site("class varied")
            }
            return null;
        }
    }

    /** Its constant stands in the code, and nothing of it is asked for. */
    static class Never {
        static int[] state = fail();

        static int[] fail() {
            if (count >= 0) {
                throw new Failure(); //@ site("class never")
            }
            return null;
        }
    }

    static void got() throws ReflectiveOperationException {
        try {
            count += ((int[]) OfGot.class.getField("STATE").get(null)).length;
        } catch (Failure e) { //@ includes("class got") excludes("class never") experienced("class got")
            count++;
        }
    }

    static void set() throws ReflectiveOperationException {
        try {
            Set.class.getField("state").set(null, null);
        } catch (Failure e) { //@ includes("class set") excludes("class never") experienced("class set")
            count++;
        }
    }

    static void listed() throws ReflectiveOperationException {
        try {
            for (Field f : Listed.class.getFields()) {
                f.get(null);
            }
        } catch (Failure e) { //@ includes("class listed") excludes("class never") experienced("class listed")
            count++;
        }
    }

    static void constructed() throws ReflectiveOperationException {
        try {
            count += Constructed.class.getConstructor().newInstance().hashCode();
        } catch (Failure e) { //@ includes("class constructed") excludes("class never") experienced("class constructed")
            count++;
        }
    }

    static void invoked() throws ReflectiveOperationException {
        try {
            count += (Integer) Invoked.class.getMethod("inside").invoke(null);
        } catch (Failure e) { //@ includes("class invoked") excludes("class never") experienced("class invoked")
            count++;
        }
    }

    static void counted() throws ReflectiveOperationException {
        try {
            for (Method each : Counted.class.getDeclaredMethods()) {
                if (each.getName().equals("inside")) {
                    count += (Integer) each.invoke(null);
                }
            }
        } catch (Failure e) { //@ includes("class counted") excludes("class never") experienced("class counted")
            count++;
        }
    }

    static void found() throws Throwable {
        try {
            MethodHandle h = MethodHandles.lookup().findStatic(Found.class, "inside", MethodType.methodType(int.class));
            count += (int) h.invokeExact();
        } catch (Failure e) { //@ includes("class found") excludes("class never") experienced("class found")
            count++;
        }
    }

    static void unreflected() throws Throwable {
        try {
            MethodHandle h = MethodHandles.lookup().unreflect(Unreflected.class.getMethod("inside"));
            count += (int) h.invokeExact();
        } catch (Failure e) { //@ includes("class unreflected") excludes("class never") experienced("class unreflected")
            count++;
        }
    }

    static void read() throws Throwable {
        try {
            MethodHandle h = MethodHandles.lookup().findStaticGetter(OfRead.class, "STATE", int[].class);
            count += ((int[]) h.invokeExact()).length;
        } catch (Failure e) { //@ includes("class read") excludes("class never") experienced("class read")
            count++;
        }
    }

    static void varied() throws ReflectiveOperationException {
        try {
            VarHandle h = MethodHandles.lookup().findStaticVarHandle(Varied.class, "state", int[].class);
            count += ((int[]) h.get()).length;
        } catch (Failure e) { //@ includes("class varied") excludes("class never") experienced("class varied")
            count++;
        }
    }

    static int run() throws Throwable {
        got();
        set();
        listed();
        constructed();
        invoked();
        counted();
        found();
        unreflected();
        read();
        varied();
        return count + (Never.class.getName().isEmpty() ? 1 : 0);
    }
}
