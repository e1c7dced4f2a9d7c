package filedrop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What clients of filedrop do: the server with its folder, its settings and its start again. */
@Timeout(40)
class FiledropWorkload {
    @TempDir
    Path folder;

    private DropServer server() throws Exception {
        Path file = folder.resolve("filedrop.properties");
        Files.write(file, List.of("folder=" + folder.resolve("store"), "port=0"));
        return DropServer.start(Settings.load(file.toString()));
    }

    @Test
    void putsAndGets() throws Exception {
        byte[] large = new byte[100_000];
        try (DropServer server = server(); DropClient client = new DropClient(server.port(), 10000)) {
            client.put("small.txt", "hello".getBytes());
            client.put("large.bin", large);
            assertArrayEquals(large, client.get("large.bin"));
            assertEquals(List.of("large.bin", "small.txt"), client.list());
        }
    }

    @Test
    void deletes() throws Exception {
        try (DropServer server = server(); DropClient client = new DropClient(server.port(), 10000)) {
            client.put("a", new byte[10]);
            client.put("a", new byte[20]);
            client.delete("a");
            assertEquals(List.of(), client.list());
        }
    }

    @Test
    void startsAgain() throws Exception {
        try (DropServer server = server(); DropClient client = new DropClient(server.port(), 10000)) {
            client.put("kept", "as it was".getBytes());
        }
        try (DropServer server = server(); DropClient client = new DropClient(server.port(), 10000)) {
            assertArrayEquals("as it was".getBytes(), client.get("kept"));
        }
    }

    @Test
    void rebuildsItsIndex() throws Exception {
        try (DropServer server = server(); DropClient client = new DropClient(server.port(), 10000)) {
            client.put("kept", "as it was".getBytes());
        }
        Files.write(folder.resolve("store").resolve("index.txt"), List.of("damaged"));
        try (DropServer server = server(); DropClient client = new DropClient(server.port(), 10000)) {
            assertEquals(List.of("kept"), client.list());
        }
    }

    @Test
    void twoClients() throws Exception {
        try (DropServer server = server();
                DropClient one = new DropClient(server.port(), 10000);
                DropClient two = new DropClient(server.port(), 10000)) {
            one.put("a", new byte[1000]);
            assertEquals(1000, two.get("a").length);
        }
    }

    @Test
    void refusesNonsense() throws Exception {
        try (DropServer server = server(); DropClient client = new DropClient(server.port(), 10000)) {
            assertTrue(client.raw("NONSENSE").startsWith("ERR"));
            assertTrue(client.raw("GET nothing").startsWith("ERR"));
        } catch (IOException closed) {
            throw new AssertionError(closed);
        }
    }
}
