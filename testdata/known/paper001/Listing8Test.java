package paper001;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;

import org.junit.Test;

public class Listing8Test {
    public static class Steps {
        static final RuntimeException REFUSED = new IllegalArgumentException("refused");

        public void greet(String name) {
            if (name.isEmpty()) {
                throw REFUSED;
            }
        }
    }

    private static Listing8 step() throws Exception {
        return new Listing8("I greet $name", Steps.class.getMethod("greet", String.class));
    }

    @Test
    public void succeeds() throws Exception {
        Listing8.Result r = step().perform(new Steps(), "Ada");
        assertNull(r.failure);
        assertEquals("I greet <Ada>", r.parametrisedStep);
    }

    @Test
    public void fails() throws Exception {
        Listing8.Result r = step().perform(new Steps(), "");
        assertSame(Steps.REFUSED, r.failure);
        assertEquals("I greet <>", r.parametrisedStep);
    }
}
