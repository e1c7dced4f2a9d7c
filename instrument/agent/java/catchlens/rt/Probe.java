package catchlens.rt;

import catchlens.rt.fault.Faults;
import catchlens.rt.inject.Injector;
import catchlens.rt.record.Below;
import catchlens.rt.record.Chains;
import catchlens.rt.record.Coverage;
import catchlens.rt.record.ProbeCounts;
import catchlens.rt.record.Recorder;
import catchlens.rt.run.Runner;

/**
 * The methods that rewritten classes call. c is the class number that the agent wrote into the
 * class when it was defined, n the number of the probe within the class (unsigned 16 bit).
 *
 * <p>None of them throws anything but the armed exception (tryEnter, point, root), the error that stands for a
 * prevented exit (exiting), and a ThreadDeath that another thread sent. Outside a window they
 * return after one field read. All state lives in {@link Recorder}; a thread that is inside the
 * recorder has its guard set, so that probes in JDK classes which the recorder uses do nothing.
 */
public final class Probe {
    private Probe() {}

    /** A try is entered. Throws the armed exception where one is armed for it. */
    public static void tryEnter(int c, int n) {
        int w = Recorder.window;
        if (w == 0) {
            return;
        }
        if (Thread.currentThread() == Recorder.testThread) {
            if (Recorder.busy) {
                return;
            }
            int[][] all = Recorder.tries;
            int[] a;
            if (c < all.length && (a = all[c]) != null && a[0] == w && n + 1 < a.length) {
                a[n + 1]++;
            } else {
                Recorder.countSlow(Recorder.TRY, c, n);
            }
            Recorder.below(c, n);
            if (Recorder.armed != null) {
                Injector.at(c, n, false);
            }
            if (Faults.armed != null) {
                Faults.atTry(c, n);
            }
            return;
        }
        if (Recorder.countOther(Recorder.TRY, c, n)) {
            if (Recorder.armed != null) {
                Injector.at(c, n, false);
            }
            if (Faults.armed != null) {
                Faults.atTry(c, n);
            }
        }
    }

    /** Place n inside a try. Throws the armed exception where one is armed for it. */
    public static void point(int c, int n) {
        if (Recorder.window == 0 || Recorder.armed == null) {
            return;
        }
        if (Thread.currentThread() == Recorder.testThread ? !Recorder.busy : !Recorder.leakedHere()) {
            Injector.at(c, n, true);
        }
    }

    /** A handler is entered with the exception e. */
    public static void caught(Throwable e, int c, int n) {
        if (Recorder.window == 0) {
            return;
        }
        if (Recorder.count(Recorder.CATCH, c, n)) {
            Recorder.link(e, c, n);
            if (Recorder.armed != null) {
                Injector.caught(e, c, n);
            }
            if (Faults.armed != null) {
                Faults.atCatch(e, c, n);
            }
        }
    }

    /** The exception e leaves try n, and none of the try's own catches took it. */
    public static void uncaught(Throwable e, int c, int n) {
        if (Recorder.window == 0) {
            return;
        }
        Recorder.count(Recorder.UNCAUGHT, c, n);
    }

    /** Explicit throw site n is about to throw e, which it has not caught before. */
    public static void thrown(Throwable e, int c, int n) {
        if (Recorder.window == 0 || e == null) {
            return;
        }
        Recorder.site(e, c, n, false);
    }

    /** Site n is about to throw e, which may be an exception that was caught before. */
    public static void rethrown(Throwable e, int c, int n) {
        if (Recorder.window == 0 || e == null) {
            return;
        }
        Recorder.site(e, c, n, true);
    }

    /**
     * Native operation n, of the table of faults, is about to run; or a method that a fault of the
     * user's own strikes. a, b and d are parameters of the
     * method that calls it, or null. Throws what the operation would where a fault strikes it.
     */
    public static void root(Object a, Object b, Object d, int c, int n) {
        if (Faults.armed != null) {
            Faults.at(a, b, d, c, n);
        }
    }

