package shop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;

import org.junit.Test;

public class AccountTest {
    @Test
    public void pays() {
        assertNotNull(new Account(5).pay(3));
    }

    @Test
    public void looks() {
        assertEquals("seen", new Account(5).look("x", false));
    }

    @Test
    public void names() {
        assertEquals("one", new Account(5).name(1));
    }

    @Test
    public void namesOther() {
        assertEquals("other", new Account(5).nameOther(7));
    }

    @Test
    public void copes() {
        assertEquals("paid", new Account(5).coped(1));
    }
}
