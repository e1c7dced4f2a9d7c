package filedrop;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** One line for each thing that a client did. */
public class AuditLog {
    private final Path file;
    private final Clock clock;
    private int lost;

    public AuditLog(Path file, Clock clock) {
        this.file = file;
        this.clock = clock;
    }

    /** Adds a line. A log that cannot be written stops nobody's work; what is lost is counted. */
    public synchronized void record(String action, String subject) {
        String line = clock.instant() + " " + action + " " + subject + "\n";
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
            flush(channel);
        } catch (IOException e) {
            lost++;
        }
    }

    private static void flush(FileChannel channel) {
        try {
            channel.force(false);
        } catch (IOException e) {
            // some file systems cannot; the line is written all the same
        }
    }

    /** How many lines could not be written. */
    public synchronized int lost() {
        return lost;
    }

    /** The newest lines, oldest first. */
    public synchronized List<String> tail(int lines) {
        List<String> all = new ArrayList<>();
        if (!Files.exists(file)) {
            return all;
        }
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                all.add(line);
            }
        } catch (IOException e) {
            return List.of();
        }
        return all.subList(Math.max(0, all.size() - lines), all.size());
    }
}
