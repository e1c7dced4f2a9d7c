package shop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class ShopTest {
    private final Shop shop = new Shop(new RealClient());

    @Test
    public void orders() {
        assertTrue(shop.order("tea").endsWith("tea") || shop.order("tea").startsWith("sent"));
    }

    @Test
    public void ordersAnyhow() {
        assertEquals("sent tea", shop.orderAnyhow("tea"));
    }

    @Test
    public void numbers() {
        assertEquals(36, shop.number("00000000-0000-0000-0000-000000000001").length());
    }

    @Test
    public void ticks() {
        shop.ticks();
    }

    @Test
    public void never() {
        assertEquals("tea", shop.never("tea"));
    }
}
