package paper001;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class NotFiredTest {
    @Test
    public void initialiser() {
        assertEquals(64, NotFired.InInitialiser.LIMIT);
    }

    @Test
    public void memoised() {
        assertEquals(32, NotFired.memoised());
    }
}