    /**
     * The branch of guard n compares a and b: whether it is to jump. how is 0 to 5 for ==, !=, <,
     * >=, > and <=.
     */
    public static boolean guard(int a, int b, int how, int c, int n) {
        boolean jump;
        switch (how) {
            case 0:
                jump = a == b;
                break;
            case 1:
                jump = a != b;
                break;
            case 2:
                jump = a < b;
                break;
            case 3:
                jump = a >= b;
                break;
            case 4:
                jump = a > b;
                break;
            default:
                jump = a <= b;
                break;
        }
        return Faults.armed == null ? jump : Faults.guard(jump ? 1 : 0, c, n) != 0;
    }

    /** As guard for ints; how is 0 or 1 for == and !=. */
    public static boolean guard(Object a, Object b, int how, int c, int n) {
        boolean jump = (a == b) == (how == 0);
        return Faults.armed == null ? jump : Faults.guard(jump ? 1 : 0, c, n) != 0;
    }

    /** The operand of the switch of guard n. */
    public static int select(int value, int c, int n) {
        return Faults.armed == null ? value : Faults.guard(value, c, n);
    }

    /** The array of class c that its n coverage probes set on this thread. */
    public static boolean[] covered(int c, int n) {
        if (Thread.currentThread() == Recorder.testThread && !Recorder.busy) {
            boolean[][] all = Coverage.own;
            if (c < all.length) {
                boolean[] a = all[c];
                if (a != null) {
                    return a;
                }
            }
        }
        return Coverage.of(c, n);
    }

    /** Probe n of class c is executed, where executions are counted in place of recording coverage. */
    public static void count(int c, int n) {
        ProbeCounts.add(c, n);
    }

    /**
     * Method n of a class of a component begins. info has the names that it is called by, parted by
     * bars, and behind a semicolon each what its calls call, from call 0 on: the name behind a mark
     * (Wire.CHAIN_INSIDE, CHAIN_EITHER), or nothing where no method of the component is called; the
     * last ones may be left out. Returns what stands for it on the stack.
     */
    public static Chains.Frame begin(String info, int c, int n) {
        return Chains.begin(info, c, n);
    }

    /** The method is about to make its call n. */
    public static void call(Chains.Frame frame, int n) {
        Chains.call(frame, n);
    }

    /** As call, of a method that the class of an object decides; null: the call fails. */
    public static void callOn(Object on, Chains.Frame frame, int n) {
        Chains.callOn(on, frame, n);
    }

    /** As call, of another constructor for the object that this one is for. */
    public static void construct(Chains.Frame frame, int n) {
        Chains.construct(frame, n);
    }

    /** The method returns. */
    public static void end(Chains.Frame frame) {
        Chains.end(frame);
    }

    /** An exception leaves it. */
    public static void fail(Chains.Frame frame) {
        Chains.fail(frame);
    }

    /** Method n of the class is entered. */
    public static void enter(int c, int n) {
        int w = Recorder.window;
        if (w == 0) {
            return;
        }
        if (Thread.currentThread() == Recorder.testThread) {
            if (Recorder.busy) {
                return;
            }
            int[][] all = Recorder.methods;
            int[] a;
            if (c < all.length && (a = all[c]) != null && a[0] == w && n + 1 < a.length) {
                if (a[n + 1] != Below.epoch) {
                    a[n + 1] = Below.epoch;
                    if (Below.any) {
                        Recorder.credit(c, n);
                    }
                }
            } else {
                Recorder.countSlow(Recorder.METHOD, c, n);
            }
            return;
        }
        Recorder.countOther(Recorder.METHOD, c, n);
    }

    /**
     * Runtime.exit is called, by System.exit as a rule: {@link ExitGuard} puts this call at its
     * start. Inside a window it records the exit and throws instead of ending the JVM, unless a
     * security manager of the program wants to decide itself.
     */
    public static void exiting(int status) {
        Runner.exiting("System.exit(" + status + ")", status);
    }

    /** Runtime.halt is called; else as {@link #exiting}. */
    public static void halting(int status) {
        Runner.exiting("Runtime.halt(" + status + ")", status);
    }

    @SuppressWarnings("unchecked")
    public static <T extends Throwable> void sneaky(Throwable e) throws T {
        throw (T) e;
    }
}
