package catchlens.rt.run;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Tests without a framework: each public static method without parameters whose name starts with
 * test, in the order of the names, or else main. public static beforeAll and afterAll are fixtures.
 */
public final class PlainAdapter extends Adapter {
    private static List<Method> tests(Class<?> type) {
        List<Method> found = new ArrayList<Method>();
        for (Method m : type.getDeclaredMethods()) {
            int mod = m.getModifiers();
            if (Modifier.isPublic(mod) && Modifier.isStatic(mod) && m.getName().startsWith("test")
                    && m.getParameterTypes().length == 0) {
                found.add(m);
            }
        }
        Collections.sort(found, new Comparator<Method>() {
            @Override
            public int compare(Method a, Method b) {
                return a.getName().compareTo(b.getName());
            }
        });
        if (found.isEmpty()) {
            try {
                found.add(type.getMethod("main", String[].class));
            } catch (NoSuchMethodException e) {
                return found;
            }
        }
        return found;
    }

    private static String id(Method m) {
        return m.getDeclaringClass().getName() + "#" + m.getName();
    }

    @Override
    public void discover(Class<?>[] classes, Sink sink) {
        for (Class<?> c : classes) {
            for (Method m : tests(c)) {
                sink.found(id(m), c.getName(), m.getName(), id(m), null, false);
            }
        }
    }

    @Override
    public void runClass(Class<?> type, Sink sink) {
        sink.classStart(type.getName());
        Throwable failure = fixture(type, "beforeAll");
        if (failure == null) {
            for (Method m : tests(type)) {
                run(m, sink);
            }
        }
        Throwable after = fixture(type, "afterAll");
        sink.classEnd(type.getName(), failure != null ? failure : after);
    }

    @Override
    public void runTest(String id, Sink sink) throws Throwable {
        int hash = id.lastIndexOf('#');
        Class<?> type = load(id.substring(0, hash));
        sink.classStart(type.getName());
        Throwable failure = fixture(type, "beforeAll");
        if (failure == null) {
            for (Method m : tests(type)) {
                if (id(m).equals(id)) {
                    run(m, sink);
                }
            }
        }
        Throwable after = fixture(type, "afterAll");
        sink.classEnd(type.getName(), failure != null ? failure : after);
    }

    private static Throwable fixture(Class<?> type, String name) {
        try {
            type.getMethod(name).invoke(null);
        } catch (NoSuchMethodException e) {
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (Throwable t) {
            return t;
        }
        return null;
    }

    private static void run(Method m, Sink sink) {
        sink.testStart(id(m), m.getDeclaringClass().getName(), m.getName(), id(m));
        Throwable failure = null;
        try {
            m.setAccessible(true);
            if (m.getParameterTypes().length == 0) {
                m.invoke(null);
            } else {
                m.invoke(null, (Object) new String[0]);
            }
        } catch (InvocationTargetException e) {
            failure = e.getCause();
        } catch (Throwable t) {
            failure = t;
        }
        sink.testEnd(id(m), failure, false);
    }
}
