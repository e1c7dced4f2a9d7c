package filedrop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ContentCacheTest {
    private final ContentCache cache = new ContentCache(2);

    @Test
    void returnsWhatWasPut() throws Exception {
        cache.put("a", new byte[] {1});
        assertArrayEquals(new byte[] {1}, cache.get("a"));
    }

    @Test
    void forgetsTheLeastRecentlyUsed() throws Exception {
        cache.put("a", new byte[1]);
        cache.put("b", new byte[2]);
        cache.get("a");
        cache.put("c", new byte[3]);
        assertEquals(1, cache.get("a").length);
        CacheMissException miss = assertThrows(CacheMissException.class, () -> cache.get("b"));
        assertEquals("b", miss.name());
    }
}
