package filedrop;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class DropClientTest {
    private static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @Test
    void refusesWhatIsNoServer() throws Exception {
        try (ServerSocket listener = listen();
                DropClient client = new DropClient(listener.getLocalPort(), 1000);
                Socket peer = listener.accept()) {
            peer.getOutputStream().write("x".repeat(2000).getBytes());
            assertThrows(IOException.class, client::list);
        }
    }

    @Test
    void closesAfterTheServer() throws Exception {
        ServerSocket listener = listen();
        try (DropClient client = new DropClient(listener.getLocalPort(), 1000)) {
            listener.accept().close();
            listener.close();
        }
    }
}
