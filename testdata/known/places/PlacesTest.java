package places;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

public class PlacesTest {
    static class Seen {
        String name;

        String name() {
            return name;
        }
    }

    private final Places p = new Places();
    private final List<String> events = new ArrayList<>();
    private int ran;
    private Seen seen;

    Seen seen() {
        return seen;
    }

    private void fail() {
        ran++;
        seen = new Seen();
        seen.name = "seen";
        throw new IllegalStateException("no");
    }

    private void failTwice() {
        if (ran < 2) {
            fail();
        }
    }

    @Test
    public void parts() {
        assertEquals(2, p.parts(Arrays.asList("1", "2", "x")));
        assertEquals(1, p.parts(Arrays.asList("1")));
    }

    @Test
    public void headed() {
        assertEquals(2, p.headed(Arrays.asList("3", "1", "2", "x")));
    }

    @Test
    public void turns() {
        assertEquals(-3, p.turns(Arrays.asList("1", "2", "x")));
    }

    @Test
    public void turned() {
        assertEquals(-2, p.turned(Arrays.asList("1", "2", "x")));
    }

    @Test
    public void locked() {
        assertEquals(0, p.locked(false));
        assertEquals(1, p.locked(true));
    }

    @Test
    public void lockedLate() {
        assertEquals(0, p.lockedLate(false));
    }

    @Test
    public void stream() {
        assertEquals(0, p.stream(new byte[0]));
        assertEquals(1, p.stream(new byte[1]));
    }

    @Test
    public void opened() {
        assertEquals(0, p.opened(new byte[0]));
    }

    @Test
    public void reset() {
        assertEquals("first", p.reset(this::fail));
        assertEquals(1, ran);
    }

    @Test
    public void counted() {
        assertEquals("failed", p.counted(this::fail));
        assertEquals(1, ran);
    }

    @Test
    public void noticed() {
        assertEquals("failed", p.noticed(this::fail));
        assertEquals("seen", seen().name());
    }

    @Test
    public void written() {
        assertEquals("failed", p.written(this::fail));
        assertEquals("true", p.logged);
    }

    @Test
    public void told() {
        assertEquals("ended", p.told(this::fail, (started, e) -> events.add(started + " " + e.getMessage())));
        assertEquals(Arrays.asList("true no"), events);
    }

    @Test
    public void heard() {
        assertEquals("ended", p.heard(this::fail, PlacesTest::ignore));
        assertEquals(1, ran);
    }

    static void ignore(boolean started, Exception e) {
    }

    @Test
    public void heardByOther() {
        assertEquals("ended", p.heard(() -> { }, (started, e) -> ran = 2));
    }

    @Test
    public void overheard() {
        assertEquals("ended", p.overheard(this::fail, (started, e) -> ran = started ? 2 : 1));
        assertEquals(2, ran);
    }

    @Test
    public void retried() {
        assertEquals("done", p.retried(this::failTwice, 2 + 1));
        assertEquals(2, ran);
    }

    /** Stands for the mock of a library, and says what EasyMock says. */
    private static class MockedDoor implements Places.Door {
        final boolean opens;
        int reads;
        int closed;

        MockedDoor(boolean opens) {
            this.opens = opens;
        }

        @Override
        public void open() throws IOException {
            if (!opens) {
                throw new IOException("locked");
            }
        }

        @Override
        public int read() throws IOException {
            reads++;
            throw new IOException("empty");
        }

        @Override
        public void close() {
            closed++;
        }

        static void verify(String call, int actual) {
            if (actual != 1) {
                throw new AssertionError(
                        "\n  Expectation failure on verify:\n    Door." + call + "(): expected: 1, actual: " + actual);
            }
        }
    }

    @Test
    public void closes() {
        MockedDoor d = new MockedDoor(true);
        assertEquals(-1, p.closes(d));
        MockedDoor.verify("close", d.closed);
    }

    @Test
    public void closesNot() {
        assertEquals(-1, p.closes(new MockedDoor(false)));
    }

    @Test
    public void closesToo() {
        MockedDoor d = new MockedDoor(true);
        assertEquals(-1, p.closesToo(d));
        MockedDoor.verify("read", d.reads);
    }
}
