package pointsto;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;

/** Throws of exceptions that no code was seen to put where they come from: the VM, generated code and handles did. */
public class Unseen {
    static class Odd extends RuntimeException {
        Odd(String message) {
            super(message);
        }
    }

    /** What the program itself is seen to wrap and to pass, so that all of these places hold something. */
    static class Other extends RuntimeException {
    }

    static Throwable[] seen() {
        try {
            again(new Other());
        } catch (Other e) { //@ includes("again") experienced("again")
            return new Throwable[] {new ExceptionInInitializerError(new Other()), new InvocationTargetException(new Other()),
                new UndeclaredThrowableException(new Other())};
        }
        return new Throwable[0];
    }

    static class Fails {
        static final int VALUE = value();

        static int value() {
            throw new Odd("initialiser");
        }
    }

    interface Quiet {
        void call();
    }

    public static class Target {
        public static void refuse() {
            throw new Odd("reflection");
        }
    }

    /** The VM makes the error, with its cause. */
    static void ofInitialiser() throws Throwable {
        try {
            System.out.println(Fails.VALUE);
        } catch (ExceptionInInitializerError e) {
            throw e.getCause(); //@ site("initialiser")
        }
    }

    /** What natives wrap comes by way of a field of the program, and a cast. */
    static class Kept {
        Throwable last;

        void call() throws ReflectiveOperationException {
            try {
                Target.class.getMethod("refuse").invoke(null);
            } catch (InvocationTargetException e) {
                last = e.getCause();
            }
        }

        RuntimeException take() {
            return (RuntimeException) last;
        }
    }

    /** The generated code of a proxy wraps what its interface does not declare. */
    static void ofProxy() throws Throwable {
        Quiet q = (Quiet) Proxy.newProxyInstance(Quiet.class.getClassLoader(), new Class<?>[] {Quiet.class}, (p, m, a) -> {
            throw new Failure("undeclared");
        });
        try {
            q.call();
        } catch (UndeclaredThrowableException e) {
            throw e.getUndeclaredThrowable(); //@ site("undeclared")
        }
    }

    static void work() {
        throw new Odd("handle");
    }

    static void again(RuntimeException e) {
        throw e; //@ site("again")
    }

    /** A handle passes what another one throws. */
    static void ofHandles() throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        MethodHandle work = l.findStatic(Unseen.class, "work", MethodType.methodType(void.class));
        MethodHandle again = l.findStatic(Unseen.class, "again", MethodType.methodType(void.class, RuntimeException.class));
        MethodHandles.catchException(work, RuntimeException.class, again).invoke();
    }

    public static int run() throws Throwable {
        int caught = seen().length;
        try {
            ofInitialiser();
        } catch (Odd e) { //@ includes("initialiser") experienced("initialiser")
            caught++;
        }
        Kept kept = new Kept();
        kept.call();
        try {
            throw kept.take(); //@ site("kept")
        } catch (Odd e) { //@ includes("kept") experienced("kept")
            caught++;
        }
        try {
            ofProxy();
        } catch (Failure e) { //@ includes("undeclared") experienced("undeclared")
            caught++;
        }
        try {
            ofHandles();
        } catch (Odd e) { //@ includes("again") experienced("again")
            caught++;
        }
        return caught;
    }
}
