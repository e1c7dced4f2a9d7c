package filedrop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedInputStream;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import served.Busy;
import served.Packaged;

/**
 * Workload 4 of filedrop: what its first three leave open, by what catchlens says of the links that they do not
 * cover. Settings of a protocol and of a class loader of a user's own, from connections that are in use.
 */
@Timeout(40)
class Filedrop4Workload {
    private static final byte[] SETTINGS = "folder=elsewhere\nport=17\n".getBytes();
    private static volatile InputStream given;

    static {
        URL.setURLStreamHandlerFactory(protocol -> !protocol.equals("given") ? null : new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) {
                return new URLConnection(url) {
                    @Override
                    public void connect() {
                    }

                    @Override
                    public InputStream getInputStream() {
                        return given;
                    }
                };
            }
        });
    }

    @TempDir
    Path folder;

    @Test
    void settingsFromAConnectionInUse() throws Exception {
        given = Busy.written(SETTINGS).getInputStream();
        assertEquals(17, Settings.load("given:settings").port());
    }

    private void defaults(InputStream in) throws Exception {
        Path jar = Packaged.jar(folder.resolve("filedrop.jar"), Settings.class, "other.txt", new byte[0]);
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getSystemClassLoader().getParent()) {
            @Override
            public InputStream getResourceAsStream(String name) {
                return name.endsWith("defaults.properties") ? in : super.getResourceAsStream(name);
            }
        }) {
            Class<?> settings = Class.forName("filedrop.Settings", true, loader);
            assertEquals(17, settings.getMethod("port").invoke(settings.getMethod("defaults").invoke(null)));
        }
    }

    @Test
    void defaultsFromAConnection() throws Exception {
        defaults(new BufferedInputStream(Busy.connection(SETTINGS).getInputStream()));
    }

    @Test
    void defaultsFromAConnectionInUse() throws Exception {
        defaults(Busy.written(SETTINGS).getInputStream());
    }
}
