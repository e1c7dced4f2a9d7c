package filedrop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
    @TempDir
    Path folder;

    private final Clock clock = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);

    @Test
    void keepsTheOrder() {
        AuditLog log = new AuditLog(folder.resolve("audit.log"), clock);
        log.record("put", "a");
        log.record("get", "a");
        log.record("get", "b");
        assertEquals(List.of("1970-01-01T00:00:00Z get a", "1970-01-01T00:00:00Z get b"), log.tail(2));
        assertEquals(0, log.lost());
    }

    @Test
    void countsWhatIsLost() {
        AuditLog log = new AuditLog(folder.resolve("no/such/folder/audit.log"), clock);
        log.record("put", "a");
        assertEquals(1, log.lost());
    }
}
