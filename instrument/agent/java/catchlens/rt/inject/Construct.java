package catchlens.rt.inject;

import catchlens.rt.load.Modules;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Makes exceptions of one class. First by what code makes them with: the constructors and factories that it is
 * given, or the plain ones of a library's class. Where none of these works, by the first constructor that does,
 * public ones first, in the order (String), (String, Throwable), (), (Throwable), others by number of
 * parameters; without a constructor where none works: such an object may be one that no code makes
 * (invented). Classes whose real objects always wrap a cause get one.
 */
public final class Construct {
    /** No object of the class can be made; the message says why. */
    static final class Impossible extends Exception {
        private static final long serialVersionUID = 1L;

        Impossible(String why) {
            super(why);
        }
    }

    private static final List<String> WRAPPERS = Arrays.asList("java.lang.ExceptionInInitializerError",
            "java.lang.reflect.InvocationTargetException", "java.util.concurrent.ExecutionException",
            "java.util.concurrent.CompletionException", "java.io.UncheckedIOException",
            "java.lang.reflect.UndeclaredThrowableException", "java.security.PrivilegedActionException");

    final Class<?> type;
    final String how;
    /** No code is known that makes such an object. */
    final boolean invented;
    private final String message;
    private final Constructor<?> constructor; // null: without a constructor
    private final Method factory; // or by this, if it is not null
    private Throwable first; // made by the attempt that found the way, not yet thrown

    private Construct(Class<?> type, Constructor<?> constructor, Method factory, String how, String message, boolean invented) {
        this.type = type;
        this.constructor = constructor;
        this.factory = factory;
        this.how = how;
        this.message = message;
        this.invented = invented;
    }

    /** One way in which the program makes exceptions: a constructor (name is "&lt;init&gt;") or a static method. */
    public static final class Maker {
        final String owner; // binary name
        final String name;
        final String desc;

      public   Maker(String owner, String name, String desc) {
            this.owner = owner;
            this.name = name;
            this.desc = desc;
        }
    }

    /**
     * Finds the way to make objects of type, or of a class below it that makers have. plain: its plain constructors are makers.
     * Runs its static initialiser.
     */
    public static Construct of(Class<?> type, String message, List<Maker> makers, boolean plain) throws Impossible {
        Construct c = byMakers(type, message, makers);
        if (c != null) {
            return c;
        }
        return of(type, message, plain);
    }

    /** By the first way of the program's that needs nothing but messages and causes; null: there is none. */
    private static Construct byMakers(Class<?> type, String message, List<Maker> makers) {
        for (Maker w : makers) {
            try {
                Class<?> owner = Class.forName(w.owner, false, type.getClassLoader());
                Construct c = "<init>".equals(w.name) ? byConstructor(owner, type, w, message) : byFactory(owner, type, w, message);
                if (c != null) {
                    c.first = c.make();
                    return c;
                }
            } catch (Throwable t) {
                continue;
            }
        }
        return null;
    }

    private static Construct byConstructor(Class<?> owner, Class<?> type, Maker w, String message) {
        if (!type.isAssignableFrom(owner) || Modifier.isAbstract(owner.getModifiers())) {
            return null;
        }
        for (Constructor<?> k : candidates(owner)) {
            if (tells(k.getParameterTypes()) && w.desc.equals(descriptor(k.getParameterTypes(), void.class))) {
                return new Construct(owner, k, null, signature(k.getParameterTypes()), message, false);
            }
        }
        return null;
    }

    private static Construct byFactory(Class<?> owner, Class<?> type, Maker w, String message) {
        for (Method m : owner.getDeclaredMethods()) {
            if (m.getName().equals(w.name) && Modifier.isStatic(m.getModifiers()) && type.isAssignableFrom(m.getReturnType())
                    && tells(m.getParameterTypes()) && w.desc.equals(descriptor(m.getParameterTypes(), m.getReturnType()))) {
                Modules.open(owner);
                m.setAccessible(true);
                return new Construct(m.getReturnType(), null, m, "by " + owner.getName() + "." + m.getName() + signature(m.getParameterTypes()), message,
                        false);
            }
        }
        return null;
    }

