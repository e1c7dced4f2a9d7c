package filedrop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DropServerTest {
    @TempDir
    Path folder;

    private final byte[] content = "some content".getBytes();
    private DropServer server;

    @BeforeEach
    void start() throws Exception {
        server = DropServer.start(Settings.defaults().with("folder", folder));
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private DropClient connect() throws IOException {
        return new DropClient(server.port(), 1000);
    }

    private void awaitAudit(String action, int times) throws InterruptedException {
        for (int i = 0; i < 50; i++) {
            if (server.audit().tail(100).stream().filter(line -> line.contains(" " + action + " ")).count() == times) {
                return;
            }
            Thread.sleep(20);
        }
        throw new AssertionError("not " + times + " " + action + " in " + server.audit().tail(100));
    }

    @Test
    void servesAClient() throws Exception {
        try (DropClient client = connect()) {
            client.put("a.txt", content);
            assertArrayEquals(content, client.get("a.txt"));
            assertEquals(List.of("a.txt"), client.list());
            client.delete("a.txt");
            assertEquals(List.of(), client.list());
        }
        awaitAudit("end", 1);
    }

    @Test
    void servesSeveralAtATime() throws Exception {
        try (DropClient one = connect(); DropClient two = connect()) {
            one.put("a", content);
            assertArrayEquals(content, two.get("a"));
        }
        awaitAudit("end", 2);
    }

    @Test
    void tellsErrors() throws Exception {
        try (DropClient client = connect()) {
            IOException e = assertThrows(IOException.class, () -> client.get("none"));
            assertTrue(e.getMessage().startsWith("server: ERR "), e.getMessage());
            assertTrue(client.raw("NONSENSE").startsWith("ERR"));
        }
        awaitAudit("end", 1);
    }

    @Test
    void survivesAClientThatVanishes() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write("PUT a 100 0\nabc".getBytes());
        }
        awaitAudit("lost", 1);
    }
}
