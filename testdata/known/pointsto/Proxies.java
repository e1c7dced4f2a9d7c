package pointsto;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** A proxy's methods run its handler. */
public class Proxies {
    interface Api {
        void call() throws Failure;
    }

    static class Real implements Api {
        @Override
        public void call() throws Failure {
            throw new Failure("real"); //@ site("real")
        }
    }

    static class Refuse implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method m, Object[] args) throws Throwable {
            throw new Failure("refused"); //@ site("refused")
        }
    }

    /** Also for the methods of Object. */
    static class Mute implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method m, Object[] args) {
            throw new Broken("mute"); //@ site("mute")
        }
    }

    static class Forward implements InvocationHandler {
        private final Object target;

        Forward(Object target) {
            this.target = target;
        }

        @Override
        public Object invoke(Object proxy, Method m, Object[] args) throws Throwable {
            try {
                return m.invoke(target, args);
            } catch (InvocationTargetException e) { //@ includes[jdk17]("jdk/internal/reflect/NativeMethodAccessorImpl.invoke0") includes[jdk25]("jdk/internal/reflect/DirectMethodHandleAccessor.invoke") experienced[jdk17]("jdk/internal/reflect/NativeMethodAccessorImpl.invoke0") experienced[jdk25]("jdk/internal/reflect/DirectMethodHandleAccessor.invoke")
                throw e.getTargetException(); //@ site("unwrapped")
            }
        }
    }

    interface Partly {
        default void half() throws Failure {
            throw new Failure("half"); //@ site("half")
        }

        void other();
    }

    /** A handler that has the interface do it. */
    static class Delegate implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method m, Object[] args) throws Throwable {
            return InvocationHandler.invokeDefault(proxy, m, args);
        }
    }

    static Api proxy(InvocationHandler h) {
        return (Api) Proxy.newProxyInstance(Api.class.getClassLoader(), new Class<?>[] {Api.class}, h);
    }

    /** The class of the proxies first, then an object of it. */
    @SuppressWarnings("deprecation")
    static Api madeByConstructor(InvocationHandler h) throws ReflectiveOperationException {
        Class<?> of = Proxy.getProxyClass(Api.class.getClassLoader(), Api.class);
        return (Api) of.getConstructor(InvocationHandler.class).newInstance(h);
    }

    /** The same of an interface that is given. */
    @SuppressWarnings("deprecation")
    static Object madeOf(Class<?> api, InvocationHandler h) throws ReflectiveOperationException {
        return Proxy.getProxyClass(api.getClassLoader(), api).getConstructor(InvocationHandler.class).newInstance(h);
    }

    interface Given {
        void ask() throws Failure;
    }

    static class Deny implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method m, Object[] args) throws Throwable {
            throw new Failure("denied"); //@ site("denied")
        }
    }

    public static int run() throws ReflectiveOperationException {
        int caught = 0;
        try {
            madeByConstructor(new Deny()).call();
        } catch (Failure e) { //@ includes("denied") experienced("denied")
            caught++;
        }
        try {
            ((Given) madeOf(Given.class, new Deny())).ask();
        } catch (Failure e) { //@ includes("denied") experienced("denied")
            caught++;
        }
        try {
            proxy(new Refuse()).call();
        } catch (Failure e) { //@ includes("refused") experienced("refused")
            caught++;
        }
        try {
            proxy(new Forward(new Real())).call();
        } catch (Failure e) { //@ includes("unwrapped") experienced("unwrapped")
            caught++;
        }
        Object refuses = proxy(new Mute());
        try {
            refuses.toString();
        } catch (Broken e) { //@ includes("mute") experienced("mute")
            caught++;
        }
        Partly partly = (Partly) Proxy.newProxyInstance(Api.class.getClassLoader(), new Class<?>[] {Partly.class}, new Delegate());
        try {
            partly.half();
        } catch (Failure e) { //@ includes("java/lang/reflect/Proxy.invokeDefault") experienced("java/lang/reflect/Proxy.invokeDefault")
            caught++;
        }
        return caught;
    }
}
