package pointsto;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** One method makes all channels of files. Only those of streams close a stream, and with it the file. */
class Channels {
    static int run() throws IOException {
        Path file = Files.createTempFile("channels", null);
        int caught = 0;
        FileChannel in = new FileInputStream(file.toFile()).getChannel();
        try {
            in.close();
        } catch (IOException e) {
            caught++;
        }
        OutputStream out = Files.newOutputStream(file);
        try {
            out.close();
        } catch (IOException e) { //@ excludes[obj-dr]("java/io/FileDescriptor.close0")
            caught++;
        }
        Files.delete(file);
        return caught;
    }
}
