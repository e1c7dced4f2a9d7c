package paper001;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class Listing2Test {
    @Test
    public void present() {
        Listing2 p = new Listing2(true);
        p.set("host", "example.org");
        assertEquals("example.org", p.lookUp("host"));
    }

    @Test
    public void absent() {
        assertEquals("missing property", new Listing2(true).lookUp("host"));
    }
}
