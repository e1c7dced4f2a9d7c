package org.doit.muffin.filter;

import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.doit.muffin.Prefs;
import org.doit.muffin.Slowly;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Workload 3 of Muffin: rules of its filters that are wrong, in a folder and at an address that gives its answer in parts and keeps the connection. */
public class Filters3Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private void each(String first, String key, Slowly.Use use) throws Exception {
        StringBuilder text = new StringBuilder(first);
        for (int i = 0; i < 2000; i++) {
            text.append("# nothing\n");
        }
        for (String content : new String[] {"# nothing\n", text.toString()}) {
            use.of(prefs(key, Files.write(folder.getRoot().toPath().resolve("file"), content.getBytes(StandardCharsets.US_ASCII)).toString()));
            Slowly.served(content, location -> use.of(prefs(key, (String) location)));
        }
    }

    private static Prefs prefs(String key, String location) {
        Prefs p = new Prefs();
        p.putString(key, location);
        return p;
    }

    @Test
    public void glossaries() throws Exception {
        each("hello\n", "Glossary.glossaryfile", p -> {
            Glossary g = new Glossary();
            g.prefs = (Prefs) p;
            g.load();
        });
    }

    @Test
    public void kills() throws Exception {
        each("kill [\n", "NoThanks.killfile", p -> {
            NoThanks n = new NoThanks();
            n.prefs = (Prefs) p;
            n.load();
        });
    }

    @Test
    public void includedKills() throws Exception {
        each("kill [\n", "included", p -> {
            NoThanks n = new NoThanks();
            n.prefs = prefs("NoThanks.killfile", "");
            n.load(new StringReader("#include \"" + ((Prefs) p).getString("included") + "\"\n"));
        });
    }

    @Test
    public void rewritings() throws Exception {
        each("http://a/\n", "Rewrite.rules", p -> {
            Rewrite r = new Rewrite();
            r.prefs = (Prefs) p;
            r.load();
        });
    }
}
