package catchlens.rt.inject;

import catchlens.rt.load.Modules;

import java.lang.reflect.Field;
import java.lang.reflect.Method;

/** How deep the stack of the current thread is, without reading its frames. */
public final class Depth {
    private Depth() {}

    /** The JVM counts no more frames than this, unless it is told to. */
    static final int MOST = 1000;

    private static final Field FIELD = field(); // JDK 9 and later
    private static final Method METHOD = FIELD == null ? method() : null; // JDK 8

    /** The number of frames above and including the caller's. Comparable between callers that probes call alike. */
    static int here() {
        Throwable t = new Throwable();
        try {
            if (FIELD != null) {
                return FIELD.getInt(t);
            }
            if (METHOD != null) {
                return (Integer) METHOD.invoke(t);
            }
        } catch (Exception e) {
            // read as below
        }
        return t.getStackTrace().length;
    }

    private static Field field() {
        try {
            Modules.open(Throwable.class);
            Field f = Throwable.class.getDeclaredField("depth");
            f.setAccessible(true);
            return f;
        } catch (Exception e) {
            return null;
        }
    }

    private static Method method() {
        try {
            Method m = Throwable.class.getDeclaredMethod("getStackTraceDepth");
            m.setAccessible(true);
            return m;
        } catch (Exception e) {
            return null;
        }
    }
}
