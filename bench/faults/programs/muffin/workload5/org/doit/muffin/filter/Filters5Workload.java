package org.doit.muffin.filter;

import java.io.StringReader;
import org.doit.muffin.Muffin5Workload;
import org.doit.muffin.Prefs;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Workload 5 of Muffin: rules of its filters, right and wrong, at addresses of a protocol of the user's own. */
public class Filters5Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private static Prefs prefs(String key, Object location) {
        Prefs p = new Prefs();
        p.putString(key, (String) location);
        return p;
    }

    @Test
    public void glossaries() throws Exception {
        Muffin5Workload.settings(folder.getRoot().toPath(), location -> {
            Glossary g = new Glossary();
            g.prefs = prefs("Glossary.glossaryfile", location);
            g.load();
        }, "hello http://localhost/hello\n");
    }

    @Test
    public void kills() throws Exception {
        Muffin5Workload.settings(folder.getRoot().toPath(), location -> {
            NoThanks n = new NoThanks();
            n.prefs = prefs("NoThanks.killfile", location);
            n.load();
        }, "kill http://ads/.*\n", "kill [\n", "redirect\n");
    }

    @Test
    public void includedKills() throws Exception {
        Muffin5Workload.settings(folder.getRoot().toPath(), location -> {
            NoThanks n = new NoThanks();
            n.prefs = prefs("NoThanks.killfile", "");
            n.load(new StringReader("#include \"" + location + "\"\n"));
        }, "kill http://ads/.*\n", "kill [\n", "redirect\n");
    }

    @Test
    public void rewritings() throws Exception {
        Muffin5Workload.settings(folder.getRoot().toPath(), location -> {
            Rewrite r = new Rewrite();
            r.prefs = prefs("Rewrite.rules", location);
            r.load();
        }, "http://a/(.*) http://b/$1\n", "http://a/\n");
    }
}
