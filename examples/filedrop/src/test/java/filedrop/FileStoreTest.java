package filedrop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStoreTest {
    @TempDir
    Path folder;

    private final byte[] content = "some content".getBytes();
    private FileStore store;

    @BeforeEach
    void open() throws StoreException {
        store = open(folder.resolve("store"));
    }

    private static FileStore open(Path folder) throws StoreException {
        return new FileStore(folder, new ContentCache(4), new Retry(3, Duration.ofMillis(1)));
    }

    private static InputStream stream(byte[] content) {
        return new ByteArrayInputStream(content);
    }

    private Path stored(String name) {
        return folder.resolve("store").resolve(name + ".gz");
    }

    @Test
    void returnsWhatWasStored() throws Exception {
        assertEquals(content.length, store.write("a", stream(content)).size());
        assertArrayEquals(content, store.read("a"));
        assertArrayEquals(content, store.read("a"));
    }

    @Test
    void replaces() throws Exception {
        store.write("a", stream(content));
        store.read("a");
        store.write("a", stream(new byte[] {7}));
        assertArrayEquals(new byte[] {7}, store.read("a"));
    }

    @Test
    void lists() throws Exception {
        store.write("b", stream(content));
        store.write("a", stream(content));
        assertEquals(List.of("a", "b"), store.list());
        assertEquals(ChecksumInputStream.of(content), store.stat("b").checksum());
    }

    @Test
    void leavesNothingOfAnUploadThatFails() throws Exception {
        byte[] damaged = content.clone();
        damaged[0]++;
        InputStream upload = new ChecksumInputStream(stream(damaged), ChecksumInputStream.of(content));
        StoreException e = assertThrows(StoreException.class, () -> store.write("a", upload));
        assertEquals(ChecksumException.class, e.getCause().getClass());
        assertNull(store.stat("a"));
    }

    @Test
    void leavesNoPartWhenTheFileCannotBeReplaced() throws Exception {
        Files.createDirectories(stored("a").resolve("occupied"));
        assertThrows(StoreException.class, () -> store.write("a", stream(content)));
        try (Stream<Path> files = Files.list(folder.resolve("store"))) {
            assertFalse(files.anyMatch(f -> f.toString().endsWith(".part")));
        }
    }

    @Test
    void refusesToReturnDamagedContent() throws Exception {
        store.write("a", stream(content));
        Files.write(stored("a"), new byte[] {1, 2, 3, 4});
        assertThrows(StoreException.class, () -> store.read("a"));
    }

    @Test
    void knowsNoOtherFile() {
        assertThrows(StoreException.class, () -> store.read("a"));
    }

    @Test
    void deletes() throws Exception {
        store.write("a", stream(content));
        assertTrue(store.delete("a"));
        assertThrows(StoreException.class, () -> store.read("a"));
    }

    @Test
    void deletesOnlyWhatIsThere() throws Exception {
        assertFalse(store.delete("a"));
    }

    @Test
    void saysWhatCannotBeDeleted() throws Exception {
        Files.createDirectories(stored("a").resolve("occupied"));
        StoreException e = assertThrows(StoreException.class, () -> store.delete("a"));
        assertEquals("cannot delete a", e.getMessage());
    }
}
