package paper001;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class Listing7Test {
    @Test
    public void zero() {
        assertEquals(Integer.valueOf(0), Listing7.evaluate());
    }
}
