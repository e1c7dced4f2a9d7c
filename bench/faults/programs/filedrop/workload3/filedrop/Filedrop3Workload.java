package filedrop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workload 3 of filedrop: what its first two leave open, by what catchlens says of the links that they do not
 * cover. A file that arrives in parts.
 */
@Timeout(40)
class Filedrop3Workload {
    @TempDir
    Path folder;

    @Test
    void aFileThatArrivesInParts() throws Exception {
        Settings settings = Settings.defaults().with("folder", folder.resolve("store")).with("port", 0);
        try (DropServer server = DropServer.start(settings); Socket s = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            s.setSoTimeout(10000);
            BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
            OutputStream out = s.getOutputStream();
            byte[] part = new byte[5000];
            out.write(("PUT a 10000 " + Long.toHexString(ChecksumInputStream.of(new byte[10_000])) + "\n").getBytes());
            out.flush();
            for (int i = 0; i < 2; i++) {
                Thread.sleep(50);
                out.write(part);
                out.flush();
            }
            assertEquals("OK " + Index.Entry.of(new byte[10_000]), in.readLine());
        }
    }
}
