package pointsto;

import java.lang.invoke.CallSite;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Calls through method handles, which throw what their target throws, and values through variable handles. */
public class Handles {
    static final MethodType VOID = MethodType.methodType(void.class);

    static class Target {
        void virtual() throws Failure {
            throw new Failure("virtual"); //@ site("virtual")
        }

        static void statically() throws Failure {
            throw new Failure("statically"); //@ site("statically")
        }

        void special() throws Failure {
            throw new Failure("special"); //@ site("special")
        }

        public void unreflected() throws Failure {
            throw new Failure("unreflected"); //@ site("unreflected")
        }

        void adapted(String s) throws Failure {
            throw new Failure("adapted"); //@ site("adapted")
        }
    }

    static class Made {
        Made() throws Failure {
            throw new Failure("made"); //@ site("made")
        }
    }

    static class Below extends Target {
        @Override
        void special() {
        }

        int inherited() throws Throwable {
            MethodHandle h = MethodHandles.lookup().findSpecial(Target.class, "special", VOID, Below.class);
            try {
                h.invoke(this);
            } catch (Failure e) { //@ includes("special") experienced("special")
                return 1;
            }
            return 0;
        }
    }

    static int methods() throws Throwable {
        int caught = 0;
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try {
            lookup.findVirtual(Target.class, "virtual", VOID).invokeExact(new Target());
        } catch (Failure e) { //@ includes("virtual") experienced("virtual")
            caught++;
        }
        try {
            lookup.findStatic(Target.class, "statically", VOID).invokeExact();
        } catch (Failure e) { //@ includes("statically") experienced("statically")
            caught++;
        }
        try {
            Object made = lookup.findConstructor(Made.class, VOID).invoke();
        } catch (Failure e) { //@ includes("made") experienced("made")
            caught++;
        }
        try {
            lookup.unreflect(Target.class.getMethod("unreflected")).invoke(new Target());
        } catch (Failure e) { //@ includes("unreflected") experienced("unreflected")
            caught++;
        }
        try {
            MethodHandle h = lookup.findVirtual(Target.class, "adapted", MethodType.methodType(void.class, String.class));
            MethodHandles.insertArguments(h.bindTo(new Target()), 0, "x").invokeWithArguments();
        } catch (Failure e) { //@ includes("adapted") experienced("adapted")
            caught++;
        }
        return caught + new Below().inherited();
    }

    void bound() throws Failure {
        throw new Failure("bound"); //@ site("bound")
    }

    /** Of an object that has no constant class, and of the method that throws what it is given. */
    static int more() throws Throwable {
        int caught = 0;
        try {
            MethodHandles.lookup().bind(new Handles(), "bound", VOID).invokeExact();
        } catch (Failure e) { //@ includes("bound") experienced("bound")
            caught++;
        }
        try {
            MethodHandles.throwException(void.class, Failure.class).invokeExact(new Failure("given"));
        } catch (Failure e) { //@ includes("java/lang/invoke/MethodHandleImpl.throwException") experienced("java/lang/invoke/MethodHandleImpl.throwException")
            caught++;
        }
        return caught;
    }

