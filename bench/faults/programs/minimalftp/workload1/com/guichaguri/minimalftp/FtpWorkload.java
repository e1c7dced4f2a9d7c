package com.guichaguri.minimalftp;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.guichaguri.minimalftp.impl.NativeFileSystem;
import com.guichaguri.minimalftp.impl.NoOpAuthenticator;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Sessions of an FTP client with MinimalFTP, over the loopback interface and real files. */
public class FtpWorkload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private FTPServer server;
    private Socket control;
    private BufferedReader in;
    private OutputStream out;

    @Before
    public void start() throws IOException {
        Files.write(folder.newFile("a.txt").toPath(), "one\ntwo\n".getBytes());
        Files.write(folder.newFile("b.bin").toPath(), new byte[20_000]);
        folder.newFolder("sub");
        server = new FTPServer(new NoOpAuthenticator(new NativeFileSystem(folder.getRoot())));
        server.setTimeout(3000);
        server.listen(InetAddress.getByName("127.0.0.1"), 0);
        control = new Socket("127.0.0.1", server.getPort());
        control.setSoTimeout(10000);
        in = new BufferedReader(new InputStreamReader(control.getInputStream()));
        out = control.getOutputStream();
        expect("230");
    }

    @After
    public void stop() throws IOException {
        control.close();
        server.close();
    }

    @Test
    public void pleasantries() throws IOException {
        say("NOOP", "200");
        say("SYST", "215");
        say("PWD", "257");
        say("HELP RETR", "214");
        say("TYPE I", "200");
        say("TYPE A", "200");
        say("STRU F", "200");
        say("MODE S", "200");
        say("NONSENSE", "502");
        say("QUIT", "221");
    }

    @Test
    public void theStatusIsAskedFor() throws IOException {
        try (Socket data = connected()) {
            send("STAT");
            expect("211");
            assertTrue(all(data).length > 0);
        }
        expect("211");
    }

    @Test
    public void theHostIsNamed() throws IOException {
        say("REIN", "2");
        say("HOST 127.0.0.1", "");
        say("HOST localhost", "");
    }

    @Test
    public void aListing() throws IOException {
        assertTrue(new String(passive("LIST")).contains("a.txt"));
        assertTrue(new String(passive("NLST")).contains("b.bin"));
        assertTrue(new String(passive("MLSD")).contains("sub"));
    }

    @Test
    public void aFileIsFetched() throws IOException {
        say("TYPE I", "200");
        assertEquals(20_000, passive("RETR b.bin").length);
    }

    @Test
    public void aTextIsFetched() throws IOException {
        say("TYPE A", "200");
        assertEquals("one\r\ntwo\r\n", new String(passive("RETR a.txt")));
    }

    @Test
    public void theRestIsFetched() throws IOException {
        say("TYPE I", "200");
        say("REST 19000", "350");
        assertEquals(1_000, passive("RETR b.bin").length);
    }

    @Test
    public void theRestOfATextIsFetched() throws IOException {
        say("TYPE A", "200");
        say("REST 2", "350");
        passive("RETR a.txt");
    }

    @Test
    public void aFileIsFetchedActively() throws IOException {
        say("TYPE I", "200");
        try (ServerSocket waiting = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            waiting.setSoTimeout(10000);
            int port = waiting.getLocalPort();
            say("PORT 127,0,0,1," + port / 256 + "," + port % 256, "200");
            send("RETR b.bin");
            expect("150");
            try (Socket data = waiting.accept()) {
                assertEquals(20_000, all(data).length);
            }
            expect("226");
        }
    }

    @Test
    public void aListIsFetchedActively() throws IOException {
        try (ServerSocket waiting = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            waiting.setSoTimeout(10000);
            say("EPRT |1|127.0.0.1|" + waiting.getLocalPort() + "|", "200");
            send("LIST");
            expect("150");
            try (Socket data = waiting.accept()) {
                assertTrue(all(data).length > 0);
            }
            expect("226");
        }
    }

    @Test
    public void aFileIsStored() throws IOException {
        store("STOR new.bin", 5_000);
        assertEquals(5_000, file("new.bin").length());
    }

    @Test
    public void aFileIsContinued() throws IOException {
        store("APPE b.bin", 100);
        assertEquals(20_100, file("b.bin").length());
        say("REST 50", "350");
        store("STOR b.bin", 100);
    }

    @Test
    public void aFileOfUnknownName() throws IOException {
        store("STOU", 10);
    }

    @Test
    public void filesAreMovedAndDeleted() throws IOException {
        say("RNFR a.txt", "350");
        say("RNTO c.txt", "250");
        say("DELE c.txt", "250");
        say("DELE c.txt", "4");
        say("MKD d", "257");
        say("CWD d", "250");
        say("CDUP", "2");
        say("RMD d", "250");
        say("RMD nothing", "550");
        say("CWD nothing", "550");
    }

    @Test
    public void filesAreAskedAbout() throws IOException {
        say("SIZE b.bin", "213 20000");
        say("MDTM b.bin", "213");
        send("MLST a.txt");
        expect("250-");
        expect("type=file");
        expect("");
        expect("250");
        say("MFMT 20200102030405 a.txt", "213");
        say("SITE CHMOD 644 a.txt", "200");
        say("RETR nothing", "150");
        expect("550");
        say("RETR ../../x", "550");
    }

    @Test
    public void filesAreSummed() throws IOException {
        say("MD5 a.txt", "251");
        say("MMD5 a.txt,b.bin", "252");
        say("HASH a.txt", "213");
    }

    @Test
    public void aTransferIsGivenUp() throws IOException {
        say("TYPE I", "200");
        try (Socket data = connected()) {
            send("STOR half.bin");
            expect("150");
            data.getOutputStream().write(new byte[10]);
            send("ABOR");
            expect("");
        }
    }

    @Test
    public void noSecrets() throws IOException {
        say("AUTH TLS", "");
        say("PBSZ 0", "");
        say("PROT P", "");
    }

    private File file(String name) {
        return new File(folder.getRoot(), name);
    }

    private void store(String command, int size) throws IOException {
        say("TYPE I", "200");
        try (Socket data = connected()) {
            send(command);
            expect("150");
            data.getOutputStream().write(new byte[size]);
        }
        expect("226");
    }

    private byte[] passive(String command) throws IOException {
        byte[] got;
        try (Socket data = connected()) {
            send(command);
            expect("150");
            got = all(data);
        }
        expect("226");
        return got;
    }

    private Socket connected() throws IOException {
        send("PASV");
        String line = expect("227");
        String[] n = line.replaceAll(".*\\(|\\).*", "").split(",");
        Socket s = new Socket("127.0.0.1", Integer.parseInt(n[4].trim()) * 256 + Integer.parseInt(n[5].trim()));
        s.setSoTimeout(10000);
        return s;
    }

    private void say(String command, String answer) throws IOException {
        send(command);
        expect(answer);
    }

    private void send(String command) throws IOException {
        out.write((command + "\r\n").getBytes());
        out.flush();
    }

    private String expect(String start) throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new IOException("closed instead of " + start);
        }
        assertTrue(line + " instead of " + start, line.startsWith(start));
        return line;
    }

    private static byte[] all(Socket s) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        InputStream in = s.getInputStream();
        byte[] buffer = new byte[4096];
        for (int n; (n = in.read(buffer)) >= 0;) {
            all.write(buffer, 0, n);
        }
        return all.toByteArray();
    }

    @Test
    public void bytesArriveAsTheyAre() throws IOException {
        say("TYPE I", "200");
        assertArrayEquals(new byte[20_000], passive("RETR b.bin"));
    }
}
