package p;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** What is tested: a journal that says whether it could keep an entry. */
class Journal {
    private final String file;

    Journal(String file) {
        this.file = file;
    }

    boolean append(String entry) {
        try (OutputStream out = new FileOutputStream(file, true)) {
            out.write(entry.getBytes());
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
