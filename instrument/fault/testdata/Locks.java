import java.util.concurrent.CountDownLatch;

/** A thread whose interrupt() takes a lock, and another that enters a try while it has that lock. */
public class Locks {
    static final Object LOCK = new Object();
    static final CountDownLatch held = new CountDownLatch(1);
    static final CountDownLatch asked = new CountDownLatch(1);

    static class Careful extends Thread {
        @Override
        public void run() {
            try {
                held.await();
            } catch (InterruptedException e) {
                return;
            }
            attempt();
        }

        @Override
        public void interrupt() {
            asked.countDown();
            synchronized (LOCK) {
                super.interrupt();
            }
        }
    }

    static void attempt() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            System.out.println("GOT " + e);
        }
    }

    public static void testTakesLock() throws Exception {
        Careful c = new Careful();
        c.start();
        synchronized (LOCK) {
            held.countDown();
            asked.await();
            attempt();
        }
        c.join();
    }
}
