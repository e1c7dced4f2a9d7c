package impossible;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Where all paths are of the default file system, no file goes from one file system to another. */
public class Moves {
    static boolean moved(Path from, Path to) {
        try {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
            return true;
        } catch (IOException e) { //@ includes("sun.nio.fs.UnixException.rethrowAsIOException","sun.nio.fs.UnixCopyFile.move") excludes[obj-dr]("java.nio.file.CopyMoveHelper.copyToForeignTarget") includes[pta]("java.nio.file.CopyMoveHelper.copyToForeignTarget")
            return false;
        }
    }

    static boolean copied(Path from, Path to) {
        try {
            Files.copy(from, to);
            return true;
        } catch (IOException e) { //@ includes("sun.nio.fs.UnixException.rethrowAsIOException") excludes[obj-dr]("java.nio.file.CopyMoveHelper.copyToForeignTarget")
            return false;
        }
    }

    public static void main(String[] args) {
        System.out.println(moved(Path.of(args[0]), Path.of(args[1])) + " " + copied(Path.of(args[1]), Path.of(args[0])));
    }
}
