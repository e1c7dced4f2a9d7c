package p;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import catchlens.fault.Fault;
import catchlens.fault.FaultRule;
import catchlens.fault.FaultType;
import catchlens.fault.Faults;
import catchlens.fault.Injection;
import catchlens.fault.Interval;
import catchlens.fault.Parameter;
import org.junit.Rule;
import org.junit.Test;

public class Journal4Test {
    @Rule public FaultRule faults = new FaultRule();

    private final Journal journal = new Journal("journal.log");

    @Test //@ pass; without: skipped
    @Fault(kind = FaultType.QUOTA, path = "journal.log")
    public void saysWhenTheQuotaIsUsedUp() {
        assertFalse(journal.append("entry"));
    }

    @Test //@ pass; without: pass
    public void worksOtherwise() {
        assertTrue(journal.append("entry"));
    }

    @Test //@ fail: never struck; without: skipped
    @Fault(kind = FaultType.DISK_READ, path = "journal.log")
    public void isAboutAnotherFault() {
        assertTrue(journal.append("entry"));
    }

    @Test //@ pass; without: skipped
    public void recovers() {
        try (Injection i = Faults.inject(FaultType.DISK_WRITE, Interval.untilCancelled(), Parameter.path("journal.log"), Parameter.times(1))) {
            assertFalse(journal.append("first"));
            assertTrue(journal.append("second"));
        }
    }
}
