package paper001;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import org.junit.Test;

public class UndecidedTest {
    private static Undecided.Source text(String text) {
        return new Undecided.Source(text);
    }

    private static Undecided.Source broken(Exception failure) {
        return new Undecided.Source(failure);
    }

    @Test
    public void onlyPinkNeededOnce() {
        assertEquals("a", Undecided.onlyPinkNeeded(text("a")));
    }

    @Test
    public void onlyPinkNeededAgain() {
        assertEquals("b", Undecided.onlyPinkNeeded(text("b")));
    }

    @Test
    public void onlyPinkOptional() {
        assertEquals(5, Undecided.onlyPinkOptional(text("12345678")));
    }

    @Test
    public void onlyWhite() {
        assertEquals("unreadable", Undecided.onlyWhite(broken(new IOException("gone"))));
    }

    @Test(expected = RuntimeException.class)
    public void onlyBlue() {
        Undecided.onlyBlue(broken(new IllegalStateException("closed")));
    }

    @Test(expected = IllegalStateException.class)
    public void onlyBlueWanted() {
        Undecided.onlyBlueWanted(broken(new IllegalStateException("closed")));
    }

    @Test
    public void mixed() {
        assertEquals(3, Undecided.mixed(text("a"), broken(new IOException("gone")), text("b")));
    }
}
