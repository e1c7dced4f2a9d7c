package catchlens.rt.record;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Iterator;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The class of the frame below the method that a probe stands in. From Java 9 on only the frames on top are
 * looked at: a stack trace takes as long as the stack is deep, and the probes of call chains ask in loops.
 */
final class Caller implements Function<Object, Object> {
    private static final Caller INSTANCE = new Caller();
    private static final MethodHandle WALK; // gives a walker's result; null: there is none in this Java
    private static final MethodHandle NAME; // of the class of a frame

    static {
        MethodHandle walk = null;
        MethodHandle name = null;
        try {
            Class<?> walker = walkerClass();
            if (walker != null) {
                Class<?> option = Class.forName("java.lang.StackWalker$Option");
                Object reflection = option.getField("SHOW_REFLECT_FRAMES").get(null); // a stack trace has them, too
                Object instance = walker.getMethod("getInstance", option).invoke(null, reflection);
                MethodHandles.Lookup lookup = MethodHandles.lookup();
                walk = lookup.findVirtual(walker, "walk", MethodType.methodType(Object.class, Function.class))
                        .bindTo(instance).asType(MethodType.methodType(Object.class, Caller.class));
                name = lookup.findVirtual(Class.forName("java.lang.StackWalker$StackFrame"), "getClassName",
                        MethodType.methodType(String.class)).asType(MethodType.methodType(String.class, Object.class));
            }
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e); // each Java that has the class has these methods
        }
        WALK = walk;
        NAME = name;
        name(); // what it needs is loaded now, and not in the middle of a program
    }

    /** Java 9 has it; null: this is an older one. */
    private static Class<?> walkerClass() {
        try {
            return Class.forName("java.lang.StackWalker");
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private Caller() {}

    /** Its name; "" where there is none. */
    static String name() {
        if (WALK == null) {
            StackTraceElement[] st = new Throwable().getStackTrace();
            int below = Frames.caller(st) + 1;
            return below < st.length ? st[below].getClassName() : "";
        }
        try {
            return (String) (Object) WALK.invokeExact(INSTANCE);
        } catch (RuntimeException e) {
            throw e;
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e); // a walk has none of these
        }
    }

    /** The same, of a stream of frames. */
    @Override
    public Object apply(Object stream) {
        Iterator<?> frames = ((Stream<?>) stream).iterator();
        try {
            while (frames.hasNext()) {
                String c = (String) NAME.invokeExact((Object) frames.next());
                if (!c.startsWith("catchlens.rt.")) {
                    return frames.hasNext() ? (String) NAME.invokeExact((Object) frames.next()) : "";
                }
            }
            return "";
        } catch (RuntimeException e) {
            throw e;
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
