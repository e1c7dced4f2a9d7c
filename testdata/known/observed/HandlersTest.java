package observed;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class HandlersTest {
    @Test
    public void handlers() {
        assertEquals(10, Handlers.run());
    }
}
