package paper001;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class Listing4Test {
    @Test
    public void normal() {
        assertEquals("normal", Listing4.handle(0));
    }

    @Test
    public void first() {
        assertEquals("first", Listing4.handle(1));
    }

    @Test
    public void second() {
        assertEquals("second", Listing4.handle(2));
    }
}
