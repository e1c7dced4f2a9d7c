package paper001;

import static org.junit.Assert.assertEquals;

import org.junit.BeforeClass;
import org.junit.Test;

public class NotFiredFixtureTest {
    private static int limit;

    @BeforeClass
    public static void readLimit() {
        limit = NotFired.inFixture();
    }

    @Test
    public void limit() {
        assertEquals(16, limit);
    }
}
