import catchlens.rt.Probe;
import org.mockito.Mockito;

/** A final class with probes is mocked: the mocking library rewrites it once more. */
public class Mocks {
    public static final class Target {
        static final int C = 0x5eed0001;

        public String work(boolean fail) {
            Probe.enter(C, 0);
            Probe.tryEnter(C, 0);
            try {
                if (fail) {
                    IllegalStateException e = new IllegalStateException("failed");
                    Probe.thrown(e, C, 0);
                    throw e;
                }
                return "real";
            } catch (IllegalStateException e) {
                Probe.caught(e, C, 0);
                return e.getMessage();
            }
        }
    }

    static void check(Object got, Object want) {
        if (!want.equals(got)) throw new AssertionError(got + ", want " + want);
    }

    public static void testA() {
        check(new Target().work(true), "failed");
    }

    public static void testB() {
        Target t = Mockito.mock(Target.class);
        Mockito.when(t.work(true)).thenReturn("mocked");
        check(t.work(true), "mocked");
    }

    // after the mocking library has rewritten the class
    public static void testC() {
        check(new Target().work(true), "failed");
        check(new Target().work(false), "real");
    }
}
