package p;

import static org.junit.Assert.*;
import static org.junit.Assume.assumeTrue;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.junit.*;
import org.junit.experimental.categories.Category;
import org.junit.rules.*;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Suite;

public class Four {
    static int before;
    @Rule public TemporaryFolder folder = new TemporaryFolder();
    @BeforeClass public static void once() { before++; }
    @Test public void passes() throws Exception { assertTrue(folder.newFile().exists()); assertTrue(before > 0); }
    @Test public void fails() { assertEquals("expected", 1, 2); }
    @Test @Ignore("not now") public void ignored() {}
    @Test public void assumes() { assumeTrue("never", false); }
    @Test(timeout = 5000) public void timed() throws Exception { Thread.sleep(1); }
    @Test(expected = IllegalStateException.class) public void expects() { throw new IllegalStateException(); }
    public interface Slow {}
    @Category(Slow.class) @Test public void categorized() {}

    @RunWith(Parameterized.class)
    public static class Params {
        @Parameterized.Parameters public static Collection<Object[]> data() { return Arrays.asList(new Object[][] {{1}, {2}}); }
        private final int n;
        public Params(int n) { this.n = n; }
        @Test public void odd() { assertEquals(1, n % 2); }
    }

    public static class BadFixture {
        @BeforeClass public static void fails() { throw new IllegalStateException("fixture"); }
        @Test public void never() {}
    }

    public static class Old extends junit.framework.TestCase {
        public void testOld() { assertEquals(1, 1); }
        public void testOldFails() { fail("old"); }
    }

    @RunWith(Suite.class) @Suite.SuiteClasses({Old.class, Params.class})
    public static class All {}

    /** Each test sees which of the others have run since the suite was built. */
    public static class Built extends junit.framework.TestCase {
        static int ran;
        public void testFirst() { assertEquals(0, ran++); }
        public void testSecond() { assertEquals(0, ran++); }
        public static junit.framework.Test suite() {
            ran = 0;
            junit.framework.TestSuite all = new junit.framework.TestSuite(), inner = new junit.framework.TestSuite("inner");
            inner.addTest(new junit.extensions.TestSetup(new junit.framework.TestSuite(Built.class)));
            all.addTest(inner);
            return all;
        }
    }

    @RunWith(org.junit.runners.AllTests.class)
    public static class Told {
        public static junit.framework.Test suite() { return Built.suite(); }
    }

    public static class Adapted {
        @Test public void first() { assertEquals(0, Built.ran++); }
        @Test public void second() { assertEquals(0, Built.ran++); }
        public static junit.framework.Test suite() { Built.suite(); return new junit.framework.JUnit4TestAdapter(Adapted.class); }
    }

    /** Runs its tests twice, under names that its filter does not ask for, as Burst's runner does. */
    @RunWith(Twice.Runner.class)
    public static class Twice {
        private static int ran;
        @BeforeClass public static void reset() { ran = 0; }
        @Before public void alone() { assertEquals("others ran, too", 0, ran++); }
        @Test public void passes() { }
        @Test public void passesToo() { }
        @Test public void fails() { fail("twice"); }

        public static class Runner extends Suite {
            public Runner(Class<?> type) throws org.junit.runners.model.InitializationError { super(type, java.util.Collections.<org.junit.runner.Runner>emptyList()); }
            /** Others each time. */
            @Override protected List<org.junit.runner.Runner> getChildren() {
                try {
                    return Arrays.<org.junit.runner.Runner>asList(new Named(getTestClass().getJavaClass(), "one"), new Named(getTestClass().getJavaClass(), "two"));
                } catch (org.junit.runners.model.InitializationError e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        private static class Named extends org.junit.runners.BlockJUnit4ClassRunner {
            private final String name;
            private boolean plain;
            Named(Class<?> type, String name) throws org.junit.runners.model.InitializationError { super(type); this.name = name; }
            @Override protected String getName() { return super.getName() + "[" + name + "]"; }
            @Override protected org.junit.runner.Description describeChild(org.junit.runners.model.FrameworkMethod m) {
                return plain ? org.junit.runner.Description.createTestDescription(getTestClass().getJavaClass(), m.getName()) : org.junit.runner.Description.createTestDescription(getName(), m.getName());
            }
            @Override public void filter(org.junit.runner.manipulation.Filter f) throws org.junit.runner.manipulation.NoTestsRemainException {
                plain = true;
                try { super.filter(f); } finally { plain = false; }
            }
        }
    }

    // Tests that build on each other, by static state: without b they do, too.
    @FixMethodOrder(org.junit.runners.MethodSorters.NAME_ASCENDING)
    public static class Steps {
        static String done = "";
        @BeforeClass public static void once() { done += "<"; }
        @Test public void a() { done += "a"; }
        @Test public void b() { fail("left out"); }
        @Test public void c() { assertEquals("<a", done); }
    }

    public static class NoTests { public void notATest() {} }
    public static class NoGood { @Test void hidden() {} }
}
