package catchlens.rt.inject;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * What was in the containers that an exception holds when it was seen: arrays, and the JDK's
 * collections, maps, builders of text and counters. A clause may add to them or empty them, and the
 * next run is to find them as they were. Other objects belong to the program: they stay what they
 * are.
 */
final class Contents {
    /**
     * Objects, fields and elements that are kept for one exception, of which there may be some
     * hundred. What holds more, as a buffer of a whole file, is not looked into.
     */
    private static final int MOST = 20000;

    /** By container or part of one: the values of its fields, or a copy of the array. */
    private final Map<Object, Object> states = new IdentityHashMap<Object, Object>();

    private Contents() {}

    /** The contents of those of these values that are containers; null where there are none, or too many. */
    static Contents of(Object[] values) throws Exception {
        Contents c = new Contents();
        ArrayDeque<Object> work = new ArrayDeque<Object>();
        c.follow(values, work);
        int parts = 0;
        while (!work.isEmpty()) {
            Object o = work.remove();
            if (c.states.containsKey(o)) {
                continue;
            }
            parts += 1 + (o.getClass().isArray() ? Array.getLength(o) : Kept.fieldsOf(o.getClass()).length);
            if (parts > MOST) { // before it is copied: that may take more memory than there is
                return null;
            }
            Object state = stateOf(o);
            c.states.put(o, state);
            if (state instanceof Object[]) {
                c.follow((Object[]) state, work);
            }
        }
        return c.states.isEmpty() ? null : c;
    }

    private void follow(Object[] values, ArrayDeque<Object> work) {
        for (Object v : values) {
            if (v != null && isPart(v.getClass())) {
                work.add(v);
            }
        }
    }

    /** Whether objects of a class are containers, or what these are made of. */
    private static boolean isPart(Class<?> k) {
        if (k.isArray()) {
            return true;
        }
        String name = k.getName();
        if (k.getClassLoader() != null || !name.startsWith("java.")) {
            return false;
        }
        if (Collection.class.isAssignableFrom(k) || Map.class.isAssignableFrom(k)
                || Map.Entry.class.isAssignableFrom(k)) {
            return true;
        }
        if (name.equals("java.lang.StringBuilder") || name.equals("java.lang.StringBuffer")
                || name.equals("java.util.BitSet") || name.equals("java.util.Date")
                || name.startsWith("java.util.concurrent.atomic.")) {
            return true;
        }
        Class<?> outer = k.getEnclosingClass(); // the nodes of lists and trees
        return outer != null && name.startsWith("java.util.") && isPart(outer);
    }

    private static Object stateOf(Object o) throws Exception {
        if (o.getClass().isArray()) {
            int n = Array.getLength(o);
            Object copy = Array.newInstance(o.getClass().getComponentType(), n);
            System.arraycopy(o, 0, copy, 0, n);
            return copy;
        }
        Field[] fields = Kept.fieldsOf(o.getClass());
        Object[] values = new Object[fields.length];
        for (int i = 0; i < fields.length; i++) {
            values[i] = fields[i].get(o);
        }
        return values;
    }

    /** Whether all of it is as it was. */
    boolean unchanged() throws Exception {
        for (Map.Entry<Object, Object> x : states.entrySet()) {
            Object o = x.getKey();
            if (o.getClass().isArray() && !(o instanceof Object[])) {
                if (!Arrays.deepEquals(new Object[] {o}, new Object[] {x.getValue()})) {
                    return false;
                }
                continue;
            }
            Object[] was = (Object[]) x.getValue();
            Field[] fields = o instanceof Object[] ? null : Kept.fieldsOf(o.getClass());
            for (int i = 0; i < was.length; i++) {
                Object now = fields == null ? ((Object[]) o)[i] : fields[i].get(o);
                if (now != was[i] && (fields == null || !fields[i].getType().isPrimitive() || !now.equals(was[i]))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** What copies of the containers are, by container: with the contents that they had, and to in the place of e. */
    Map<Object, Object> copies(Object e, Object to) throws Exception {
        Map<Object, Object> copies = new IdentityHashMap<Object, Object>();
        copies.put(e, to);
        for (Map.Entry<Object, Object> x : states.entrySet()) {
            Class<?> k = x.getKey().getClass();
            copies.put(x.getKey(), k.isArray() ? stateOf(x.getValue()) : Construct.blank(k));
        }
        for (Map.Entry<Object, Object> x : states.entrySet()) {
            if (!(x.getValue() instanceof Object[])) {
                continue;
            }
            Object copy = copies.get(x.getKey());
            Object[] was = (Object[]) x.getValue();
            Field[] fields = copy instanceof Object[] ? null : Kept.fieldsOf(copy.getClass());
            for (int i = 0; i < was.length; i++) {
                Object v = copies.containsKey(was[i]) ? copies.get(was[i]) : was[i];
                if (fields == null) {
                    ((Object[]) copy)[i] = v;
                } else {
                    fields[i].set(copy, v);
                }
            }
        }
        return copies;
    }
}
