package transfer;

import java.io.IOException;
import streams.BufferedInputStream;
import streams.FileIn;
import streams.InputStream;
import streams.Socket;

/**
 * Figure 4 of paper 000. Each try can meet one fault only: the disk's in readFile, the network's in
 * readNet. Both reads run through the one call in BufferedInputStream.fill, where any call graph
 * without context merges them (Figure 5), so that two of the four links are spurious. Constructors by
 * call site tell the two BufferedInputStreams apart, and with that DataReach discards those two.
 */
public class Transfer {
    static int c;
    static int failures;

    static void readFile(String s) {
        byte[] buffer = new byte[256];
        try {
            InputStream f = new FileIn(s);
            InputStream in = new BufferedInputStream(f);
            for (int i = 0; i < 4; i++) {
                c = in.read(buffer);
            }
            // SocketIn.read0 is the spurious one
            //@ links[inpta-dr+]("streams/FileIn.read0") linkcount[inpta-dr+](1)
        } catch (IOException e) { //@ links("streams/FileIn.read0", "streams/SocketIn.read0") linkcount(2) arrives("java.io.IOException") handlers(1)
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
            // FileIn.read0 is the spurious one
            //@ links[inpta-dr+]("streams/SocketIn.read0") linkcount[inpta-dr+](1)
        } catch (IOException e) { //@ links("streams/FileIn.read0", "streams/SocketIn.read0") linkcount(2) arrives("java.io.IOException") handlers(1)
            failures++;
        }
    }

    public static void main(String[] args) {
        readFile(args[0]);
        readNet(new Socket());
    }
}
