package readings;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.fail;

import java.io.IOException;
import java.util.List;
import org.junit.Test;

public class HarderTest {
    @Test
    public void nested() {
        assertEquals(103, Harder.nested(0));
    }

    @Test
    public void pooled() throws Exception {
        assertEquals(List.of(1, -100, 3, -100), Harder.pooled(1, -2, 3, -4));
    }

    @Test
    public void inner() {
        assertEquals(16, new Harder(8).inner(-1));
    }

    @Test
    public void anonymous() {
        assertEquals("n-2", Harder.anonymous(-2));
    }

    @Test
    public void chained() {
        assertEquals("S1S2", Harder.chained());
    }

    @Test
    public void closed() {
        assertEquals("close b, close a", Harder.closed(-1));
    }

    @Test
    public void held() {
        try {
            Harder.held(-1);
            fail();
        } catch (Harder.Bad e) {
            assertEquals("negative: -1", e.getMessage());
        }
    }

    @Test
    public void unwrapped() throws Exception {
        assertEquals("negative: -1", Harder.unwrapped(-1));
    }

    @Test
    public void proxied() throws Throwable {
        try {
            Harder.proxied(-1);
            fail();
        } catch (IOException e) {
            assertEquals("proxy", e.getMessage());
        }
    }

    @Test
    public void counted() {
        assertEquals(-3, Harder.counted(List.of(1, 2, -3)));
    }
}
