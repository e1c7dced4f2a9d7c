package shop;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.ServerSocket;
import java.net.Socket;

/** Reads a file on two ways, of which the first throws anew; and takes a connection, which the JDK closes if it fails. */
public class Device {
    public int read(String file) {
        try (RandomAccessFile in = new RandomAccessFile(file, "r")) {
            return header(in) + in.read();
        } catch (IOException e) {
            return -1;
        }
    }

    private int header(RandomAccessFile in) throws IOException {
        try {
            return in.read();
        } catch (IOException e) {
            throw new IOException("no header");
        }
    }

    public boolean accept(ServerSocket server) throws IOException {
        Socket s;
        try {
            s = server.accept();
        } catch (IOException e) {
            return false;
        }
        s.close();
        return true;
    }
}
