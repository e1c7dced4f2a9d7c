package readings;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import org.junit.Before;
import org.junit.Test;

public class UsagesTest {
    private final Usages u = new Usages();

    @Before
    public void fill() {
        u.values.put("there", "1");
        u.values.put("too", "2");
        u.values.put("k0", "a");
        u.values.put("k1", "b");
    }

    @Test
    public void get() {
        assertEquals("1", u.get("there", "2"));
        assertEquals("2", u.get("gone", "2"));
    }

    @Test
    public void all() {
        assertEquals(Arrays.asList("1", "no gone", "2", "no end"), u.all("there", "gone", "too", "end"));
    }

    @Test
    public void path() {
        assertEquals("*", u.path("k", 2));
        assertEquals(2, u.values.keySet().stream().filter(k -> k.startsWith("k")).count());
    }

    @Test
    public void pathBelow() {
        assertEquals("b/a", u.path("k", 1));
    }

    @Test
    public void pooled() throws Exception {
        assertEquals("none1", u.pooled("gone"));
    }

    @Test
    public void retried() {
        assertEquals("restored", u.retried("gone"));
    }

    @Test
    public void counted() {
        assertEquals("1", u.counted("there"));
        assertEquals("looked 4", u.counted("gone"));
    }

    @Test
    public void drained() {
        assertEquals(Arrays.asList("first", "1", "gone"), u.drained("lost", "there", "gone"));
    }
}
