package catchlens.rt.fault;

import catchlens.rt.inject.Construct;
import catchlens.rt.load.Modules;
import catchlens.rt.wire.Wire;

import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;

/** What one operation throws that {@link ArmedFault} makes fail. */
public final class FaultReport {
    final String cls; // of the operation, binary
    final String method;
    final String exception;
    final String message;
    final int errno;
    final boolean java; // the operation is a method in Java
    final boolean declared; // a fault of the user's own
    final boolean pipe; // only on pipes
    final boolean then; // struck each time, and only when another one has been
    Construct construct; // of its exception, in one loader

    FaultReport(Wire.FaultRoot asked) {
        cls = asked.className.replace('/', '.');
        method = asked.method;
        exception = asked.exception;
        message = asked.message;
        errno = asked.errno;
        java = asked.java;
        declared = asked.declared;
        pipe = asked.pipe;
        then = asked.then;
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
