package catchlens.rt.run;

import catchlens.rt.Agent;
import catchlens.rt.inject.Injector;
import catchlens.rt.load.Modules;

import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Digests of what a test can leave behind in its JVM: what the static fields of all initialised
 * classes that are not the JDK's or a test framework's lead to, what their variables of the tests'
 * thread hold, and the threads that live. Two that are the same mean that nothing of it has changed.
 * What the JDK keeps in static fields of its own is not looked at.
 */
final class Remains {
    /** More objects than these are not looked at: a JVM starts in the time that it takes. */
    private static final int MOST_OBJECTS = 50000;

    private static final String[] FRAMEWORKS = {
        "catchlens.", "org.junit.", "junit.", "org.testng.", "org.hamcrest.", "org.opentest4j.", "org.apiguardian."
    };

    /** In the order in which they were seen first: an object counts for the first class that leads to it. */
    private static final List<Class<?>> ORDER = new ArrayList<Class<?>>();

    private static final Map<Class<?>, Boolean> KNOWN = new IdentityHashMap<Class<?>, Boolean>();
    private static final Map<Class<?>, Field[]> FIELDS = new HashMap<Class<?>, Field[]>();

    private final IdentityHashMap<Object, Boolean> seen = new IdentityHashMap<Object, Boolean>();
    private final ArrayDeque<Object> open = new ArrayDeque<Object>();

    private Remains() {}

    /** What cannot be looked at, or takes too long. */
    private static final class Unknown extends Exception {
        Unknown(String why) {
            super(why, null, false, false);
        }
    }

    /** By class, for those whose static fields may change, and for threads; empty: it cannot be told. */
    static synchronized Map<String, Object> digests() {
        Map<String, Object> out = new LinkedHashMap<String, Object>();
        try {
            findNew();
            Remains r = new Remains();
            for (Class<?> c : ORDER) {
                Field[] changing = changing(c);
                if (changing.length > 0 && isInitialized(c)) {
                    long h = 17;
                    for (Field f : changing) {
                        h = 31 * h + r.digest(f.get(null));
                    }
                    out.put(c.getName() + "@" + System.identityHashCode(c), Long.toHexString(h));
                }
            }
            Modules.open(Thread.class);
            for (String name : new String[] {"threadLocals", "inheritableThreadLocals"}) {
                Object map = get(Thread.currentThread(), Thread.class, name);
                out.put("the thread's " + name, Long.toHexString(r.locals(map)));
            }
            out.put("threads", threads());
            return out;
        } catch (Unknown e) {
            Agent.notice("what tests leave behind is not known: " + e.getMessage());
        } catch (Throwable t) {
            Agent.notice("what tests leave behind is not known: " + Injector.describe(t));
        }
        return new LinkedHashMap<String, Object>();
    }

    /**
     * Of the values of a thread's map whose variables the static fields lead to: nobody else's matter
     * to other tests.
     */
    private long locals(Object map) throws Exception {
        if (map == null) {
            return 0;
        }
        long h = 0;
        Object table = get(map, map.getClass(), "table");
        for (int i = 0; table != null && i < Array.getLength(table); i++) {
            Object entry = Array.get(table, i);
            Object variable = entry == null ? null : ((Reference<?>) entry).get();
            if (variable != null && seen.containsKey(variable)) {
                h += System.identityHashCode(variable) * 31L + digest(get(entry, entry.getClass(), "value"));
            }
        }
        return h;
    }

    private static Object get(Object o, Class<?> declaring, String field) throws Exception {
        Field f = declaring.getDeclaredField(field);
        f.setAccessible(true);
        return f.get(o);
    }

    private static String threads() {
        TreeSet<Long> ids = new TreeSet<Long>();
        for (Thread t : Thread.getAllStackTraces().keySet()) {
            ids.add(t.getId());
        }
        return ids.toString();
    }

    private static void findNew() {
        List<Class<?>> found = new ArrayList<Class<?>>();
        for (Class<?> c : Modules.instrumentation.getAllLoadedClasses()) {
            if (!KNOWN.containsKey(c)) {
                KNOWN.put(c, true);
                if (!c.isArray() && ofProgram(c)) {
                    found.add(c);
                }
            }
        }
        Collections.sort(found, new Comparator<Class<?>>() {
            @Override
            public int compare(Class<?> a, Class<?> b) {
                return a.getName().compareTo(b.getName());
            }
        });
        ORDER.addAll(found);
    }

    private static boolean ofProgram(Class<?> c) {
        ClassLoader l = c.getClassLoader();
        if (l == null || l == ClassLoader.getSystemClassLoader().getParent()) {
            return false;
        }
        for (String p : FRAMEWORKS) {
            if (c.getName().startsWith(p)) {
                return false;
            }
        }
        return true;
    }

