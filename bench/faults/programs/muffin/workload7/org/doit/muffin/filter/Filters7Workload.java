package org.doit.muffin.filter;

import java.io.StringReader;
import org.doit.muffin.Prefs;
import org.doit.muffin.Slowly;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** Workload 7 of Muffin: long rules of a filter that begin with a wrong one, at an address whose connection is kept. */
public class Filters7Workload {

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private static Prefs prefs(Object location) {
        Prefs p = new Prefs();
        p.putString("NoThanks.killfile", (String) location);
        return p;
    }

    private static String wrong() {
        StringBuilder text = new StringBuilder("tagattr a.href remove [\n");
        for (int i = 0; i < 5000; i++) {
            text.append("# nothing\n");
        }
        return text.toString();
    }

    @Test
    public void kills() throws Exception {
        Slowly.served(wrong(), location -> {
            NoThanks n = new NoThanks();
            n.prefs = prefs(location);
            n.load();
        });
    }

    @Test
    public void includedKills() throws Exception {
        Slowly.served(wrong(), location -> {
            NoThanks n = new NoThanks();
            n.prefs = prefs("");
            n.load(new StringReader("#include \"" + location + "\"\n"));
        });
    }
}
