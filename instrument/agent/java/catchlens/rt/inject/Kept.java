package catchlens.rt.inject;

import catchlens.rt.load.Modules;
import catchlens.rt.record.Frames;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An exception that was seen, with what its fields held then, and the containers in them. It can be
 * had again: the object itself, or a copy with these fields where it has changed since or the open
 * window has thrown it already.
 */
public final class Kept {
    /** Causes of causes that are looked at. */
    private static final int MOST_CAUSES = 10;

    private static final Map<Class<?>, Field[]> FIELDS = new HashMap<Class<?>, Field[]>();

    final Throwable e;
    /** The program throws this very object several times: a constant. It is never copied. */
    boolean constant;
    /** It, or what it wraps, may have been made before the execution began that it ended: each run has another one then. */
    boolean prepared;
    private final Field[] fields;
    private final Object[] values;
    private final Contents contents; // null: it holds no containers
    private Contents left; // what they were when the window closed in which it was seen; null: that is not known
    private boolean lent; // they were thrown since
    private final Throwable[] suppressed;
    private final StackTraceElement[] trace;
    private final Kept cause; // null: none, or itself
    private int thrownIn; // the window

    private Kept(Throwable e, int causes) throws Exception {
        this.e = e;
        fields = fieldsOf(e.getClass());
        values = new Object[fields.length];
        Kept of = null;
        for (int i = 0; i < fields.length; i++) {
            values[i] = fields[i].get(e);
            if (isCause(fields[i]) && values[i] != null && values[i] != e && causes > 0) {
                of = new Kept((Throwable) values[i], causes - 1);
            }
        }
        cause = of;
        contents = Contents.of(values);
        suppressed = e.getSuppressed();
        trace = Construct.traceOf(e);
    }

    /** Keeps an exception as it is; null where its fields cannot be read. */
    static synchronized Kept of(Throwable e) {
        try {
            return new Kept(e, MOST_CAUSES);
        } catch (Throwable t) {
            return null;
        }
    }

    /** Whether an exception that is caught here, or one that it wraps, was not made below the method that catches it. */
    static boolean wasPrepared(Throwable e) throws Exception {
        StackTraceElement[] here = new Throwable().getStackTrace();
        int below = here.length - Frames.caller(here);
        if (below <= 0) {
            return false;
        }
        StackTraceElement method = here[here.length - below];
        for (int i = 0; e != null && i <= MOST_CAUSES; i++, e = e.getCause() == e ? null : e.getCause()) {
            StackTraceElement[] st = Construct.traceOf(e);
            StackTraceElement there = st.length < below ? null : st[st.length - below];
            if (there == null || !there.getClassName().equals(method.getClassName()) || !there.getMethodName().equals(method.getMethodName())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isCause(Field f) {
        return f.getDeclaringClass() == Throwable.class && f.getName().equals("cause");
    }

    /**
     * The fields of a class and those above it that objects have, but those of an exception's trace
     * and of suppressed exceptions.
     */
    static synchronized Field[] fieldsOf(Class<?> type) throws Exception {
        Field[] known = FIELDS.get(type);
        if (known != null) {
            return known;
        }
        List<Field> all = new ArrayList<Field>();
        for (Class<?> k = type; k != null && k != Object.class; k = k.getSuperclass()) {
            boolean open = false;
            for (Field f : k.getDeclaredFields()) {
                boolean trace = k == Throwable.class && (f.getName().equals("stackTrace") || f.getName().equals("backtrace")
                        || f.getName().equals("depth") || f.getName().equals("suppressedExceptions"));
                if (Modifier.isStatic(f.getModifiers()) || trace) {
                    continue;
                }
                if (!open) {
                    Modules.open(k);
                    open = true;
                }
                f.setAccessible(true);
                all.add(f);
            }
        }
        Field[] fields = all.toArray(new Field[0]);
        FIELDS.put(type, fields);
        return fields;
    }

    /** Whether the object is as it was when it was kept. */
    private boolean unchanged() throws Exception {
        for (int i = 0; i < fields.length; i++) {
            Object now = fields[i].get(e);
            if (now == values[i]) {
                continue;
            }
            if (!fields[i].getType().isPrimitive() || !now.equals(values[i])) {
                return false;
            }
        }
        return Arrays.equals(e.getSuppressed(), suppressed) && Arrays.equals(Construct.traceOf(e), trace)
                && (contents == null || contents.unchanged()) && (cause == null || cause.unchanged());
    }

    /** Notes what the window in which it was seen has left in the containers. */
    synchronized void settle() {
        try {
            left = contents == null ? null : Contents.of(values);
        } catch (Exception t) {
            left = null;
        }
        if (cause != null) {
            cause.settle();
        }
    }

    /**
     * Whether copies have the containers as they were. What somebody has changed after the window,
     * while nobody had the exception, the program keeps elsewhere, as in a static field: it means
     * these containers and no copies.
     */
    private boolean restores() throws Exception {
        if (contents == null || !lent && left != null && !left.unchanged()) {
            return false;
        }
        boolean same = contents.unchanged();
        lent |= same;
        return !same;
    }

    /** The exception to throw in a window: the object itself or a copy. */
    synchronized Throwable again(int window) throws Throwable {
        if (constant || thrownIn != window && unchanged()) {
            thrownIn = window;
            lent = true;
            return e;
        }
        return copy(true);
    }

    /** A copy with the fields as they were and a trace of its own: it is thrown elsewhere. */
    Throwable copy() throws Throwable {
        return copy(false);
    }

    private synchronized Throwable copy(boolean traced) throws Throwable {
        Throwable to = Construct.blank(e);
        Map<Object, Object> copies = restores() ? contents.copies(e, to) : null;
        for (int i = 0; i < fields.length; i++) {
            Object v = values[i];
            if (v == e) {
                v = to;
            } else if (isCause(fields[i]) && cause != null && !cause.unchanged()) {
                v = cause.copy(true);
            } else if (copies != null && copies.containsKey(v)) {
                v = copies.get(v);
            }
            fields[i].set(to, v);
        }
        for (Throwable s : suppressed) {
            to.addSuppressed(s);
        }
        if (traced) {
            Construct.setTrace(to, trace);
        } else {
            to.fillInStackTrace();
        }
        return to;
    }
}
