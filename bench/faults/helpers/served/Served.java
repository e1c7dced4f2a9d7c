package served;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** One file at an address: a server by HTTP or FTP that gives it to whoever asks, as small as tests need it. */
public final class Served implements AutoCloseable {
    /** How the file is given. */
    public enum How {
        /** HTTP, the answer says how long it is. */
        WHOLE,
        /** HTTP, in two parts, up to the end of the connection. */
        PARTS,
        /** HTTP, in chunks. */
        CHUNKS,
        /** FTP, the client fetches it from a port of the server. */
        PASSIVE,
        /** FTP, the server brings it to a port of the client, after a while. */
        ACTIVE
    }

    private final ServerSocket listener = new ServerSocket(0);
    private final How how;
    private final byte[] content;

    public Served(How how, byte[] content) throws IOException {
        this.how = how;
        this.content = content;
        Thread t = new Thread(this::serve, "served");
        t.setDaemon(true);
        t.start();
    }

    /** The file's address at a name or number of this machine. */
    public String at(String host) {
        return (how == How.PASSIVE || how == How.ACTIVE ? "ftp://" : "http://") + host + ":" + listener.getLocalPort() + "/folder/file";
    }

    private void serve() {
        while (!listener.isClosed()) {
            try (Socket s = listener.accept()) {
                s.setSoTimeout(3000);
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.ISO_8859_1));
                if (how == How.PASSIVE || how == How.ACTIVE) {
                    ftp(in, s.getOutputStream());
                } else {
                    http(in, s.getOutputStream());
                }
            } catch (IOException | InterruptedException e) {
                // whoever asks sees it
            }
        }
    }

    private void http(BufferedReader in, OutputStream out) throws IOException, InterruptedException {
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            // the one file is meant
        }
        int half = content.length / 2;
        byte[] first = Arrays.copyOf(content, half), second = Arrays.copyOfRange(content, half, content.length);
        String length = how == How.WHOLE ? "Content-Length: " + content.length + "\r\n" : how == How.CHUNKS ? "Transfer-Encoding: chunked\r\n" : "";
        say(out, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n" + length + "\r");
        for (byte[] part : Arrays.asList(first, second)) {
            if (how == How.CHUNKS) {
                say(out, Integer.toHexString(part.length) + "\r");
            }
            out.write(part);
            if (how == How.CHUNKS) {
                say(out, "\r");
            }
            if (how != How.WHOLE) {
                Thread.sleep(30);
            }
        }
        if (how == How.CHUNKS) {
            say(out, "0\r\n\r");
        }
    }

    private void ftp(BufferedReader in, OutputStream out) throws IOException, InterruptedException {
        say(out, "220 ready\r");
        ServerSocket passive = null;
        String host = null;
        int port = 0;
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String command = line.split(" ")[0].toUpperCase();
                if (command.equals("USER")) {
                    say(out, "331 password\r");
                } else if (command.equals("PASS")) {
                    say(out, "230 welcome\r");
                } else if (command.equals("EPSV") && how == How.PASSIVE && !line.contains("ALL")) {
                    passive = new ServerSocket(0);
                    passive.setSoTimeout(3000);
                    say(out, "229 passive (|||" + passive.getLocalPort() + "|)\r");
                } else if (command.equals("EPRT") && how == How.ACTIVE) {
                    String[] parts = line.substring(5).split("\\|");
                    host = parts[2];
                    port = Integer.parseInt(parts[3]);
                    say(out, "200 active\r");
                } else if (command.equals("RETR")) {
                    say(out, "150 here it comes\r");
                    if (passive == null) {
                        Thread.sleep(100);
                    }
                    try (Socket data = passive == null ? new Socket(host, port) : passive.accept()) {
                        data.getOutputStream().write(content);
                    }
                    say(out, "226 done\r");
                } else if (command.equals("EPSV") && how == How.ACTIVE || command.equals("PASV") || command.equals("SIZE")) {
                    say(out, "502 not here\r");
                } else if (command.equals("QUIT")) {
                    say(out, "221 bye\r");
                    return;
                } else {
                    say(out, "200 well\r");
                }
            }
        } finally {
            if (passive != null) {
                passive.close();
            }
        }
    }

    private static void say(OutputStream out, String line) throws IOException {
        out.write((line + "\n").getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
