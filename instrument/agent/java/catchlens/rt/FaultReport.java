package catchlens.rt;

import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.util.Map;

/** What one operation throws that {@link Armed} makes fail. */
final class FaultReport {
    String cls; // of the operation, binary
    String method;
    String exception;
    String message;
    int errno;
    boolean java; // the operation is a method in Java
    boolean declared; // a fault of the user's own
    boolean pipe; // only on pipes
    boolean then; // struck each time, and only when another one has been
    Construct construct; // of its exception, in one loader

    private FaultReport() {}

    /** Reads what the campaign asks for. */
    static FaultReport of(Map<?, ?> m) {
        FaultReport r = new FaultReport();
        r.cls = ((String) m.get("class")).replace('/', '.');
        r.method = (String) m.get("method");
        r.exception = (String) m.get("exception");
        r.message = (String) m.get("message");
        r.errno = Armed.number(m, "errno");
        r.java = Boolean.TRUE.equals(m.get("java"));
        r.declared = Boolean.TRUE.equals(m.get("declared"));
        r.pipe = Boolean.TRUE.equals(m.get("pipe"));
        r.then = Boolean.TRUE.equals(m.get("then"));
        return r;
    }

    /**
     * Makes the exception, as thrown by the operation.
     *
     * @param about what the operation works on
     * @param st a stack
     * @param top the first of its frames below the operation
     */
    Throwable make(Object[] about, StackTraceElement[] st, int top) throws Exception {
        Throwable e = exception(about);
        StackTraceElement[] trace = new StackTraceElement[1 + st.length - top];
        trace[0] = new StackTraceElement(cls, method, null, java ? -1 : -2);
        System.arraycopy(st, top, trace, 1, st.length - top);
        e.setStackTrace(trace);
        return e;
    }

    private Throwable exception(Object[] about) throws Exception {
        Class<?> type = Class.forName(exception, true, null);
        if (!Modifier.isPublic(type.getModifiers()) || !type.getName().startsWith("java.")) {
            Modules.open(type);
        }
        if (errno != 0) {
            Constructor<?> k = type.getDeclaredConstructor(int.class, String.class);
            k.setAccessible(true);
            return (Throwable) k.newInstance(errno, message);
        }
        if (message == null || message.isEmpty()) {
            return (Throwable) type.getConstructor().newInstance();
        }
        String said = message;
        int hole = said.indexOf("{}");
        if (hole >= 0) {
            said = said.substring(0, hole) + Operand.given(about) + said.substring(hole + 2);
        }
        Constructor<?> k = type.getDeclaredConstructor(String.class);
        if (!type.getName().startsWith("java.")) {
            k.setAccessible(true);
        }
        return (Throwable) k.newInstance(said);
    }
}
