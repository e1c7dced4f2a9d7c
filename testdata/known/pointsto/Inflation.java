package pointsto;

import java.io.InvalidObjectException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Reflective calls that are so many that the JVM generates code for them (JDK 17): the links are those of the first one. */
public class Inflation {
    /** More than sun.reflect.inflationThreshold, which is 15. */
    static final int MANY = 40;

    public static class Fails {
        public Fails() throws Failure {
            throw new Failure("inflated constructor"); //@ site("inflated constructor")
        }
    }

    public static void fails(String name) throws Failure {
        throw new Failure(name); //@ site("inflated method")
    }

    public Object other() throws InvalidObjectException {
        throw new InvalidObjectException("other"); //@ site("inflated instance method")
    }

    static int methods() throws Exception {
        Method m = Inflation.class.getMethod("fails", String.class);
        int caught = 0;
        for (int i = 0; i < MANY; i++) {
            try {
                m.invoke(null, "x");
            } catch (InvocationTargetException e) { //@ includes[jdk17]("jdk/internal/reflect/NativeMethodAccessorImpl.invoke0") includes[jdk25]("jdk/internal/reflect/DirectMethodHandleAccessor.invoke") wraps("inflated method") experienced[jdk17]("jdk/internal/reflect/NativeMethodAccessorImpl.invoke0") experienced[jdk25]("jdk/internal/reflect/DirectMethodHandleAccessor.invoke")
                caught++;
            }
        }
        return caught;
    }

    static int instances() throws Exception {
        Method m = Inflation.class.getMethod("other");
        int caught = 0;
        for (int i = 0; i < MANY; i++) {
            try {
                m.invoke(new Inflation());
            } catch (InvocationTargetException e) { //@ includes[jdk17]("jdk/internal/reflect/NativeMethodAccessorImpl.invoke0") includes[jdk25]("jdk/internal/reflect/DirectMethodHandleAccessor.invoke") wraps("inflated instance method") experienced[jdk17]("jdk/internal/reflect/NativeMethodAccessorImpl.invoke0") experienced[jdk25]("jdk/internal/reflect/DirectMethodHandleAccessor.invoke")
                caught++;
            }
        }
        return caught;
    }

    static int constructors() throws Exception {
        Constructor<Fails> c = Fails.class.getConstructor();
        int caught = 0;
        for (int i = 0; i < MANY; i++) {
            try {
                c.newInstance();
            } catch (InvocationTargetException e) { //@ includes[jdk17]("jdk/internal/reflect/NativeConstructorAccessorImpl.newInstance0") includes[jdk25]("jdk/internal/reflect/DirectConstructorHandleAccessor.newInstance") wraps("inflated constructor") experienced[jdk17]("jdk/internal/reflect/NativeConstructorAccessorImpl.newInstance0") experienced[jdk25]("jdk/internal/reflect/DirectConstructorHandleAccessor.newInstance")
                caught++;
            }
        }
        return caught;
    }

    static int run() throws Exception {
        return methods() + instances() + constructors();
    }
}
