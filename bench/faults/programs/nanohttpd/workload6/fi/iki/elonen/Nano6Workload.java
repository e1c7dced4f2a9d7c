package fi.iki.elonen;

import static org.junit.Assert.assertEquals;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;
import served.Busy;
import served.Packaged;

/**
 * Workload 6 of NanoHTTPD: what its first five leave open, by what catchlens says of the links that they do not
 * cover. A licence that a class loader of a user's own has from elsewhere.
 */
public class Nano6Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private void licensed(InputStream licence) throws Exception {
        Path jar = Packaged.jar(folder.getRoot().toPath().resolve("server.jar"), NanoHTTPD.class, "other.txt", new byte[0]);
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getSystemClassLoader().getParent()) {
            @Override
            public InputStream getResourceAsStream(String name) {
                return name.equals("LICENSE.txt") ? licence : super.getResourceAsStream(name);
            }
        }) {
            assertEquals(loader, Class.forName("fi.iki.elonen.SimpleWebServer", true, loader).getClassLoader());
        }
    }

    @Test
    public void aLicenceFromAConnection() throws Exception {
        licensed(new BufferedInputStream(Busy.connection("do what you like".getBytes()).getInputStream()));
    }

    @Test
    public void aLicenceInTwoParts() throws Exception {
        licensed(new SequenceInputStream(new FileInputStream(folder.newFile("first")), new ByteArrayInputStream("do what you like".getBytes())));
    }
}
