package catchlens.rt.run;

/** Stands for the end of the JVM where a test called System.exit or Runtime.halt. */
public final class ExitPrevented extends Error {
    private static final long serialVersionUID = 1L;

    ExitPrevented(String call) {
        super(call + " ends this run");
    }
}
