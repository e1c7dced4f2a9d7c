package catchlens.rt.record;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * Mutual exclusion within probes, for a few instructions that block on nothing:
 *
 * <pre>
 * boolean mine = latch.lock();
 * try {
 *     ...
 * } finally {
 *     if (mine) {
 *         latch.owner = null;
 *     }
 * }
 * </pre>
 *
 * <p>It is no monitor. Since JDK 24 a virtual thread that waits for a monitor leaves its carrier,
 * and needs the JDK's own thread "VirtualThread-unblocker" and a carrier to come back when the
 * monitor is free. Those run code with probes too; one that waits for the same monitor behind the
 * virtual thread waits for ever, and all virtual threads with it. Who waits here keeps its carrier.
 *
 * <p>Nothing is called to release it, so that a stack that is full cannot keep it held.
 */
public final class Latch {
    private static final AtomicReferenceFieldUpdater<Latch, Thread> OWNER =
            AtomicReferenceFieldUpdater.newUpdater(Latch.class, Thread.class, "owner");
    /** The class of virtual threads, or null. */
    private static final Class<?> VIRTUAL = virtual();
    private static final int SPINS = 64;

    /** Who holds it, or null. */
    volatile Thread owner;

    // Nothing in lock may run a probe: the thread may have no guard yet.

    /** Takes it; false when the current thread has it already. */
    boolean lock() {
        Thread me = Thread.currentThread();
        if (owner == me) {
            return false;
        }
        if (!OWNER.compareAndSet(this, null, me)) {
            await(me);
        }
        return true;
    }

    private void await(Thread me) {
        boolean yields = me.getClass() != VIRTUAL; // a virtual thread that yields leaves its carrier
        for (int i = 1; owner != null || !OWNER.compareAndSet(this, null, me); i++) {
            if (yields && i % SPINS == 0) {
                Thread.yield();
            }
        }
    }

    private static Class<?> virtual() {
        try {
            return Class.forName("java.lang.VirtualThread");
        } catch (ClassNotFoundException e) {
            return null;
        }
    }
}
