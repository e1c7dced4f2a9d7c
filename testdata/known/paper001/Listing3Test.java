package paper001;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class Listing3Test {
    @Test
    public void firstRead() {
        Listing3 p = new Listing3();
        p.store("host", "example.org");
        assertEquals("example.org", p.read("host"));
    }

    @Test
    public void secondRead() {
        Listing3 p = new Listing3();
        p.store("host", "example.org");
        p.read("host");
        assertEquals("example.org", p.read("host"));
    }
}
