package filedrop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexTest {
    @TempDir
    Path folder;

    private final byte[] content = "one two three".getBytes();

    @BeforeEach
    void storeFile() throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve("a.txt.gz")))) {
            out.write(content);
        }
    }

    private void damage(String line) throws IOException {
        Files.writeString(folder.resolve(Index.FILE), line + "\n");
    }

    @Test
    void readsWhatItWrote() throws IOException {
        Index index = new Index(folder);
        index.put("a.txt", Index.Entry.of(content));
        index.save();
        Index again = Index.load(folder);
        assertEquals(List.of("a.txt"), again.names());
        assertEquals(Index.Entry.of(content), again.get("a.txt"));
    }

    @Test
    void isEmptyAtFirst(@TempDir Path fresh) throws IOException {
        assertTrue(Index.load(fresh).names().isEmpty());
    }

    @Test
    void isMadeAnewWhenCutShort() throws IOException {
        damage("a.txt 13");
        assertEquals(Index.Entry.of(content), Index.load(folder).get("a.txt"));
    }

    @Test
    void isMadeAnewWhenNumbersAreNone() throws IOException {
        damage("a.txt 13 checksum");
        assertEquals(Index.Entry.of(content), Index.load(folder).get("a.txt"));
    }

    @Test
    void cannotBeMadeAnewFromDamagedFiles() throws IOException {
        damage("a.txt");
        Files.writeString(folder.resolve("a.txt.gz"), "not compressed");
        assertThrows(IOException.class, () -> Index.load(folder));
    }

    @Test
    void versionChangesWithTheContent() {
        Index index = new Index(folder);
        String empty = index.version();
        index.put("a.txt", Index.Entry.of(content));
        String full = index.version();
        assertNotEquals(empty, full);
        assertTrue(index.remove("a.txt"));
        assertEquals(empty, index.version());
    }
}