    /** Whether arguments of these types say nothing but a message and a cause. */
    private static boolean tells(Class<?>[] params) {
        for (Class<?> p : params) {
            if (p != String.class && p != Throwable.class && p != Exception.class && p != RuntimeException.class && p != Error.class
                    && p != java.io.IOException.class) {
                return false;
            }
        }
        return params.length <= 2 && (params.length < 2 || params[0] == String.class && params[1] != String.class);
    }

    private static String descriptor(Class<?>[] params, Class<?> result) {
        return java.lang.invoke.MethodType.methodType(result, params).toMethodDescriptorString();
    }

    private static Construct of(Class<?> type, String message, boolean plain) throws Impossible {
        if (!Throwable.class.isAssignableFrom(type)) {
            throw new Impossible(type.getName() + " is no Throwable");
        }
        if (Modifier.isAbstract(type.getModifiers())) {
            throw new Impossible(type.getName() + " is abstract");
        }
        try {
            Class.forName(type.getName(), true, type.getClassLoader());
        } catch (Throwable t) {
            throw new Impossible("static initialiser of " + type.getName() + ": " + Injector.describe(t));
        }
        String why = "";
        for (Constructor<?> k : candidates(type)) {
            try {
                boolean known = plain && Modifier.isPublic(k.getModifiers()) && tells(k.getParameterTypes());
                Construct c = new Construct(type, k, null, signature(k.getParameterTypes()), message, !known);
                c.first = c.make();
                return c;
            } catch (Throwable t) {
                why = "; " + signature(k.getParameterTypes()) + ": " + Injector.describe(t);
            }
        }
        Construct c = new Construct(type, null, null, "without a constructor" + why, message, true);
        try {
            c.first = c.make();
        } catch (Throwable t) {
            throw new Impossible(type.getName() + ": " + Injector.describe(t) + why);
        }
        return c;
    }

