package com.guichaguri.minimalftp;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.guichaguri.minimalftp.api.IFileSystem;
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
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * Workload 2 of MinimalFTP: what its first workload leaves open, by what catchlens says of the links that it
 * does not cover. Clients that are slow, that name their host or leave it out, and that are turned away.
 */
public class Ftp2Workload {

    @Rule
    public TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public Timeout limit = Timeout.seconds(40);

    private FTPServer server;
    private Socket control;
    private BufferedReader in;
    private OutputStream out;

    private void start(String address) throws IOException {
        Files.write(folder.newFile("b.bin").toPath(), new byte[20_000]);
        server = new FTPServer(new NoOpAuthenticator(new NativeFileSystem(folder.getRoot())));
        login(address);
        expect("230");
        say("TYPE I", "200");
    }

    private void login(String address) throws IOException {
        server.setTimeout(3000);
        server.listen(InetAddress.getByName(address), 0);
        control = new Socket("127.0.0.1", server.getPort());
        control.setSoTimeout(10000);
        in = new BufferedReader(new InputStreamReader(control.getInputStream()));
        out = control.getOutputStream();
    }

    @After
    public void stop() throws IOException {
        control.close();
        server.close();
    }

    @Test
    public void aListForASlowClient() throws Exception {
        start("127.0.0.1");
        try (Socket data = late("LIST")) {
            assertTrue(all(data) > 0);
        }
        expect("226");
    }

    @Test
    public void aFileForASlowClient() throws Exception {
        start("127.0.0.1");
        try (Socket data = late("RETR b.bin")) {
            assertEquals(20_000, all(data));
        }
        expect("226");
    }

    @Test
    public void aFileOfASlowClient() throws Exception {
        start("127.0.0.1");
        try (Socket data = late("STOR new.bin")) {
            data.getOutputStream().write(new byte[5_000]);
        }
        expect("226");
        assertEquals(5_000, new File(folder.getRoot(), "new.bin").length());
    }

    @Test
    public void aListForANamedHost() throws Exception {
        start("127.0.0.1");
        active(true, "LIST");
    }

    @Test
    public void aFileForANamedHost() throws Exception {
        start("127.0.0.1");
        active(true, "RETR b.bin");
    }

    @Test
    public void aFileOfANamedHost() throws Exception {
        start("127.0.0.1");
        active(true, "STOR new.bin");
    }

    @Test
    public void aListForThisHost() throws Exception {
        start("127.0.0.1");
        active(false, "LIST");
    }

    @Test
    public void aFileForThisHost() throws Exception {
        start("127.0.0.1");
        active(false, "RETR b.bin");
    }

    @Test
    public void aFileOfThisHost() throws Exception {
        start("127.0.0.1");
        active(false, "STOR new.bin");
    }

    @Test
    public void aServerOnAllAddresses() throws Exception {
        start("0.0.0.0");
        say("PASV", "227");
    }

    @Test
    public void theMachineIsNamed() throws Exception {
        start("127.0.0.1");
        say("REIN", "2");
        say("HOST " + InetAddress.getLocalHost().getHostName(), "220");
    }

    /** Who decides takes its time, as a data base does. */
    @Test
    public void nobodyIsLetIn() throws Exception {
        server = new FTPServer(new NoOpAuthenticator(null) {
            @Override
            public IFileSystem authenticate(FTPConnection con, InetAddress address, String username, String password) {
                try {
                    Thread.sleep(100);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                throw new AuthException();
            }
        });
        login("127.0.0.1");
        expect("421");
        assertEquals(-1, in.read());
    }

    /** A passive transfer whose client connects after the server waits for it. */
    private Socket late(String command) throws Exception {
        send("PASV");
        String[] n = expect("227").replaceAll(".*\\(|\\).*", "").split(",");
        send(command);
        expect("150");
        Thread.sleep(100);
        Socket s = new Socket("127.0.0.1", Integer.parseInt(n[4].trim()) * 256 + Integer.parseInt(n[5].trim()));
        s.setSoTimeout(10000);
        return s;
    }

    /** An active transfer to a port of this machine, by its name or by the address that stands for every machine itself. */
    private void active(boolean name, String command) throws IOException {
        try (ServerSocket waiting = new ServerSocket(0)) {
            waiting.setSoTimeout(10000);
            int port = waiting.getLocalPort();
            if (name) {
                say("EPRT |1|" + InetAddress.getLocalHost().getHostName() + "|" + port + "|", "200");
            } else {
                say("PORT 0,0,0,0," + port / 256 + "," + port % 256, "200");
            }
            send(command);
            expect("150");
            try (Socket data = waiting.accept()) {
                if (command.startsWith("STOR")) {
                    data.getOutputStream().write(new byte[5_000]);
                } else {
                    assertTrue(all(data) > 0);
                }
            }
            expect("226");
        }
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

    private static int all(Socket s) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        InputStream in = s.getInputStream();
        byte[] buffer = new byte[4096];
        for (int n; (n = in.read(buffer)) >= 0;) {
            all.write(buffer, 0, n);
        }
        return all.size();
    }
}
