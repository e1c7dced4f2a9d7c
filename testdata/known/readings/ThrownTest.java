package readings;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.fail;

import java.io.IOException;
import org.junit.Test;

public class ThrownTest {
    @Test
    public void details() {
        assertEquals("denied-1", Thrown.details(-1));
    }

    @Test
    public void passedOn() {
        try {
            Thrown.passedOn(-2);
            fail();
        } catch (Thrown.Filled e) {
            assertEquals("negative: -2", e.getMessage());
            assertEquals("filled in passedOn", e.where);
            assertEquals(1, e.getSuppressed().length);
        }
    }

    @Test
    public void passedBy() {
        try {
            Thrown.passedBy(-2, null);
            fail();
        } catch (Thrown.Filling e) {
            assertEquals("[filling, passedBy]", e.way.toString());
        }
    }

    @Test
    public void emptied() {
        try {
            Thrown.emptied(-2, Thrown.class);
            fail();
        } catch (Thrown.Filling e) {
            assertEquals("[filling]", e.way.toString());
            assertEquals("[here, there]", e.counts.keySet().toString());
            assertEquals(3, e.counts.get("here")[0]);
            assertEquals(1, e.counts.get("there").length);
            assertEquals("!gnillif", e.text.toString());
            assertEquals(0, e.itself.size());
        }
    }

    @Test
    public void traced() {
        assertEquals("filled1", Thrown.traced(-1));
    }

    @Test
    public void untraced() {
        assertEquals("untraced untraced filled ", Thrown.untraced(-1));
    }

    @Test
    public void closed() {
        Thrown.Leak.OPEN.add("a");
        assertEquals(-1, Thrown.closed(-1));
        assertEquals("[]", Thrown.Leak.OPEN.toString());
    }

    @Test
    public void counted() {
        assertEquals(1, Thrown.counted(-1));
    }

    @Test
    public void unwrapped() {
        assertEquals("negative: -3", Thrown.unwrapped(-3));
    }

    @Test
    public void supplied() {
        IOException own = new IOException("own");
        try {
            Thrown.supplied(() -> { throw own; });
            fail();
        } catch (Exception e) {
            assertSame(own, e.getCause());
        }
    }

    @Test
    public void suppliedAndUsed() {
        IOException own = new IOException("own");
        try {
            Thrown.suppliedAndUsed(() -> { throw own; });
            fail();
        } catch (Exception e) {
            assertEquals("readings", e.getMessage());
            assertSame(own, e.getCause());
        }
    }

    @Test
    public void never() {
        assertEquals("5", Thrown.never(5));
    }

    @Test
    public void copied() {
        assertEquals("6", Thrown.copied(1));
    }

    @Test
    public void copiedToo() {
        assertEquals("1", Thrown.copiedToo(1));
        assertEquals("2", Thrown.copiedToo(2));
    }
}
