package filedrop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import served.Packaged;
import served.Served;

/**
 * Workload 2 of filedrop: what its first workload leaves open, by what catchlens says of the links that it
 * does not cover. Settings at addresses of each kind, the program in its jar, a store without a connection.
 */
@Timeout(40)
class Filedrop2Workload {
    private static final byte[] SETTINGS = ("folder=elsewhere\n# " + "x".repeat(3000) + "\nport=17\n").getBytes();

    @TempDir
    Path folder;

    private static void portOf(String location) throws Exception {
        assertEquals(17, Settings.load(location).port());
    }

    @Test
    void settingsByHttp() throws Exception {
        String name = InetAddress.getLocalHost().getHostName();
        try (Served s = new Served(Served.How.WHOLE, SETTINGS)) {
            portOf(s.at(name));
        }
    }

    @Test
    void settingsByHttpInParts() throws Exception {
        try (Served s = new Served(Served.How.PARTS, SETTINGS)) {
            portOf(s.at("127.0.0.1"));
        }
    }

    @Test
    void settingsByHttpInChunks() throws Exception {
        try (Served s = new Served(Served.How.CHUNKS, SETTINGS)) {
            portOf(s.at("127.0.0.1"));
        }
    }

    @Test
    void settingsOfThisMachine() throws Exception {
        try (Served s = new Served(Served.How.WHOLE, SETTINGS)) {
            portOf(s.at("0.0.0.0"));
        }
    }

    @Test
    void settingsByFtp() throws Exception {
        try (Served s = new Served(Served.How.PASSIVE, SETTINGS)) {
            portOf(s.at("127.0.0.1"));
        }
    }

    @Test
    void settingsByActiveFtp() throws Exception {
        try (Served s = new Served(Served.How.ACTIVE, SETTINGS)) {
            portOf(s.at("127.0.0.1"));
        }
    }

    @Test
    void settingsInAJar() throws Exception {
        Path jar = folder.resolve("settings.jar");
        try (OutputStream out = Files.newOutputStream(jar); ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry("filedrop.properties"));
            zip.write(SETTINGS);
        }
        portOf("jar:" + jar.toUri() + "!/filedrop.properties");
    }

    @Test
    void theProgramInItsJar() throws Exception {
        Path jar = Packaged.jar(folder.resolve("filedrop.jar"), Settings.class, "filedrop/defaults.properties",
                "folder=drop\nport=23\n".getBytes());
        try (URLClassLoader loader = Packaged.loader(jar)) {
            Class<?> settings = Class.forName("filedrop.Settings", true, loader);
            Object defaults = settings.getMethod("defaults").invoke(null);
            assertEquals(23, settings.getMethod("port").invoke(defaults));
        }
    }

    private FileStore store() throws Exception {
        return new FileStore(folder.resolve("store"), new ContentCache(4), new Retry(1, Duration.ZERO));
    }

    @Test
    void aFileIsStored() throws Exception {
        Path file = Files.write(folder.resolve("local"), new byte[5000]);
        try (InputStream in = Files.newInputStream(file)) {
            assertEquals(5000, store().write("a", in).size());
        }
    }

    @Test
    void oneOfTwoIsDeleted() throws Exception {
        FileStore store = store();
        store.write("a", InputStream.nullInputStream());
        store.write("b", InputStream.nullInputStream());
        assertTrue(store.delete("a"));
        assertEquals(List.of("b"), store().list());
    }

    @Test
    void whatCannotBeStoredIsReadToItsEnd() throws Exception {
        Path store = folder.resolve("store");
        Settings settings = Settings.defaults().with("folder", store).with("port", 0);
        try (DropServer server = DropServer.start(settings); Socket s = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            s.setSoTimeout(10000);
            Files.walk(store).sorted((a, b) -> b.compareTo(a)).forEach(f -> assertTrue(f.toFile().delete()));
            BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
            OutputStream out = s.getOutputStream();
            byte[] half = new byte[10_000];
            out.write(("PUT a 20000 " + Long.toHexString(ChecksumInputStream.of(new byte[20_000])) + "\n").getBytes());
            out.write(half);
            out.flush();
            Thread.sleep(50);
            out.write(half);
            out.flush();
            assertNull(in.readLine()); // there is no part to discard either, so that the session ends
        }
    }

    @Test
    void aStoreThatIsNoFolder() throws Exception {
        Files.write(folder.resolve("store"), new byte[1]);
        assertThrows(StoreException.class, this::store);
    }
}
