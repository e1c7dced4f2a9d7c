package paper001;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Test;

public class StretchingTest {
    @Test
    public void numbers() {
        assertEquals(12, Stretching.number("12"));
    }

    @Test
    public void noNumbers() {
        assertEquals(-1, Stretching.number("twelve"));
    }

    @Test
    public void abbreviation() {
        assertEquals("java.lang.String", Stretching.classOrNone(Collections.singletonMap("String", "java.lang.String"), "String"));
    }

    @Test
    public void unknownClass() throws Exception {
        assertEquals("none", Stretching.classOf(Collections.<String, String>emptyMap(), "String"));
    }

    @Test
    public void invalidArguments() {
        assertEquals("none", Stretching.classOrNone(Collections.<String, String>emptyMap(), null));
    }

    @Test
    public void single() {
        assertEquals("a", Stretching.single(Collections.singletonList("a"), true));
    }

    @Test
    public void several() {
        List<String> rows = Arrays.asList("a", "b");
        assertEquals("several", Stretching.single(rows, true));
    }

    @Test(expected = IllegalStateException.class)
    public void closed() {
        Stretching.single(Collections.singletonList("a"), false);
    }

    @Test
    public void size() {
        assertEquals(3, Stretching.sizeOrZero("abc"));
    }

    @Test
    public void missing() {
        assertEquals(-1, Stretching.sizeOrZero("missing"));
    }

    @Test
    public void broken() {
        assertEquals(-1, Stretching.sizeOrZero("broken"));
    }

    @Test(expected = IllegalArgumentException.class)
    public void illegal() throws IOException {
        Stretching.size("illegal");
    }

    @Test
    public void code() {
        assertEquals(0, Stretching.code(false));
    }

    @Test
    public void failureCode() {
        assertEquals(3, Stretching.code(true));
    }

    @Test
    public void all() {
        assertEquals(0, Stretching.all(false));
    }

    @Test
    public void allFail() {
        assertEquals(1, Stretching.all(true));
    }

    @Test
    public void dependent() {
        assertEquals(2, Stretching.dependent(true));
    }

    @Test
    public void innerFails() {
        assertEquals("inner ", meet(1));
    }

    @Test
    public void outerFails() {
        assertEquals("outer ", meet(3));
    }

    @Test
    public void loggedOnce() {
        assertNotEquals("inner outer ", meet(2));
    }

    private static String meet(int kind) {
        Stretching.Meeting m = new Stretching.Meeting();
        try {
            m.outer(kind);
        } catch (RuntimeException e) {
            return m.log;
        }
        return m.log;
    }

    @Test
    public void innerOfApartFails() {
        assertEquals("inner ", apart(1));
    }

    @Test
    public void outerOfApartFails() {
        assertEquals("outer ", apart(3));
    }

    @Test
    public void apartLogsOnce() {
        assertNotEquals("inner outer ", apart(2));
    }

    private static String apart(int kind) {
        Stretching.Apart a = new Stretching.Apart();
        try {
            a.outer(kind);
        } catch (Exception e) {
            return a.log;
        }
        return a.log;
    }
}