    /** A new object. */
    public Throwable make() throws Throwable {
        if (first != null) {
            Throwable e = first;
            first = null;
            return e;
        }
        if (constructor == null && factory == null) {
            return allocate();
        }
        Class<?>[] params = factory != null ? factory.getParameterTypes() : constructor.getParameterTypes();
        Object[] args = new Object[params.length];
        for (int i = 0; i < args.length; i++) {
            args[i] = argument(params[i], message, 0);
        }
        try {
            return (Throwable) (factory != null ? factory.invoke(null, args) : constructor.newInstance(args));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static List<Constructor<?>> candidates(Class<?> type) {
        List<Constructor<?>> all = new ArrayList<Constructor<?>>();
        boolean shut = !Modifier.isPublic(type.getModifiers());
        for (Constructor<?> k : type.getDeclaredConstructors()) {
            if (k.isSynthetic()) {
                continue;
            }
            shut |= !Modifier.isPublic(k.getModifiers());
            all.add(k);
        }
        if (shut || type.isMemberClass()) {
            Modules.open(type);
        }
        final boolean wrapper = WRAPPERS.contains(type.getName());
        Collections.sort(all, new Comparator<Constructor<?>>() {
            @Override
            public int compare(Constructor<?> a, Constructor<?> b) {
                int d = rank(a, wrapper) - rank(b, wrapper);
                return d != 0 ? d : a.toString().compareTo(b.toString());
            }
        });
        List<Constructor<?>> usable = new ArrayList<Constructor<?>>();
        for (Constructor<?> k : all) {
            try {
                k.setAccessible(true);
                usable.add(k);
            } catch (RuntimeException e) {
                if (Modifier.isPublic(k.getModifiers()) && Modifier.isPublic(type.getModifiers())) {
                    usable.add(k); // exported but not open: usable without setAccessible
                }
            }
        }
        return usable;
    }

    private static int rank(Constructor<?> k, boolean wrapper) {
        // A non-static inner class takes its outer object first: not counted for the order.
        Class<?>[] p = k.getParameterTypes();
        Class<?> type = k.getDeclaringClass();
        if (p.length > 0 && type.isMemberClass() && !Modifier.isStatic(type.getModifiers())
                && p[0] == type.getEnclosingClass()) {
            p = Arrays.copyOfRange(p, 1, p.length);
        }
        int r;
        if (p.length == 1 && p[0] == String.class) {
            r = wrapper ? 4 : 0;
        } else if (p.length == 2 && p[0] == String.class && Throwable.class.isAssignableFrom(p[1])) {
            r = wrapper ? 0 : 1;
        } else if (p.length == 0) {
            r = wrapper ? 5 : 2;
        } else if (p.length == 1 && Throwable.class.isAssignableFrom(p[0])) {
            r = wrapper ? 1 : 3;
        } else {
            r = 10 + p.length;
        }
        return Modifier.isPublic(k.getModifiers()) ? r : 100 + r;
    }

    private static String signature(Class<?>[] params) {
        StringBuilder b = new StringBuilder("(");
        for (Class<?> p : params) {
            b.append(b.length() > 1 ? ", " : "").append(p.getCanonicalName() != null ? p.getCanonicalName() : p.getName());
        }
        return b.append(')').toString();
    }

    /** A realistic value of the type, never null where one can be made. */
    private static Object argument(Class<?> p, String message, int depth) {
        if (p == String.class || p == CharSequence.class || p == Object.class || p == Comparable.class
                || p == java.io.Serializable.class) {
            return message;
        }
        if (p.isPrimitive()) {
            return primitive(p);
        }
        if (p.isArray()) {
            return Array.newInstance(p.getComponentType(), 0);
        }
        if (p.isEnum()) {
            Object[] all = p.getEnumConstants();
            return all.length > 0 ? all[0] : null;
        }
        Object v = known(p, message);
        if (v != null) {
            return v;
        }
        return depth < 3 ? made(p, message, depth) : null;
    }

    private static Object primitive(Class<?> p) {
        if (p == boolean.class) {
            return Boolean.FALSE;
        }
        if (p == char.class) {
            return 'x';
        }
        if (p == byte.class) {
            return (byte) 0;
        }
        if (p == short.class) {
            return (short) 0;
        }
        if (p == int.class) {
            return 0;
        }
        if (p == long.class) {
            return 0L;
        }
        return p == float.class ? (Object) 0f : (Object) 0d;
    }

    private static Object known(Class<?> p, String message) {
        try {
            if (p == Throwable.class || p == Exception.class || p == RuntimeException.class) {
                return new RuntimeException(message);
            }
            if (p == java.io.IOException.class) {
                return new java.io.IOException(message);
            }
            if (p == Error.class) {
                return new Error(message);
            }
            if (p == Class.class) {
                return Object.class;
            }
            if (p == java.io.File.class) {
                return new java.io.File("missing");
            }
            if (p.isAssignableFrom(java.util.ArrayList.class)) {
                return new java.util.ArrayList<Object>();
            }
            if (p.isAssignableFrom(java.util.HashMap.class)) {
                return new java.util.HashMap<Object, Object>();
            }
            if (p.isAssignableFrom(java.util.HashSet.class)) {
                return new java.util.HashSet<Object>();
            }
            if (p == Integer.class || p == Number.class) {
                return 0;
            }
            if (p == Long.class) {
                return 0L;
            }
            if (p == Boolean.class) {
                return Boolean.FALSE;
            }
            if (p == Character.class) {
                return 'x';
            }
            if (p == Double.class) {
                return 0d;
            }
            if (p == java.net.URI.class) {
                return java.net.URI.create("file:///missing");
            }
            if (p == java.net.URL.class) {
                return new java.net.URL("file:///missing");
            }
            if (p == java.util.Locale.class) {
                return java.util.Locale.ROOT;
            }
            if (p.getName().equals("java.nio.file.Path")) {
                return new java.io.File("missing").toPath();
            }
            if (p == java.nio.charset.Charset.class) {
                return java.nio.charset.StandardCharsets.UTF_8;
            }
            if (p == Thread.class) {
                return Thread.currentThread();
            }
        } catch (Exception e) {
            return null;
        }
        return null;
    }

    private static Object made(Class<?> p, String message, int depth) {
        if (p.isInterface()) {
            try {
                return Proxy.newProxyInstance(p.getClassLoader(), new Class<?>[] {p}, new Empty(p));
            } catch (RuntimeException e) {
                return null;
            }
        }
        if (Modifier.isAbstract(p.getModifiers())) {
            return null;
        }
        for (Constructor<?> k : candidates(p)) {
            try {
                Class<?>[] params = k.getParameterTypes();
                Object[] args = new Object[params.length];
                for (int i = 0; i < args.length; i++) {
                    args[i] = argument(params[i], message, depth + 1);
                }
                return k.newInstance(args);
            } catch (Throwable t) {
                continue;
            }
        }
        try {
            return unsafeAllocate(p);
        } catch (Throwable t) {
            return null;
        }
    }

    /** Stands for an object of an interface: answers nothing, and its own identity. */
    private static final class Empty implements InvocationHandler {
        private final Class<?> type;

        Empty(Class<?> type) {
            this.type = type;
        }

        @Override
        public Object invoke(Object proxy, Method m, Object[] args) {
            if (m.getName().equals("equals") && args != null && args.length == 1) {
                return proxy == args[0];
            }
            if (m.getName().equals("hashCode") && args == null) {
                return System.identityHashCode(proxy);
            }
            Class<?> r = m.getReturnType();
            if (r == String.class) {
                return type.getSimpleName();
            }
            return r.isPrimitive() && r != void.class ? primitive(r) : null;
        }
    }

    // ---- without a constructor ----

    private static Field detailMessage;
    private static Field cause;
    private static Field stackTrace;
    private static Field suppressed;
    private static Method ourTrace;

    private Throwable allocate() throws Throwable {
        fields();
        Throwable model = new Throwable(); // has what field initialisers leave behind
        Throwable e = (Throwable) unsafeAllocate(type);
        detailMessage.set(e, message);
        cause.set(e, e);
        stackTrace.set(e, stackTrace.get(model));
        suppressed.set(e, suppressed.get(model));
        e.fillInStackTrace();
        return e;
    }

    /** An object of the class of another exception that can have a trace and suppressed ones where that can, and has nothing else. */
    static Throwable blank(Throwable like) throws Exception {
        fields();
        Throwable model = new Throwable();
        Throwable e = (Throwable) unsafeAllocate(like.getClass());
        if (stackTrace.get(like) != null) {
            stackTrace.set(e, stackTrace.get(model));
        }
        if (suppressed.get(like) != null) {
            suppressed.set(e, suppressed.get(model));
        }
        return e;
    }

    /** The trace that an exception has, whatever its class makes of it: none of the program's code runs. */
    static StackTraceElement[] traceOf(Throwable e) throws Exception {
        fields();
        return (StackTraceElement[]) ourTrace.invoke(e);
    }

    /** Gives a blank exception a trace where it can have one. */
    static void setTrace(Throwable e, StackTraceElement[] trace) throws Exception {
        if (stackTrace.get(e) != null) {
            stackTrace.set(e, trace.clone());
        }
    }

    /** An object of a class with nothing in its fields. */
    static Object blank(Class<?> type) throws Exception {
        return unsafeAllocate(type);
    }

    private static void fields() throws Exception {
        if (suppressed != null) {
            return;
        }
        Modules.open(Throwable.class);
        detailMessage = field("detailMessage");
        cause = field("cause");
        ourTrace = Throwable.class.getDeclaredMethod("getOurStackTrace");
        ourTrace.setAccessible(true);
        stackTrace = field("stackTrace");
        suppressed = field("suppressedExceptions");
    }

    private static Field field(String name) throws Exception {
        Field f = Throwable.class.getDeclaredField(name);
        f.setAccessible(true);
        return f;
    }

    private static Object unsafeAllocate(Class<?> type) throws Exception {
        Object u = unsafe();
        return u.getClass().getMethod("allocateInstance", Class.class).invoke(u, type);
    }

    /** The JDK's own Unsafe: jdk.internal.misc on 9 and later, sun.misc on 8. */
    private static Object unsafe() throws Exception {
        Class<?> c;
        try {
            c = Class.forName("jdk.internal.misc.Unsafe");
            Modules.open(c);
        } catch (ClassNotFoundException e) {
            c = Class.forName("sun.misc.Unsafe");
        }
        Field f = c.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        return f.get(null);
    }

    /** Defines a class in a loader, the boot loader (null) included. */
    public static Class<?> define(String name, byte[] bytes, ClassLoader loader) throws Exception {
        Object u = unsafe();
        Method m = u.getClass().getMethod("defineClass", String.class, byte[].class, int.class, int.class,
                ClassLoader.class, java.security.ProtectionDomain.class);
        try {
            return (Class<?>) m.invoke(u, name, bytes, 0, bytes.length, loader, null);
        } catch (InvocationTargetException e) {
            throw new Impossible("cannot define " + name + ": " + Injector.describe(e.getCause()));
        }
    }
}
