import catchlens.rt.Probe;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads of every kind. */
public class Virtual {
    static final int C = 0x5eed0001;

    static void work() {
        Probe.enter(C, 0);
        Probe.tryEnter(C, 0);
        try {
            Thread.sleep(1);
            IllegalStateException e = new IllegalStateException();
            Probe.thrown(e, C, 0);
            throw e;
        } catch (IllegalStateException e) {
            Probe.caught(e, C, 0);
        } catch (InterruptedException e) {
            Probe.uncaught(e, C, 0);
        }
    }

    // 4000 tries on virtual threads, where there are any: enough for threads that wait for each
    // other to be seen
    public static void testVirtual() throws Exception {
        ExecutorService pool;
        try {
            Method m = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
            pool = (ExecutorService) m.invoke(null);
        } catch (NoSuchMethodException e) {
            pool = Executors.newFixedThreadPool(4);
        }
        for (int i = 0; i < 10; i++) {
            run(pool, 400);
        }
        pool.shutdown();
    }

    static void run(ExecutorService pool, int n) throws Exception {
        List<Future<?>> all = new ArrayList<Future<?>>();
        for (int i = 0; i < n; i++) {
            all.add(pool.submit(new Runnable() {
                @Override public void run() { work(); }
            }));
        }
        for (Future<?> f : all) {
            f.get();
        }
    }

    // the workers of the common pool work for each test
    public static void testCommonPoolA() throws Exception { run(java.util.concurrent.ForkJoinPool.commonPool(), 20); }

    public static void testCommonPoolB() throws Exception { run(java.util.concurrent.ForkJoinPool.commonPool(), 20); }

    static ExecutorService fixture;

    // the threads of the fixture work for each of its tests
    public static void beforeAll() throws Exception {
        fixture = Executors.newFixedThreadPool(1);
        run(fixture, 1);
    }

    public static void testFixtureA() throws Exception { run(fixture, 3); }

    public static void testFixtureB() throws Exception { run(fixture, 4); }

    public static void afterAll() { fixture.shutdown(); }
}
