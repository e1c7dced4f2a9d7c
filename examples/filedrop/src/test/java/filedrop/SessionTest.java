package filedrop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private FileStore store;
    private AuditLog audit;
    private boolean closed;

    @BeforeEach
    void open() throws StoreException {
        store = new FileStore(folder, new ContentCache(4), new Retry(2, Duration.ofMillis(1)));
        audit = new AuditLog(folder.resolve("audit.log"), Clock.systemUTC());
    }

    private List<String> run(InputStream in, Closeable connection) throws IOException {
        new Session(new Wire(in, out, connection), store, audit).run();
        return out.toString().lines().collect(Collectors.toList());
    }

    private List<String> run(String input) throws IOException {
        return run(new ByteArrayInputStream(input.getBytes()), () -> closed = true);
    }

    private List<String> actions() {
        return audit.tail(100).stream().map(line -> line.split(" ", 2)[1]).collect(Collectors.toList());
    }

    @Test
    void putAndGet() throws IOException {
        long checksum = ChecksumInputStream.of("hello\n".getBytes());
        String sum = Long.toHexString(checksum);
        assertEquals(List.of("OK 6 " + sum, "OK 6 " + sum, "hello", "OK bye"),
                run("PUT a 6 " + sum + "\nhello\nGET a\nQUIT\n"));
        assertEquals(List.of("put a", "get a", "end 3 requests"), actions());
    }

    @Test
    void closesTheConnection() throws IOException {
        run("QUIT\n");
        assertTrue(closed);
    }

    @Test
    void refusesADamagedUpload() throws IOException {
        assertTrue(run("PUT a 6 1\nhello\nQUIT\n").get(0).startsWith("ERR "));
        assertTrue(store.list().isEmpty());
    }

    @Test
    void saysWhatIsMissing() throws IOException {
        assertTrue(run("GET a\n").get(0).startsWith("ERR "));
    }

    @Test
    void rejectsWhatIsNoRequest() throws IOException {
        assertTrue(run("HELLO\n").get(0).startsWith("ERR "));
        assertEquals("rejected HELLO", actions().get(0));
    }

    @Test
    void endsAtAnEndlessLine() throws IOException {
        List<String> answers = run("x".repeat(2000) + "\nLIST\n");
        assertEquals(1, answers.size());
        assertTrue(answers.get(0).startsWith("ERR "));
    }

    @Test
    void endsWhenTheClientIsIdle() throws IOException {
        InputStream idle = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new SocketTimeoutException("Read timed out");
            }
        };
        run(new SequenceInputStream(new ByteArrayInputStream("LIST\n".getBytes()), idle), () -> closed = true);
        assertEquals(List.of("timeout after LIST", "end 1 requests"), actions());
    }

    @Test
    void recordsWhatCannotBeClosed() throws IOException {
        run(new ByteArrayInputStream(new byte[0]), () -> {
            throw new IOException("broken pipe");
        });
        assertEquals("end 0 requests", actions().get(0));
        assertTrue(actions().get(1).startsWith("close java.io.IOException"));
    }
}
