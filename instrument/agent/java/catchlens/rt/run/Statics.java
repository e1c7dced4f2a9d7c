package catchlens.rt.run;

import catchlens.rt.Agent;
import catchlens.rt.inject.Injector;
import catchlens.rt.load.ClassEntry;
import catchlens.rt.load.Modules;
import catchlens.rt.record.Recorder;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Digests of what the static fields of classes lead to, for finding out which of them a test has
 * changed. Two digests in one JVM that differ mean a change; some changes go unseen: beyond a
 * bounded number of objects, inside objects of the JDK that reflection does not reach, and in
 * threads, class loaders and references.
 */
public final class Statics {
    private Statics() {}

    private static final int MAX_OBJECTS = 20000;
    private static final int MAX_ELEMENTS = 2000;

    /** By "class.field", of those of the named classes (internal names) that this JVM has rewritten and loaded. */
    static Map<String, Object> digests(List<?> names) {
        Set<Object> wanted = new HashSet<Object>(names);
        Map<String, Object> out = new LinkedHashMap<String, Object>();
        for (int c = 1; c <= Recorder.classCount(); c++) {
            ClassEntry e = Recorder.entry(c);
            if (!wanted.contains(e.name)) {
                continue;
            }
            try {
                ClassLoader loader = e.loader == null ? null : e.loader.get();
                add(Class.forName(e.name.replace('/', '.'), false, loader), out);
            } catch (Throwable t) {
                Agent.notice("statics of " + e.name + ": " + Injector.describe(t));
            }
        }
        return out;
    }

    private static void add(Class<?> type, Map<String, Object> out) throws Exception {
        Modules.open(type);
        for (Field f : type.getDeclaredFields()) {
            if (!Modifier.isStatic(f.getModifiers()) || f.isSynthetic()) {
                continue;
            }
            f.setAccessible(true);
            out.put(type.getName() + "." + f.getName(), Long.toHexString(digest(f.get(null))));
        }
    }

    /** Of an object and what it leads to, in breadth-first order. */
    private static long digest(Object root) {
        long h = 17;
        IdentityHashMap<Object, Integer> seen = new IdentityHashMap<Object, Integer>();
        ArrayDeque<Object> open = new ArrayDeque<Object>();
        h = visit(root, h, seen, open);
        while (!open.isEmpty() && seen.size() < MAX_OBJECTS) {
            Object o = open.removeFirst();
            if (o.getClass().isArray()) {
                int n = Array.getLength(o);
                h = 31 * h + n;
                for (int i = 0; i < n && i < MAX_ELEMENTS; i++) {
                    h = visit(Array.get(o, i), h, seen, open);
                }
                continue;
            }
            for (Class<?> c = o.getClass(); c != null && c != Object.class; c = c.getSuperclass()) {
                h = fields(o, c, h, seen, open);
            }
        }
        return h;
    }

    private static long fields(Object o, Class<?> c, long h, IdentityHashMap<Object, Integer> seen, ArrayDeque<Object> open) {
        for (Field f : c.getDeclaredFields()) {
            if (Modifier.isStatic(f.getModifiers())) {
                continue;
            }
            try {
                if (c.getName().startsWith("java.util.")) {
                    Modules.open(c);
                }
                f.setAccessible(true);
                h = visit(f.get(o), h, seen, open);
            } catch (Exception e) { // a module that is closed to the agent
                return h;
            }
        }
        return h;
    }

    private static long visit(Object o, long h, IdentityHashMap<Object, Integer> seen, ArrayDeque<Object> open) {
        if (o == null) {
            return 31 * h;
        }
        if (o instanceof String || o instanceof Number && o.getClass().getName().startsWith("java.lang.")
                || o instanceof Boolean || o instanceof Character) {
            return 31 * h + o.hashCode();
        }
        Integer known = seen.get(o);
        if (known != null) {
            return 31 * h + known;
        }
        seen.put(o, seen.size());
        h = 31 * h + o.getClass().getName().hashCode();
        if (o instanceof Enum) {
            return 31 * h + ((Enum<?>) o).ordinal();
        }
        if (o instanceof Class || o instanceof Thread || o instanceof ClassLoader || o instanceof java.lang.ref.Reference) {
            return 31 * h + System.identityHashCode(o);
        }
        open.add(o);
        return h;
    }
}
