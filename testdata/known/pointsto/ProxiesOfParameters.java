package pointsto;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;

/** Proxies of interfaces that the code which makes them does not name: it gets them from who asks. */
class ProxiesOfParameters {
    interface Chained {
        void call() throws Failure;
    }

    interface Listed {
        void call() throws Failure;
    }

    interface Kept {
        void call() throws Failure;
    }

    interface Captured {
        void call() throws Failure;
    }

    interface Fixture {
        void call() throws Failure;
    }

    /** Public, as MethodHandleProxies asks. */
    public interface Invoked {
        void call() throws Throwable;
    }

    /** Named and passed on, but to nothing that makes proxies. */
    interface Real {
        void call() throws Failure;
    }

    static class Refuse implements InvocationHandler {
        private final int how;

        Refuse(int how) {
            this.how = how;
        }

        @Override
        public Object invoke(Object proxy, Method m, Object[] args) throws Throwable {
            throw new Failure("refused " + how); //@ site("refused")
        }
    }

    static class Mute implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method m, Object[] args) throws Throwable {
            throw new Failure("mute"); //@ site("mute")
        }
    }

    /** Makes its proxy three calls below its constructor, and hands it out as whatever was asked for. */
    static class Support<L> {
        private L proxy;

        static <T> Support<T> of(Class<T> type) {
            return new Support<>(Objects.requireNonNull(type, "type"));
        }

        Support(Class<L> type) {
            this(type, type.getClassLoader());
        }

        Support(Class<L> type, ClassLoader loader) {
            prepare(type, loader);
        }

        private void prepare(Class<L> type, ClassLoader loader) {
            proxy = type.cast(Proxy.newProxyInstance(loader, new Class<?>[] {type}, new Refuse(1)));
        }

        L fire() {
            return proxy;
        }
    }

    static Object any(InvocationHandler h, Class<?>... types) {
        return Proxy.newProxyInstance(ProxiesOfParameters.class.getClassLoader(), types, h);
    }

    /** Keeps the interface until the proxy is asked for. */
    static class Builder {
        private Class<?> type;

        Builder of(Class<?> type) {
            this.type = type;
            return this;
        }

        Object build() {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Mute());
        }
    }

    /** Its interfaces are in a field that its class initialiser fills without a call. */
    static class Fixed {
        private static final Class<?>[] TYPES = {Fixture.class};

        static Object make() {
            return Proxy.newProxyInstance(ProxiesOfParameters.class.getClassLoader(), TYPES, new Mute());
        }
    }

    interface Make {
        Object make() throws Exception;
    }

    static Make later(Class<?> type) {
        return () -> any(new Mute(), type);
    }

    static <T> T invoking(Class<T> type, MethodHandle h) {
        return MethodHandleProxies.asInterfaceInstance(type, h);
    }

    static void failing() throws Failure {
        throw new Failure("invoked"); //@ site("invoked")
    }

    static class Quiet implements Real {
        @Override
        public void call() throws Failure {
            if (hashCode() == 0 && toString().isEmpty()) {
                throw new Failure("never"); //@ site("own")
            }
        }
    }

    static boolean is(Class<?> type, Object o) {
        return type.isInstance(o);
    }

    public static int run() throws Throwable {
        int caught = 0;
        try {
            Support.of(Chained.class).fire().call();
        } catch (Failure e) { //@ includes("refused") excludes[pta+]("own") experienced("refused")
            caught++;
        }
        Listed listed = (Listed) any(new Refuse(2), Runnable.class, Listed.class);
        try {
            listed.call();
        } catch (Failure e) { //@ includes("refused") excludes[pta+]("own") experienced("refused")
            caught++;
        }
        Kept kept = (Kept) new Builder().of(Kept.class).build();
        try {
            kept.call();
        } catch (Failure e) { //@ includes("mute") excludes[pta+]("own") experienced("mute")
            caught++;
        }
        Fixture fixture = (Fixture) Fixed.make();
        try {
            fixture.call();
        } catch (Failure e) { //@ includes("mute") excludes[pta+]("own") experienced("mute")
            caught++;
        }
        Captured captured = (Captured) later(Captured.class).make();
        try {
            captured.call();
        } catch (Failure e) { //@ includes("mute") excludes[pta+]("own") experienced("mute")
            caught++;
        }
        Invoked invoked = invoking(Invoked.class, MethodHandles.lookup().findStatic(ProxiesOfParameters.class, "failing", MethodType.methodType(void.class)));
        try {
            invoked.call();
        } catch (Failure e) { //@ includes("invoked") excludes[pta+]("own") experienced("invoked")
            caught++;
        }
        Real real = new Quiet();
        if (is(Real.class, real)) {
            try {
                real.call();
            } catch (Failure e) { //@ includes("own") excludes("refused", "mute") experienced
                caught++;
            }
        }
        return caught;
    }
}