    static class Set implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("set"); //@ site("set")
        }
    }

    static class Exchanged implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("exchanged"); //@ site("exchanged")
        }
    }

    static class Element implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("element"); //@ site("element")
        }
    }

    Thrower field;
    Thrower exchanged;

    static int variables() throws Throwable {
        int caught = 0;
        VarHandle field = MethodHandles.lookup().findVarHandle(Handles.class, "field", Thrower.class);
        VarHandle exchanged = MethodHandles.lookup().findVarHandle(Handles.class, "exchanged", Thrower.class);
        VarHandle element = MethodHandles.arrayElementVarHandle(Thrower[].class);
        Handles h = new Handles();
        Thrower[] array = new Thrower[1];
        field.set(h, new Set());
        exchanged.compareAndSet(h, null, new Exchanged());
        element.setVolatile(array, 0, new Element());
        try {
            h.field.act();
        } catch (Failure e) { //@ includes("set") experienced("set")
            caught++;
        }
        try {
            ((Thrower) exchanged.getAndSet(h, null)).act();
        } catch (Failure e) { //@ includes("exchanged") experienced("exchanged")
            caught++;
        }
        try {
            array[0].act();
        } catch (Failure e) { //@ includes("element") experienced("element")
            caught++;
        }
        return caught;
    }

    static class Shared implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("shared"); //@ site("shared")
        }
    }

    static class Given implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("given"); //@ site("given")
        }
    }

    static class Kept implements Thrower {
        @Override
        public void act() throws Failure {
            throw new Failure("kept"); //@ site("kept")
        }
    }

    static Thrower shared;
    static Thrower kept = new Kept();
    Thrower given;

    /** Static fields, and handles that read and write. */
    static int accessors() throws Throwable {
        int caught = 0;
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        VarHandle field = lookup.findStaticVarHandle(Handles.class, "shared", Thrower.class);
        field.compareAndExchange(null, new Shared());
        try {
            shared.act();
        } catch (Failure e) { //@ includes("shared") excludes[pta+]("virtual", "kept") experienced("shared")
            caught++;
        }
        Handles h = new Handles();
        lookup.findSetter(Handles.class, "given", Thrower.class).invoke(h, new Given());
        try {
            h.given.act();
        } catch (Failure e) { //@ includes("given") excludes[pta+]("virtual") experienced("given")
            caught++;
        }
        try {
            ((Thrower) lookup.findStaticGetter(Handles.class, "kept", Thrower.class).invoke()).act();
        } catch (Failure e) { //@ includes("kept") experienced("kept")
            caught++;
        }
        return caught;
    }

    /** Public, as MethodHandleProxies asks. */
    public interface Action {
        void act() throws Failure;
    }

    static void wrapped() throws Failure {
        throw new Failure("wrapped"); //@ site("wrapped")
    }

    static void spun() throws Failure {
        throw new Failure("spun"); //@ site("spun")
    }

    /** Objects of interfaces that invoke handles. */
    static int objects() throws Throwable {
        int caught = 0;
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        Action wrapped = MethodHandleProxies.asInterfaceInstance(Action.class, lookup.findStatic(Handles.class, "wrapped", VOID));
        try {
            wrapped.act();
        } catch (Failure e) { //@ includes("wrapped") experienced("wrapped")
            caught++;
        }
        CallSite site = LambdaMetafactory.metafactory(lookup, "act", MethodType.methodType(Action.class), VOID, lookup.findStatic(Handles.class, "spun", VOID), VOID);
        Action spun = (Action) site.getTarget().invoke();
        try {
            spun.act();
        } catch (Failure e) { //@ includes("spun") experienced("spun")
            caught++;
        }
        return caught;
    }

    static class Listed {
        static void listed() throws Failure {
            throw new Failure("listed"); //@ site("listed")
        }
    }

    static class Counted {
        static void counted() throws Failure {
            throw new Failure("counted"); //@ site("counted")
        }
    }

    static class Invoked {
        static void invoked() throws Failure {
            throw new Failure("invoked"); //@ site("invoked")
        }
    }

    static MethodHandle handleOf(Method m) throws IllegalAccessException {
        return MethodHandles.lookup().unreflect(checked(m));
    }

    static Method checked(Method m) {
        return Objects.requireNonNull(m);
    }

    static Action action(Method m) {
        try {
            return MethodHandleProxies.asInterfaceInstance(Action.class, handleOf(m));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Methods that a class lists, of which one makes handles, or invokes them; of the third they are only counted. */
    static int listed() throws Throwable {
        int caught = count();
        for (Action a : Stream.of(Listed.class.getDeclaredMethods()).map(Handles::action).collect(Collectors.toList())) {
            try {
                a.act();
            } catch (Failure e) { //@ includes("listed") excludes("counted") experienced("listed")
                caught++;
            }
        }
        return caught + invoked();
    }

    static int count() {
        return Counted.class.getDeclaredMethods().length - 1;
    }

    static int invoked() throws Exception {
        int caught = 0;
        for (Method m : Invoked.class.getDeclaredMethods()) {
            try {
                m.invoke(null);
            } catch (InvocationTargetException e) { //@ includes[jdk17]("jdk/internal/reflect/NativeMethodAccessorImpl.invoke0") includes[jdk25]("jdk/internal/reflect/DirectMethodHandleAccessor.invoke") wraps("invoked") wrapsNot("counted") experienced[jdk17]("jdk/internal/reflect/NativeMethodAccessorImpl.invoke0") experienced[jdk25]("jdk/internal/reflect/DirectMethodHandleAccessor.invoke")
                caught++;
            }
        }
        return caught;
    }

    public static int run() throws Throwable {
        return methods() + more() + variables() + accessors() + objects() + listed();
    }
}
