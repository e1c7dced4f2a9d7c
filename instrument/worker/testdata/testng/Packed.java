package p.packed;

import static org.testng.Assert.*;

import org.testng.annotations.*;

/** Found by its package; the suite's listener hears of it. */
public class Packed {
    @Test public void listened() { assertEquals(System.getProperty("listened"), "Packed"); }
}
