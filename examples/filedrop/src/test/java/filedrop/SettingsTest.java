package filedrop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
    @TempDir
    Path folder;

    private String file(String text) throws Exception {
        Path file = folder.resolve("filedrop.properties");
        Files.writeString(file, text);
        return file.toString();
    }

    @Test
    void defaults() throws Exception {
        assertEquals(4, Settings.defaults().workers());
        assertEquals(Duration.ofSeconds(30), Settings.defaults().idleTimeout());
        assertEquals(Path.of("drop"), Settings.defaults().folder());
    }

    @Test
    void fromFile() throws Exception {
        Settings settings = Settings.load(file("workers = 9\nidle.timeout = PT5S\n"));
        assertEquals(9, settings.workers());
        assertEquals(Duration.ofSeconds(5), settings.idleTimeout());
        assertEquals(64, settings.cacheEntries());
    }

    @Test
    void fromUrl() throws Exception {
        String url = Path.of(file("workers = 7\n")).toUri().toString();
        assertEquals(7, Settings.load(url).workers());
    }

    @Test
    void fromWebServer() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/conf", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write("workers = 6\n".getBytes());
            exchange.close();
        });
        server.start();
        try {
            assertEquals(6, Settings.load("http://127.0.0.1:" + server.getAddress().getPort() + "/conf").workers());
        } finally {
            server.stop(0);
        }
    }

    @Test
    void missingFile() {
        SettingsException e =
                assertThrows(SettingsException.class, () -> Settings.load(folder.resolve("none").toString()));
        assertEquals("cannot read " + folder.resolve("none"), e.getMessage());
    }

    @Test
    void missingResource() {
        String url = folder.resolve("none").toUri().toString();
        assertThrows(SettingsException.class, () -> Settings.load(url));
    }

    @Test
    void malformedEscape() throws Exception {
        String file = file("folder = \\u00zz\n");
        SettingsException e = assertThrows(SettingsException.class, () -> Settings.load(file));
        assertEquals(file + " has a malformed escape", e.getMessage());
    }

    @Test
    void fallsBackWhereNoNumberStands() {
        assertEquals(0, Settings.defaults().with("port", "any").port());
    }

    @Test
    void malformedDuration() {
        Settings settings = Settings.defaults().with("idle.timeout", "soon");
        SettingsException e = assertThrows(SettingsException.class, settings::idleTimeout);
        assertEquals("idle.timeout is no duration: soon", e.getMessage());
    }

    @Test
    void hugeDuration() {
        Settings settings = Settings.defaults().with("retry.pause", "PT9223372036854775807S");
        assertThrows(SettingsException.class, settings::retry);
    }
}
