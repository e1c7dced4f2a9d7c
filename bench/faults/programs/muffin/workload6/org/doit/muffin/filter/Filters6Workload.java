package org.doit.muffin.filter;

import java.io.StringReader;
import org.doit.muffin.Muffin6Workload;
import org.doit.muffin.Prefs;
import org.doit.muffin.Slowly;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** Workload 6 of Muffin: rules of its filters at addresses of a protocol that looks up a name; long rules that are given up at once. */
public class Filters6Workload {

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private static Prefs prefs(String key, Object location) {
        Prefs p = new Prefs();
        p.putString(key, (String) location);
        return p;
    }

    private static void kills(Object location) {
        NoThanks n = new NoThanks();
        n.prefs = prefs("NoThanks.killfile", location);
        n.load();
    }

    private static void included(Object location) {
        NoThanks n = new NoThanks();
        n.prefs = prefs("NoThanks.killfile", "");
        n.load(new StringReader("#include \"" + location + "\"\n"));
    }

    private static String given() {
        StringBuilder text = new StringBuilder("redirect\n");
        for (int i = 0; i < 5000; i++) {
            text.append("# nothing\n");
        }
        return text.toString();
    }

    @Test
    public void glossariesOfAName() throws Exception {
        Glossary g = new Glossary();
        g.prefs = prefs("Glossary.glossaryfile", Muffin6Workload.named("hello http://localhost/hello\n"));
        g.load();
    }

    @Test
    public void killsOfAName() throws Exception {
        kills(Muffin6Workload.named("kill http://ads/.*\n"));
    }

    @Test
    public void includedKillsOfAName() throws Exception {
        included(Muffin6Workload.named("kill http://ads/.*\n"));
    }

    @Test
    public void rewritingsOfAName() throws Exception {
        Rewrite r = new Rewrite();
        r.prefs = prefs("Rewrite.rules", Muffin6Workload.named("http://a/(.*) http://b/$1\n"));
        r.load();
    }

    @Test
    public void killsThatAreGivenUp() throws Exception {
        Slowly.served(given(), Filters6Workload::kills);
    }

    @Test
    public void includedKillsThatAreGivenUp() throws Exception {
        Slowly.served(given(), Filters6Workload::included);
    }
}
