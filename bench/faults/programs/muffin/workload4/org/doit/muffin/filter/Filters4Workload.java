package org.doit.muffin.filter;

import static org.junit.Assume.assumeTrue;

import java.io.File;
import java.io.StringReader;
import org.doit.muffin.Prefs;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** Workload 4 of Muffin: rules of a filter in a file that can be opened and not be read. */
public class Filters4Workload {
    /** Nothing is at its beginning: reading fails with EIO. */
    private static final String UNREADABLE = "/proc/self/mem";

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private static Prefs prefs(String location) {
        Prefs p = new Prefs();
        p.putString("NoThanks.killfile", location);
        return p;
    }

    @Test
    public void kills() {
        assumeTrue(new File(UNREADABLE).exists());
        NoThanks n = new NoThanks();
        n.prefs = prefs(UNREADABLE);
        n.load();
    }

    @Test
    public void includedKills() {
        assumeTrue(new File(UNREADABLE).exists());
        NoThanks n = new NoThanks();
        n.prefs = prefs("");
        n.load(new StringReader("#include \"" + UNREADABLE + "\"\n"));
    }
}
