package filedrop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryTest {
    private final Retry retry = new Retry(3, Duration.ofMillis(1));
    private int calls;

    private String failing(int times) throws IOException {
        calls++;
        if (calls <= times) {
            throw new IOException("busy");
        }
        return "done";
    }

    @Test
    void succeedsAtOnce() throws Exception {
        assertEquals("done", retry.call(() -> failing(0)));
        assertEquals(1, calls);
    }

    @Test
    void succeedsAtTheLastAttempt() throws Exception {
        assertEquals("done", retry.call(() -> failing(2)));
    }

    @Test
    void givesUp() {
        assertThrows(Exception.class, () -> retry.call(() -> failing(3)));
    }

    @Test
    void staysInterrupted() {
        Thread.currentThread().interrupt();
        assertThrows(Exception.class, () -> retry.call(() -> failing(3)));
        assertTrue(Thread.interrupted());
    }

    @Test
    void needsAnAttempt() {
        assertThrows(IllegalArgumentException.class, () -> new Retry(0, Duration.ZERO));
    }
}
