package filedrop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Which files the store has, with size and checksum; kept in a file beside them. */
public class Index {
    static final String FILE = "index.txt";
    private static final String SUFFIX = ".gz";

    /** What the index knows of one file. */
    public static final class Entry {
        final long size;
        final long checksum;

        Entry(long size, long checksum) {
            this.size = size;
            this.checksum = checksum;
        }

        static Entry of(byte[] content) {
            return new Entry(content.length, ChecksumInputStream.of(content));
        }

        public long size() {
            return size;
        }

        public long checksum() {
            return checksum;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Entry && ((Entry) o).size == size && ((Entry) o).checksum == checksum;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(checksum);
        }

        @Override
        public String toString() {
            return size + " " + Long.toHexString(checksum);
        }
    }

    private final Path folder;
    private final TreeMap<String, Entry> entries;
    private final MessageDigest digest;

    {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** An empty index. */
    public Index(Path folder) {
        this.folder = folder;
        this.entries = new TreeMap<>();
    }

    private Index(Path folder, TreeMap<String, Entry> entries) {
        this.folder = folder;
        this.entries = entries;
    }

    /** Reads the index of a folder; a damaged one is made anew from the files. */
    public static Index load(Path folder) throws IOException {
        try {
            return new Index(folder, read(folder.resolve(FILE)));
        } catch (NoSuchFileException e) {
            return new Index(folder);
        } catch (IOException e) {
            return new Index(folder, scan(folder));
        }
    }

    private static TreeMap<String, Entry> read(Path file) throws IOException {
        TreeMap<String, Entry> entries = new TreeMap<>();
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String[] fields = line.split(" ");
                if (fields.length != 3) {
                    throw new IOException(file + ": malformed line: " + line);
                }
                try {
                    entries.put(fields[0], new Entry(Long.parseLong(fields[1]), Long.parseLong(fields[2], 16)));
                } catch (NumberFormatException e) {
                    throw new IOException(file + ": " + e.getMessage(), e);
                }
            }
        }
        return entries;
    }

    private static TreeMap<String, Entry> scan(Path folder) throws IOException {
        TreeMap<String, Entry> entries = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            files.filter(f -> f.toString().endsWith(SUFFIX)).forEach(f -> {
                try (InputStream in = new GZIPInputStream(Files.newInputStream(f))) {
                    String name = f.getFileName().toString();
                    entries.put(name.substring(0, name.length() - SUFFIX.length()), Entry.of(in.readAllBytes()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return entries;
    }

    /** Writes the index, all of it or nothing. */
    public synchronized void save() throws IOException {
        Path next = folder.resolve(FILE + ".next");
        List<String> lines = new ArrayList<>();
        entries.forEach((name, entry) -> lines.add(name + " " + entry));
        Files.write(next, lines);
        try {
            Files.move(next, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(next, folder.resolve(FILE), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    public synchronized Entry get(String name) {
        return entries.get(name);
    }

    public synchronized void put(String name, Entry entry) {
        entries.put(name, entry);
    }

    public synchronized boolean remove(String name) {
        return entries.remove(name) != null;
    }

    public synchronized List<String> names() {
        return new ArrayList<>(entries.keySet());
    }

    /** A short text that changes with any change of the index. */
    public synchronized String version() {
        String all = entries.entrySet().stream().map(Object::toString).collect(Collectors.joining("\n"));
        return Base64.getEncoder().encodeToString(digest.digest(all.getBytes(StandardCharsets.UTF_8))).substring(0, 8);
    }

    Path contentFile(String name) {
        return folder.resolve(name + SUFFIX);
    }
}
