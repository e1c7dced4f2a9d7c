package fig4jdk;

import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;

/**
 * Figure 4 of paper 000 on the real library. CHA and RTA know of BufferedInputStream.fill only that
 * its field holds some InputStream: each catch gets the reads of both, and of every other stream
 * that the program may create.
 */
public class TransferJdk {
    static int c;
    static int failures;

    static void readFile(String s) {
        byte[] buffer = new byte[256];
        try {
            InputStream f = new FileInputStream(s);
            InputStream in = new BufferedInputStream(f);
            for (int i = 0; i < 4; i++) {
                c = in.read(buffer);
            }
            // the first two can happen, the other two are spurious
        } catch (IOException e) { //@ includes("java/io/FileInputStream.open0", "java/io/FileInputStream.readBytes", "sun/nio/ch/SocketDispatcher.read0", "sun/nio/ch/NioSocketImpl.implRead") handlers(1)
            failures++;
        }
    }

    static void readNet(Socket s) {
        byte[] buffer = new byte[256];
        try {
            InputStream n = s.getInputStream();
            InputStream in = new BufferedInputStream(n);
            for (int i = 0; i < 4; i++) {
                c = in.read(buffer);
            }
            // readBytes is spurious
        } catch (IOException e) { //@ includes("java/net/Socket.getInputStream", "sun/nio/ch/SocketDispatcher.read0", "sun/nio/ch/NioSocketImpl.implRead", "java/io/FileInputStream.readBytes") handlers(1)
            failures++;
        }
    }

    public static void main(String[] args) throws IOException {
        readFile(args[0]);
        try (Socket socket = new Socket(args[1], Integer.parseInt(args[2]))) {
            readNet(socket);
        }
    }
}
