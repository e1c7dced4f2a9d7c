package paper001;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class Listing1Test {
    @Test
    public void present() {
        Listing1 p = new Listing1(" Host ");
        p.set("host", "example.org");
        assertEquals("example.org", p.lookUp());
    }

    @Test
    public void absent() {
        assertEquals("missing property", new Listing1("host").lookUp());
    }

    @Test
    public void noArgument() {
        assertEquals("missing property", new Listing1().lookUp());
    }
}
