package p;

import static org.junit.Assert.assertEquals;

import org.junit.Ignore;
import org.junit.Test;

/** Tests of JUnit before 4.6, which has no categories and does not say of what class a test is. */
public class Early {
    @Test
    public void passes() {
    }

    @Test
    public void fails() {
        assertEquals(1, 2);
    }

    @Ignore("not now")
    @Test
    public void ignored() {
    }
}
