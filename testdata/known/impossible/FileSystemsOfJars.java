package impossible;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a program has a path of a jar, a file may go from one file system to another. */
public class FileSystemsOfJars {
    static boolean moved(Path from, Path to) {
        try {
            Files.move(from, to);
            return true;
        } catch (IOException e) { //@ includes("sun.nio.fs.UnixException.rethrowAsIOException","java.nio.file.CopyMoveHelper.copyToForeignTarget")
            return false;
        }
    }

    public static void main(String[] args) throws IOException {
        try (FileSystem jar = FileSystems.newFileSystem(Path.of(args[0]))) {
            System.out.println(moved(jar.getPath("a"), Path.of(args[1])));
        }
    }
}
