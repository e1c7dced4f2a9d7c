package served;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Connections whose other end says something and no more, and takes nothing. */
public final class Busy {
    private Busy() {
    }

    /** One that nobody else uses here. */
    public static Socket connection(byte[] content) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Socket here = new Socket("127.0.0.1", listener.getLocalPort());
            Socket there = listener.accept();
            there.getOutputStream().write(content);
            there.shutdownOutput();
            return here;
        }
    }

    /** One that another thread writes to, and waits until it is taken. */
    public static Socket written(byte[] content) throws IOException, InterruptedException {
        Socket s = connection(content);
        OutputStream out = s.getOutputStream();
        Thread t = new Thread(() -> {
            try {
                while (true) {
                    out.write(new byte[1 << 16]);
                }
            } catch (IOException closed) {
                return;
            }
        }, "writer");
        t.setDaemon(true);
        t.start();
        Thread.sleep(150);
        return s;
    }
}
