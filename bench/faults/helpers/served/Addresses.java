package served;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Does something with the same file at addresses of each kind. */
public final class Addresses {
    private Addresses() {
    }

    /** What is done with the file at an address or of a name. */
    public interface Use {
        void of(String location) throws Exception;
    }

    /** In a folder and in a jar, and by HTTP and FTP from a host that is named, and from this one. */
    public static void each(Path folder, byte[] content, Use use) throws Exception {
        Path file = Files.write(folder.resolve("file"), content);
        use.of(file.toString());
        use.of(file.toUri().toString());
        use.of("jar:" + jar(folder.resolve("file.jar"), content).toUri() + "!/file");
        String name = InetAddress.getLocalHost().getHostName();
        for (Served.How how : Served.How.values()) {
            try (Served s = new Served(how, content)) {
                use.of(s.at(how == Served.How.WHOLE ? "0.0.0.0" : how == Served.How.PARTS ? name : "127.0.0.1"));
            }
        }
    }

    private static Path jar(Path jar, byte[] content) throws IOException {
        try (OutputStream out = Files.newOutputStream(jar); ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry("file"));
            zip.write(content);
        }
        return jar;
    }
}
