package p;

import junit.extensions.TestSetup;
import junit.framework.*;

public class Three extends TestCase {
    static boolean up;
    public Three(String name) { super(name); }
    public void testPasses() {}
    public void testFails() { fail("three"); }
    public void testError() { throw new IllegalStateException("three"); }

    public static class Fixture extends TestCase {
        public Fixture(String name) { super(name); }
        public void testUp() { assertTrue(up); }
        public void testOther() { assertTrue(up); }
        public static Test suite() {
            return new TestSetup(new TestSuite(Fixture.class)) {
                protected void setUp() { up = true; }
            };
        }
    }
}
