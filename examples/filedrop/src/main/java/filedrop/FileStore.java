package filedrop;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Keeps files compressed in a folder, with an index and a cache. */
public class FileStore {
    private final Path folder;
    private final Index index;
    private final ContentCache cache;
    private final Retry retry;

    public FileStore(Path folder, ContentCache cache, Retry retry) throws StoreException {
        this.folder = folder;
        this.cache = cache;
        this.retry = retry;
        try {
            Files.createDirectories(folder);
            this.index = Index.load(folder);
        } catch (IOException e) {
            throw new StoreException("cannot open " + folder, e);
        }
    }

    public List<String> list() {
        return index.names();
    }

    public String version() {
        return index.version();
    }

    public Index.Entry stat(String name) {
        return index.get(name);
    }

    /** Stores what the stream has, or leaves everything as it was. */
    public Index.Entry write(String name, InputStream content) throws StoreException {
        Path part = null;
        try {
            part = Files.createTempFile(folder, name, ".part");
            Index.Entry entry = compress(content, part);
            Files.move(part, index.contentFile(name), StandardCopyOption.REPLACE_EXISTING);
            index.put(name, entry);
            index.save();
            cache.remove(name);
            return entry;
        } catch (IOException e) {
            discard(part);
            throw new StoreException("cannot store " + name, e);
        }
    }

    private static Index.Entry compress(InputStream content, Path file) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            byte[] bytes = content.readAllBytes();
            out.write(bytes);
            return Index.Entry.of(bytes);
        }
    }

    private static void discard(Path part) {
        try {
            Files.deleteIfExists(part);
        } catch (IOException e) {
            part.toFile().deleteOnExit();
        }
    }

    /** The content of a file, from the cache where that has it. */
    public byte[] read(String name) throws StoreException {
        try {
            return cache.get(name);
        } catch (CacheMissException e) {
            byte[] content = readFile(name);
            cache.put(name, content);
            return content;
        }
    }

    private byte[] readFile(String name) throws StoreException {
        Index.Entry entry = index.get(name);
        if (entry == null) {
            throw new StoreException("no such file: " + name, null);
        }
        try {
            return retry.call(() -> decompress(name, entry));
        } catch (IOException e) {
            throw new StoreException("cannot read " + name, e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private byte[] decompress(String name, Index.Entry entry) throws IOException {
        try (InputStream in = new ChecksumInputStream(
                new GZIPInputStream(new BufferedInputStream(Files.newInputStream(index.contentFile(name)))),
                entry.checksum())) {
            return in.readAllBytes();
        }
    }

    /** Removes a file; false when there was none. */
    public boolean delete(String name) throws StoreException {
        cache.remove(name);
        boolean known = index.remove(name);
        try {
            Files.delete(index.contentFile(name));
        } catch (NoSuchFileException e) {
            known = false;
        } catch (IOException e) {
            throw new StoreException("cannot delete " + name, e);
        } finally {
            try {
                index.save();
            } catch (IOException e) {
                // the next change writes it
            }
        }
        return known;
    }
}
