package catchlens.rt;

/** Stands for the end of the JVM where a test called System.exit. */
public final class ExitPrevented extends Error {
    private static final long serialVersionUID = 1L;

    ExitPrevented(int status) {
        super("System.exit(" + status + ") ends this run");
    }
}
