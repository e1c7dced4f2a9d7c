package p;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import catchlens.fault.Fault;
import catchlens.fault.FaultType;
import catchlens.fault.Faults;
import catchlens.fault.Injection;
import catchlens.fault.Interval;
import catchlens.fault.Parameter;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;

class JournalTest {
    private final Journal journal = new Journal("journal.log");

    @Test //@ pass; without: skipped
    @Fault(kind = FaultType.DISK_FULL, path = "journal.log")
    void saysWhenTheDiskIsFull() {
        assertFalse(journal.append("entry"));
    }

    @Test //@ pass; without: pass
    void worksOtherwise() {
        assertTrue(journal.append("entry")); // the fault above has ended
    }

    @Test //@ fail: never struck; without: skipped
    @Fault(kind = FaultType.DISK_READ, path = "journal.log")
    void isAboutAnotherFault() {
        assertTrue(journal.append("entry"));
    }

    @Test //@ fail: the test's own failure; without: skipped
    @Fault(kind = FaultType.DISK_FULL, path = "elsewhere.log")
    void failsByItself() {
        assertFalse(journal.append("entry"), "by itself");
    }

    @Test //@ pass; without: skipped
    @Fault(kind = FaultType.DISK_FULL, path = "elsewhere.log", mustStrike = false)
    void needNotStrike() {
        assertTrue(journal.append("entry"));
    }

    @Test //@ pass; without: skipped
    void recovers() {
        Injection full = Faults.inject(FaultType.DISK_FULL, Interval.untilCancelled(), Parameter.path("journal.log"), Parameter.skip(1));
        assertTrue(journal.append("first"));
        assertFalse(journal.append("second"));
        assertFalse(journal.append("third"));
        assertTrue(full.cancel());
        assertEquals(2, full.fired());
        assertEquals("write " + new File("journal.log").getAbsolutePath() + ": no space left on device", full.operations().get(0));
        assertTrue(journal.append("fourth"));
    }

    @Test //@ pass; without: skipped
    void everythingBelowAFolder() throws IOException {
        assertTrue(new File("folder").mkdirs());
        try (Injection i = Faults.inject(FaultType.PERMISSION, Interval.seconds(60), Parameter.path("folder/"), Parameter.thisThread())) {
            assertFalse(new Journal("folder/a").append("entry"));
            assertTrue(new Journal("b").append("entry"));
            assertTrue(i.cancel());
        }
    }

    @Test //@ pass; without: skipped
    void peers() throws Exception {
        try (ServerSocket server = new ServerSocket(0); Socket s = new Socket("localhost", server.getLocalPort())) {
            Socket accepted = server.accept();
            accepted.getOutputStream().write('x');
            s.setSoTimeout(50);
            try (Injection i = Faults.inject(FaultType.READ_TIMED_OUT, Interval.untilCancelled(), Parameter.peer("localhost:" + server.getLocalPort()))) {
                assertThrows(SocketTimeoutException.class, () -> s.getInputStream().read());
            }
            assertEquals('x', s.getInputStream().read()); // the byte was there all the time
            accepted.close();
        }
    }

    @Test //@ fail: IllegalArgumentException; without: skipped
    void needsATarget() {
        Faults.inject(FaultType.DISK_FULL, Interval.untilCancelled());
    }
}
