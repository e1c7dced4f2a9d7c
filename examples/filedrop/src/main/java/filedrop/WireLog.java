package filedrop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes down every line of the protocol, in builds made for finding errors in it. */
final class WireLog {
    private static final boolean ENABLED = false;

    private WireLog() {
    }

    static void line(String direction, String text) {
        try {
            if (ENABLED) {
                byte[] line = (direction + " " + text + "\n").getBytes(StandardCharsets.UTF_8);
                Files.write(Path.of("wire.log"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
        } catch (IOException e) {
            throw new IllegalStateException("a wire log was wanted", e);
        }
    }
}
