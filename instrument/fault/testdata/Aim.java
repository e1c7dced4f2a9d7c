import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Writes three bytes each to some files and connections; one of the writes may fail. */
public class Aim {
    private static void attempt(String what, OutputStream out, int b) {
        try {
            out.write(b);
        } catch (IOException e) {
            System.out.println("GOT " + what + " " + (char) b + ": " + e.getMessage());
        }
    }

    public static void testWrites() throws IOException {
        List<String> names = new ArrayList<>();
        List<OutputStream> outs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            names.add("file" + i);
            outs.add(new FileOutputStream("file" + i));
        }
        List<Socket> sockets = new ArrayList<>();
        for (String port : System.getProperty("ports").split(",")) {
            Socket s = new Socket(InetAddress.getByName("127.0.0.1"), Integer.parseInt(port));
            sockets.add(s);
            names.add(port);
            outs.add(s.getOutputStream());
        }
        for (int b = 'a'; b <= 'c'; b++) {
            for (int i = 0; i < outs.size(); i++) {
                attempt(names.get(i), outs.get(i), b);
            }
        }
        for (OutputStream out : outs) {
            out.close();
        }
    }
}
