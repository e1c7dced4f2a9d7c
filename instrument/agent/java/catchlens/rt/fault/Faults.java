package catchlens.rt.fault;

import catchlens.rt.Probe;
import catchlens.rt.record.Recorder;

/**
 * Makes native operations of the JDK fail as the environment would make them fail (paper 003,
 * section 3): in place of the call, the exception is thrown that the native code would throw, and
 * the JDK's own Java code does with it what it does.
 *
 * <p>An operation is struck if it is one of those that are armed, if it works for the program (see
 * {@link Frames#foreign}), and if it runs in the extent of one of the target tries: the thread has entered
 * the try, has not entered one of its catches since, and has a frame in the try's lines; or, where
 * that is asked for, another thread does so meanwhile. Without targets it is struck wherever it runs.
 * It may be left alone where the calls from the try down to it are those of an earlier run ({@link Frames#way}), and
 * an operation may be struck only from when another one has failed on: what cleans up after that. A thread that
 * waits in an operation may be woken, so that the JDK runs what it does when that is interrupted ({@link Waker}).
 *
 * <p>With a system kind nothing is thrown here: the operation is carried out, and the next system call
 * of its thread that the fault is about fails ({@link SystemFault}). Whether one did is known, and noted, when the
 * thread begins its next operation, enters a catch, or the window ends.
 *
 * <p>When it observes, nothing fails: what is noted is which operations ran below which try.
 */
public final class Faults {
    private Faults() {}

    /** What is armed, or null: the one field that a disarmed point reads. */
    public static volatile ArmedFault armed;

    // ---- called by probes ----

    /** Operation n is about to run; a, b, d are what it is about, or null. */
    public static void at(Object a, Object b, Object d, int c, int n) {
        ArmedFault x = armed;
        if (x == null || Recorder.openWindow == 0 || !Recorder.quietly()) {
            return;
        }
        Throwable e = null;
        try {
            e = x.strike(c, n, new Object[] {a, b, d});
        } catch (Throwable t) {
            Recorder.swallow(t);
        } finally {
            Recorder.leave();
        }
        if (e != null) {
            Probe.<RuntimeException>sneaky(e);
        }
    }

    /** The outcome of guard n of class c, which is the one given by itself. */
    public static int guard(int outcome, int c, int n) {
        ArmedFault x = armed;
        if (x == null || x.gates.length == 0 || Recorder.openWindow == 0 || !Recorder.quietly()) {
            return outcome;
        }
        try {
            return x.guard(outcome, c, n);
        } catch (Throwable t) {
            Recorder.swallow(t);
            return outcome;
        } finally {
            Recorder.leave();
        }
    }

    /** Try n of class c is entered; not called from inside the agent. */
    public static void atTry(int c, int n) {
        ArmedFault x = armed;
        if (x == null || x.targets.length == 0 || !Recorder.quietly()) {
            return;
        }
        try {
            x.entered(c, n);
        } catch (Throwable t) {
            Recorder.swallow(t);
        } finally {
            Recorder.leave();
        }
    }

    /** Handler n of class c is entered; not called from inside the agent. */
    public static void atCatch(Throwable e, int c, int n) {
        ArmedFault x = armed;
        if (x == null || x.targets.length == 0 || !Recorder.quietly()) {
            return;
        }
        try {
            x.caught(e, c, n);
        } catch (Throwable t) {
            Recorder.swallow(t);
        } finally {
            Recorder.leave();
        }
    }
}
