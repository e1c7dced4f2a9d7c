package p;

import static org.testng.Assert.*;

import org.testng.SkipException;
import org.testng.annotations.*;

public class Ng {
    static int before;
    @BeforeClass public void once() { before++; }
    @Test(groups = "fast") public void passes() { assertTrue(before > 0); }
    @Test public void fails() { assertEquals(1, 2); }
    @Test public void skips() { throw new SkipException("not now"); }
    @Test(enabled = false) public void disabled() {}
    @DataProvider(name = "ints") public Object[][] ints() { return new Object[][] {{1}, {2}}; }
    @Test(dataProvider = "ints") public void odd(int n) { assertEquals(n % 2, 1); }
    @Test(dependsOnMethods = "passes") public void depends() {}
    @Test(expectedExceptions = IllegalStateException.class) public void expects() { throw new IllegalStateException(); }

    // Each waits for a moment in which two would run at once.
    @Test(threadPoolSize = 4, invocationCount = 4) public void parallel() throws Exception {
        assertTrue(running.compareAndSet(false, true), "two at once");
        Thread.sleep(20);
        running.set(false);
    }
    static final java.util.concurrent.atomic.AtomicBoolean running = new java.util.concurrent.atomic.AtomicBoolean();

    public static class BadFixture {
        @BeforeClass public void failing() { throw new IllegalStateException("fixture"); }
        @Test public void never() {}
    }
}

class Factories {
    // Two instances; each test of each has a name of its own.
    public static class Made {
        static String order = "";
        final int add;
        public Made(int add) { this.add = add; }
        @Factory public static Object[] made() { return new Object[] {new Made(0), new Made(2)}; }
        @DataProvider public Object[][] nums() { return new Object[][] {{4, 2}, {6, 3}}; }
        @DataProvider public Object[][] words() { return new Object[][] {{"a"}}; }
        @Test(dataProvider = "nums") public void half(int n, int h) { assertEquals((n + add) / 2, h + add / 2); }
        @Test(dataProvider = "words", groups = "slow") public void half(String s) { assertEquals(s, add == 0 ? "a" : "b"); }
        @Test(groups = "slow") public void first() { order += "f" + add; }
    }

    public static class Tried {
        int tries;
        @Test(retryAnalyzer = Again.class) public void third() { assertTrue(tries++ > 1, "try " + tries); }
        @Test(retryAnalyzer = Again.class) public void never() { fail("never"); }

        public static class Again implements org.testng.IRetryAnalyzer {
            int n;
            public boolean retry(org.testng.ITestResult r) { return n++ < 2; }
        }
    }
}

class Within {
    public static class Percents {
        static int half;
        @Test(invocationCount = 4, successPercentage = 50) public void half() { assertTrue(half++ % 2 > 0, "even"); }
        @Test(invocationCount = 2, successPercentage = 90) public void most() { fail("always"); }
    }
}

class Suite {
    static String seen = "";

    /** Has the fixture of the suite. */
    public static class Fixture {
        @BeforeSuite public void suite() { seen += "s"; }
        @Test public void other() {}
        @Test(groups = "base") public void base() { seen += "b"; }
    }

    public static class Absent { @Test public void never() { fail("not of the suite"); } }

    public static class Listener extends org.testng.TestListenerAdapter {
        @Override public void onTestStart(org.testng.ITestResult r) {
            System.setProperty("listened", r.getTestClass().getRealClass().getSimpleName());
        }
    }
}
