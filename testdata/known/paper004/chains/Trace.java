package traced;

/** Prints the calls of the program's packages on the stack, outermost first: what a run has taken. */
public class Trace {
    public static int note(int n) {
        StackTraceElement[] stack = new Throwable().getStackTrace();
        StringBuilder line = new StringBuilder();
        for (StackTraceElement e : stack) {
            String name = e.getClassName();
            if (name.startsWith("chains.") || name.startsWith("patterns.")) {
                line.insert(0, " " + name.substring(name.indexOf('.') + 1) + "." + e.getMethodName());
            }
        }
        System.out.println(line.substring(1));
        return n;
    }

    /** Calls what is public and static and takes nothing in some classes. */
    public static void main(String[] classes) throws Exception {
        for (String name : classes) {
            for (java.lang.reflect.Method m : Class.forName(name).getDeclaredMethods()) {
                int flags = m.getModifiers();
                if (java.lang.reflect.Modifier.isPublic(flags) && java.lang.reflect.Modifier.isStatic(flags)
                        && m.getParameterTypes().length == 0 && !m.getName().equals("values")) {
                    try {
                        m.invoke(null);
                    } catch (java.lang.reflect.InvocationTargetException e) {
                        // what was called before it is a run, too
                    }
                }
            }
        }
    }
}
