package org.doit.muffin.filter;

import java.nio.file.Path;
import org.doit.muffin.Prefs;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;
import served.Addresses;

/** Workload 2 of Muffin: the rules of its filters at addresses of each kind. Without a display they are not set up by their preferences. */
public class Filters2Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private static Prefs prefs(String key, String location) {
        Prefs p = new Prefs();
        p.putString(key, location);
        return p;
    }

    private Path root() {
        return folder.getRoot().toPath();
    }

    @Test
    public void glossaries() throws Exception {
        Addresses.each(root(), "hello http://localhost/hello\n".getBytes(), location -> {
            Glossary g = new Glossary();
            g.prefs = prefs("Glossary.glossaryfile", location);
            g.load();
        });
    }

    @Test
    public void kills() throws Exception {
        Addresses.each(root(), "kill http://ads/.*\n".getBytes(), location -> {
            NoThanks n = new NoThanks();
            n.prefs = prefs("NoThanks.killfile", location);
            n.load();
        });
    }

    @Test
    public void includedKills() throws Exception {
        Addresses.each(root(), "kill http://ads/.*\n".getBytes(), location -> {
            NoThanks n = new NoThanks();
            n.prefs = prefs("NoThanks.killfile", "");
            n.load(new java.io.StringReader("#include \"" + location + "\"\n"));
        });
    }

    @Test
    public void rewritings() throws Exception {
        Addresses.each(root(), "http://a/(.*) http://b/$1\n".getBytes(), location -> {
            Rewrite r = new Rewrite();
            r.prefs = prefs("Rewrite.rules", location);
            r.load();
        });
    }
}
