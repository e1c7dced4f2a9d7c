package catchlens.fault;

/** Finds the exception by which the framework that runs the current test lets a test be given up. */
final class GiveUp {
    private GiveUp() {}

    private static final String[][] FRAMEWORKS = { // package of its runner, class of its exception
        {"org.junit.jupiter.", "org.opentest4j.TestAbortedException"},
        {"org.junit.runners.", "org.junit.AssumptionViolatedException"},
        {"org.testng.", "org.testng.SkipException"},
    };

    /** The exception to throw for why; why itself where no framework runs. */
    static RuntimeException exception(FaultsUnavailableException why) {
        for (StackTraceElement frame : why.getStackTrace()) {
            for (String[] f : FRAMEWORKS) {
                if (frame.getClassName().startsWith(f[0])) {
                    return make(f[1], why);
                }
            }
        }
        return why;
    }

    private static RuntimeException make(String name, FaultsUnavailableException why) {
        for (ClassLoader loader : new ClassLoader[] {Thread.currentThread().getContextClassLoader(), GiveUp.class.getClassLoader()}) {
            try {
                return (RuntimeException) Class.forName(name, true, loader).getConstructor(String.class).newInstance(why.getMessage());
            } catch (ReflectiveOperationException e) {
                continue; // an older version, or another loader has it
            }
        }
        return why;
    }
}
