package catchlens.rt.fault;

import catchlens.rt.Agent;
import catchlens.rt.load.Modules;

import java.lang.reflect.Method;

/**
 * Wakes a thread out of an operation in which it waits for a peer, as closing the socket would: by the
 * JDK's own signal ({@code sun.nio.ch.NativeThread}), which does nothing but interrupt a system call. The
 * operation answers that it was interrupted, and the JDK's code polls before it tries again.
 */
public final class Waker implements Runnable {
    private static final long PAUSE = 20; // milliseconds between two signals
    private static final int MOST = 250; // signals of one waker

    private final ArmedFault armed;
    private final int window;
    private final Thread thread;
    private final long id;
    private final Method signal;

    private Waker(ArmedFault armed, int window, Thread thread, long id, Method signal) {
        this.armed = armed;
        this.window = window;
        this.thread = thread;
        this.id = id;
        this.signal = signal;
    }

    /** Starts to wake this thread, until the fault of the window has struck or the thread has left the try. */
    static void start(ArmedFault armed, int window) throws Exception {
        Class<?> c = Class.forName("sun.nio.ch.NativeThread", true, null);
        Modules.open(c);
        Method current = c.getDeclaredMethod("current");
        Method signal = c.getDeclaredMethod("signal", long.class);
        current.setAccessible(true);
        signal.setAccessible(true);
        long id = (Long) current.invoke(null);
        if (id != 0 && id != -1) { // the platform has no signals, or the thread is virtual
            Agent.daemon("catchlens-waker", new Waker(armed, window, Thread.currentThread(), id, signal));
        }
    }

    @Override
    public void run() {
        try {
            for (int i = 0; i < MOST; i++) {
                Thread.sleep(PAUSE);
                if (!armed.wakes(window, thread)) {
                    return;
                }
                StackTraceElement[] st = thread.getStackTrace();
                if (st.length > 0 && st[0].isNativeMethod() && st[0].getClassName().startsWith("sun.nio.ch.")) {
                    signal.invoke(null, id);
                }
            }
        } catch (InterruptedException e) {
            // nobody interrupts it
        } catch (Exception e) {
            Agent.notice("cannot wake a thread: " + e);
        }
    }
}
