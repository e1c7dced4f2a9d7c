package p;

import static org.testng.Assert.*;

import org.testng.annotations.*;

/** Two tests of the suite have it, with different parameters, groups and methods. */
public class Tuned {
    String mode;
    @BeforeClass @Parameters("mode") public void mode(String mode) { this.mode = mode; }
    @Test @Parameters("mode") public void same(String given) { assertEquals(given, mode); }
    @Test(groups = "slow") public void slow() { fail(mode); }
    @Test(dependsOnGroups = "base") public void needs() { assertTrue(Suite.seen.startsWith("s") && Suite.seen.contains("b"), Suite.seen); }
    @DataProvider public Object[][] nums() { return new Object[][] {{1}, {2}}; }
    @Test(dataProvider = "nums") public void many(int n) { assertEquals(mode + n, "two2"); }
}