    /** The static fields that are no constants, nor made by the compiler. */
    private static Field[] changing(Class<?> c) throws Unknown {
        Field[] known = FIELDS.get(c);
        if (known == null) {
            List<Field> list = new ArrayList<Field>();
            Modules.open(c);
            for (Field f : declared(c)) {
                boolean simple = f.getType().isPrimitive() || f.getType() == String.class;
                boolean constant = simple && Modifier.isFinal(f.getModifiers());
                if (Modifier.isStatic(f.getModifiers()) && !f.isSynthetic() && !constant) {
                    f.setAccessible(true);
                    list.add(f);
                }
            }
            known = list.toArray(new Field[0]);
            FIELDS.put(c, known);
        }
        return known;
    }

    private static Field[] declared(Class<?> c) throws Unknown {
        try {
            return c.getDeclaredFields();
        } catch (Throwable t) { // a type of one is missing
            throw new Unknown("the fields of " + c.getName() + ": " + Injector.describe(t));
        }
    }

    private static final Map<Class<?>, Field[]> INSTANCE = new HashMap<Class<?>, Field[]>();

    /** The fields of objects of a class and of those above it, down to Object or the references of the JDK. */
    private static Field[] instance(Class<?> c) throws Unknown {
        Field[] known = INSTANCE.get(c);
        if (known == null) {
            List<Field> list = new ArrayList<Field>();
            for (Class<?> k = c; k != null && k != Object.class; k = k.getSuperclass()) {
                if (k.getName().startsWith("java.lang.ref.")) {
                    break;
                }
                Modules.open(k);
                for (Field f : declared(k)) {
                    if (!Modifier.isStatic(f.getModifiers())) {
                        try {
                            f.setAccessible(true);
                        } catch (RuntimeException e) { // its module is closed
                            throw new Unknown("the field " + f.getName() + " of " + k.getName());
                        }
                        list.add(f);
                    }
                }
            }
            known = list.toArray(new Field[0]);
            INSTANCE.put(c, known);
        }
        return known;
    }

    /** Of an object and what it leads to that nothing before has led to. */
    private long digest(Object root) throws Exception {
        long h = visit(root, 17);
        while (!open.isEmpty()) {
            Object o = open.removeFirst();
            Class<?> c = o.getClass();
            if (c.isArray()) {
                h = array(o, h);
                continue;
            }
            if (o instanceof Reference) {
                h = visit(((Reference<?>) o).get(), h);
            }
            for (Field f : instance(c)) {
                h = f.getType().isPrimitive() ? 31 * h + f.get(o).hashCode() : visit(f.get(o), h);
            }
        }
        return h;
    }

    private long array(Object o, long h) throws Exception {
        int n = Array.getLength(o);
        h = 31 * h + n;
        if (o instanceof byte[]) {
            return 31 * h + java.util.Arrays.hashCode((byte[]) o);
        }
        if (o instanceof char[]) {
            return 31 * h + java.util.Arrays.hashCode((char[]) o);
        }
        if (o instanceof int[]) {
            return 31 * h + java.util.Arrays.hashCode((int[]) o);
        }
        if (o instanceof long[]) {
            return 31 * h + java.util.Arrays.hashCode((long[]) o);
        }
        if (n > MOST_OBJECTS) {
            throw new Unknown("an array of " + n);
        }
        for (int i = 0; i < n; i++) {
            h = visit(Array.get(o, i), h);
        }
        return h;
    }

    private long visit(Object o, long h) throws Unknown {
        if (o == null) {
            return 31 * h;
        }
        if (o instanceof String || o instanceof Boolean || o instanceof Character
                || o instanceof Number && o.getClass().getName().startsWith("java.lang.")) {
            return 31 * h + o.hashCode();
        }
        Class<?> c = o.getClass();
        if (o instanceof Class || o instanceof Thread || o instanceof ThreadGroup || o instanceof ClassLoader
                || seen.containsKey(o) || c.getName().startsWith("catchlens.")) {
            return 31 * h + System.identityHashCode(o);
        }
        if (seen.size() >= MOST_OBJECTS) {
            throw new Unknown("more than " + MOST_OBJECTS + " objects");
        }
        seen.put(o, true);
        open.add(o);
        return 31 * h + c.getName().hashCode();
    }

    private static Object unsafe;
    private static Method shouldBeInitialized;

    /** Whether a class is initialised: reading a field of one that is not would run its code. */
    private static boolean isInitialized(Class<?> c) throws Exception {
        if (shouldBeInitialized == null) {
            Class<?> u;
            try {
                u = Class.forName("jdk.internal.misc.Unsafe");
                Modules.open(u);
            } catch (ClassNotFoundException e) { // JDK 8
                u = Class.forName("sun.misc.Unsafe");
            }
            Field f = u.getDeclaredField("theUnsafe");
            f.setAccessible(true);
            unsafe = f.get(null);
            shouldBeInitialized = u.getMethod("shouldBeInitialized", Class.class);
            shouldBeInitialized.setAccessible(true);
        }
        return !(Boolean) shouldBeInitialized.invoke(unsafe, c);
    }
}
