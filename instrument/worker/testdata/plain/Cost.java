import catchlens.rt.Probe;

/** Prints nanoseconds per probe, for the benchmark. */
public class Cost {
    static final int C = 0x5eed0001;

    static long work(int n) {
        long x = 0;
        for (int i = 0; i < n; i++) {
            Probe.enter(C, 0);
            Probe.tryEnter(C, 1);
            x += i ^ (x << 1);
        }
        return x;
    }

    static String measure() {
        work(2000000);
        long begin = System.nanoTime();
        long x = work(20000000);
        return (System.nanoTime() - begin) / 4000000 / 10.0 + (x == 1 ? " " : "");
    }

    public static void testOwnThread() {
        System.out.print(measure());
    }

    public static void testOtherThread() throws Exception {
        Thread t = new Thread() {
            @Override public void run() { System.out.print(measure()); }
        };
        t.start();
        t.join();
    }

    static final Exception THROWN = new Exception();

    public static void testThrown() {
        for (int round = 0; round < 2; round++) {
            long begin = System.nanoTime();
            for (int i = 0; i < 1000000; i++) {
                try {
                    Exception e = i % 2 == 0 ? THROWN : new Exception("x");
                    Probe.thrown(e, C, 0);
                    throw e;
                } catch (Exception e) {
                    Probe.caught(e, C, 0);
                }
            }
            if (round == 1) System.out.print((System.nanoTime() - begin) / 1000000);
        }
    }
}
