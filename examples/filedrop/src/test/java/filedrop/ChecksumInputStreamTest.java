package filedrop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

class ChecksumInputStreamTest {
    private final byte[] content = "filedrop".getBytes();

    private InputStream open(long expected) {
        return new ChecksumInputStream(new ByteArrayInputStream(content), expected);
    }

    @Test
    void acceptsWhatIsIntact() throws IOException {
        try (InputStream in = open(ChecksumInputStream.of(content))) {
            assertArrayEquals(content, in.readAllBytes());
        }
    }

    @Test
    void acceptsWhatIsIntactByteByByte() throws IOException {
        try (InputStream in = open(ChecksumInputStream.of(content))) {
            int n = 0;
            while (in.read() >= 0) {
                n++;
            }
            assertEquals(content.length, n);
        }
    }

    @Test
    void refusesWhatIsDamaged() throws IOException {
        try (InputStream in = open(ChecksumInputStream.of(content) + 1)) {
            assertThrows(ChecksumException.class, in::readAllBytes);
            assertEquals(-1, in.read(), "reported once");
        }
    }
}
