package served;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A program as it is delivered, in a jar: what it reads of its own it reads there. */
public final class Packaged {
    private Packaged() {
    }

    /** Makes a jar of the folder that a class comes from, and one more file. */
    public static Path jar(Path jar, Class<?> of, String name, byte[] content) throws IOException, URISyntaxException {
        Path classes = Paths.get(of.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<Path> files;
        try (Stream<Path> all = Files.walk(classes)) {
            files = all.filter(f -> Files.isRegularFile(f) && !f.endsWith(name)).collect(Collectors.toList());
        }
        try (OutputStream out = Files.newOutputStream(jar); ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Path f : files) {
                zip.putNextEntry(new ZipEntry(classes.relativize(f).toString()));
                zip.write(Files.readAllBytes(f));
            }
            zip.putNextEntry(new ZipEntry(name));
            zip.write(content);
        }
        return jar;
    }

    /** A loader of the classes in it, which knows none of the tests'. */
    public static URLClassLoader loader(Path jar) throws IOException {
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getSystemClassLoader().getParent());
    }
}
