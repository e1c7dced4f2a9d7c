package catchlens.rt.record;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

/**
 * The threads that the recorder has seen, weakly held. It is no ThreadLocal, because those live in
 * the user's Thread objects, are cleared by some threads, and would run probes of their own.
 * Lookup takes no lock: chains are only ever prepended to, and a rebuild makes new nodes reachable
 * before the old array goes.
 */
public final class ThreadTable {
    private ThreadTable() {}

    private static volatile ThreadState[] table = new ThreadState[64];
    private static int size;
    private static final Latch latch = new Latch();

    // Nothing in find, of and add may run a probe: the thread has no guard yet.

    static ThreadState find(Thread t) {
        int h = System.identityHashCode(t);
        ThreadState[] tab = table;
        for (ThreadState s = tab[h & (tab.length - 1)]; s != null; s = s.next) {
            if (s.hash == h && s.get() == t) {
                return s;
            }
        }
        return null;
    }

    /** The state of t; a thread not seen before is born in the window that is open now. */
    static ThreadState of(Thread t) {
        ThreadState s = find(t);
        return s != null ? s : add(t, Recorder.openWindow, Recorder.fixtureOf);
    }

    public static ThreadState add(Thread t, int birth, int fixtureOf) {
        boolean mine = latch.lock();
        try {
            ThreadState s = find(t);
            return s != null ? s : insert(t, birth, fixtureOf);
        } finally {
            if (mine) {
                latch.owner = null;
            }
        }
    }

    private static ThreadState insert(Thread t, int birth, int fixtureOf) {
        if (size > table.length) {
            rebuild();
        }
        ThreadState s = new ThreadState(t, System.identityHashCode(t));
        s.birth = birth;
        s.fixtureOf = fixtureOf;
        ThreadState[] tab = table;
        int i = s.hash & (tab.length - 1);
        s.next = tab[i];
        tab[i] = s;
        size++;
        return s;
    }

    /** Whether t is a worker of the common pool, which serves whichever test gives it work. */
    static boolean isShared(Thread t) {
        return t instanceof ForkJoinWorkerThread && ((ForkJoinWorkerThread) t).getPool() == ForkJoinPool.commonPool();
    }

    /** Drops threads that are gone and doubles the table when they were few. */
    private static void rebuild() {
        ThreadState[] old = table;
        int live = 0;
        for (ThreadState head : old) {
            for (ThreadState s = head; s != null; s = s.next) {
                if (s.get() != null) {
                    live++;
                }
            }
        }
        int n = old.length;
        while (n < 2 * live) {
            n *= 2;
        }
        ThreadState[] tab = new ThreadState[n];
        for (ThreadState head : old) {
            ThreadState next;
            for (ThreadState s = head; s != null; s = next) {
                next = s.next;
                if (s.get() != null) {
                    // A reader in the old table may follow this link into another chain and
                    // miss its thread: it then comes here under the lock and finds it.
                    s.next = tab[s.hash & (n - 1)];
                    tab[s.hash & (n - 1)] = s;
                }
            }
        }
        size = live;
        table = tab;
    }

    /**
     * Registers every platform thread that lives now and was never seen. Called when a window
     * opens, so that those threads belong to the time before it.
     */
    static void markLiving(int birth, int fixtureOf) {
        Thread[] ts = living();
        for (Thread t : ts) {
            if (t != null && find(t) == null) {
                add(t, birth, fixtureOf);
            }
        }
    }

    /** The live platform threads; entries past the last are null. */
    static Thread[] living() {
        ThreadGroup g = Thread.currentThread().getThreadGroup();
        if (g == null) {
            return new Thread[0];
        }
        while (g.getParent() != null) {
            g = g.getParent();
        }
        Thread[] ts = new Thread[g.activeCount() + 16];
        while (g.enumerate(ts, true) == ts.length) {
            ts = new Thread[2 * ts.length];
        }
        return ts;
    }
}
