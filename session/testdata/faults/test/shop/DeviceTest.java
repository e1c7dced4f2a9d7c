package shop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.FileOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.Test;

public class DeviceTest {
    @Test
    public void reads() throws Exception {
        File f = File.createTempFile("device", ".bin");
        try (FileOutputStream out = new FileOutputStream(f)) {
            out.write(new byte[] {1, 2});
        }
        assertEquals(3, new Device().read(f.getPath()));
    }

    @Test
    public void accepts() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket s = new Socket(server.getInetAddress(), server.getLocalPort())) {
            assertTrue(new Device().accept(server));
        }
    }
}
