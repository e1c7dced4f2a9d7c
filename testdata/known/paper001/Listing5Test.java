package paper001;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class Listing5Test {
    @Test
    public void readable() {
        Listing5.MemoryDatabaseConnector c = new Listing5.MemoryDatabaseConnector(true);
        c.start();
        assertEquals("persistent", c.entityManagerFactory);
    }

    @Test
    public void unreadable() {
        Listing5.MemoryDatabaseConnector c = new Listing5.MemoryDatabaseConnector(false);
        c.start();
        assertEquals("memory", c.entityManagerFactory);
    }
}
