package catchlens.rt.record;

import java.lang.ref.WeakReference;

/** What the recorder knows of one thread. Only that thread writes busy. */
public final class ThreadState extends WeakReference<Thread> {
    final int hash;
    ThreadState next;

    /** Set while the thread runs code of the agent: probes do nothing then. */
    public boolean busy;

    /** The window in which the thread was first seen; -1: before any, or a thread of the agent. */
    int birth;

    /** The class container whose fixture started the thread, or 0. */
    int fixtureOf;

    /** Known to be shared by tests, see {@link ThreadTable#isShared}. */
    boolean shared;

    /** Its window is over; what it covers from then on belongs to no test. */
    boolean left;

    /** The tries that may be active on it; null: none has been. */
    Below.Active active;

    ThreadState(Thread t, int hash) {
        super(t);
        this.hash = hash;
    }
}
