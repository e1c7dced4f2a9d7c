package org.doit.muffin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * Workload 6 of Muffin: what its first five leave open, by what catchlens says of the links that they do not
 * cover. What is copied to a tunnel, from streams of each kind; preferences in archives; protocols and plug-ins that look
 * up a name.
 */
public class Muffin6Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private Path root() {
        return folder.getRoot().toPath();
    }

    @Test
    public void copies() throws IOException {
        for (InputStream in : new InputStream[] {
                Odd.file(root(), "hello"),
                Odd.buffered(Odd.file(root(), "hello")),
                Odd.entry(root(), "hello"),
                Odd.after(Odd.file(root(), ""), Odd.text("hello")),
                Odd.after(Odd.busy(""), Odd.text("hello"))}) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            new Copy(in, out).run();
            assertEquals("hello", out.toString());
        }
    }

    @Test
    public void preferencesInAnArchive() throws Exception {
        Path jar = root().resolve("file.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry("file"));
            zip.write("a=b\n".getBytes());
        }
        UserPrefs p = new UserPrefs("jar:" + jar.toUri() + "!/file");
        p.load();
        assertEquals("b", p.getString("a"));
    }

    @Test
    public void preferencesOfABufferedFile() throws Exception {
        UserPrefs p = new UserPrefs(Odd.address(() -> Odd.buffered(Odd.file(root(), "a=b\n"))));
        p.load();
        assertEquals("b", p.getString("a"));
    }

    /** The address of a protocol that looks up a name first, which the system knows. */
    public static String named(String content) throws IOException {
        String name = InetAddress.getLocalHost().getHostName();
        return Odd.address(() -> {
            InetAddress.getByName(name);
            return Odd.text(content);
        });
    }

    @Test
    public void preferencesOfAName() throws Exception {
        UserPrefs p = new UserPrefs(named("a=b\n"));
        p.load();
        assertEquals("b", p.getString("a"));
    }

    @Test
    public void anAutoConfigurationOfAName() throws Exception {
        Configuration c = new Configuration();
        c.setAutoConfigFile(named(".*/other/.* other.conf\n"));
        c.load();
    }

    @Test
    public void aFilterThatLooksUpAName() throws Exception {
        String name = InetAddress.getLocalHost().getHostName();
        File home = folder.newFolder("home");
        Odd.supplied = () -> {
            InetAddress.getByName(name);
            return Odd.text("hello");
        };
        assertTrue(Delivered.ask(home, "Supplying", "http://127.0.0.1/page").endsWith("hello"));
    }
}
