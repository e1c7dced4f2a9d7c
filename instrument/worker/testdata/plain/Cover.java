import catchlens.rt.Probe;
import java.util.concurrent.SynchronousQueue;

/** Coverage probes on the thread of the test, and on threads that go on after their test. */
public class Cover {
    static final int C = 0x5eed0001;
    static final int PROBES = 16;

    /** Hits the probes that it is told to, all in one execution of one method. */
    static final class Worker extends Thread {
        final SynchronousQueue<Integer> probes = new SynchronousQueue<Integer>();
        final SynchronousQueue<Integer> done = new SynchronousQueue<Integer>();

        Worker() {
            setDaemon(true);
            start();
        }

        @Override public void run() {
            boolean[] covers = Probe.covered(C, PROBES);
            try {
                while (true) {
                    int n = probes.take();
                    covers[n] = true;
                    done.put(n);
                }
            } catch (InterruptedException e) {
                return;
            }
        }

        void hit(int n) throws InterruptedException {
            probes.put(n);
            done.take();
        }
    }

    static void hit(int n) { Probe.covered(C, PROBES)[n] = true; }

    static Worker ofFixture;
    static Worker left;

    public static void beforeAll() throws Exception {
        ofFixture = new Worker();
        ofFixture.hit(0);
    }

    public static void testA() throws Exception {
        hit(1);
        ofFixture.hit(2);
    }

    public static void testB() throws Exception {
        hit(1);
        left = new Worker();
        left.hit(3);
    }

    public static void testC() throws Exception {
        hit(4);
        left.hit(5);
        ofFixture.hit(6); // no test's: see the gap in the comment of package agent
    }

    public static void testD() throws Exception {
        hit(7);
        left.hit(8);
    }
}
