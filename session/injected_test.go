package session

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/record"
)

const injectingTest = `package app;

import static org.junit.jupiter.api.Assertions.*;
import catchlens.fault.*;
import org.junit.jupiter.api.Test;

class JournalTest {
	@Test @Fault(kind = FaultType.DISK_FULL, path = "/tmp/x") void annotated() { assertFalse(new Journal(new java.io.File("/tmp/x")).append("x")); }
	@Test void injects() {
		try (Injection i = full()) { assertFalse(new Journal(new java.io.File("/tmp/x")).append("x")); }
	}
	static Injection full() { return Faults.inject(FaultType.QUOTA, Interval.untilCancelled(), Parameter.path("/tmp/x")); }
	@Test void bare() { assertFalse(new Journal(new java.io.File("/nowhere/x")).append("x")); }
	@Test void another() {
		try (Injection i = Faults.inject(FaultType.SYNC, Interval.untilCancelled(), Parameter.path("/tmp/x"))) { assertFalse(new Journal(new java.io.File("/tmp/x")).append("x")); }
	}
}
`

// What a test made happen by a fault that it injects, by annotation, by call or by a helper, counts
// as the fault's; what came by itself, or with a fault that does not strike there, does not.
func TestOwnFaults(t *testing.T) {
	for name, x := range map[string]struct {
		methods []string
		by      string
		seen    string
	}{
		"annotated": {[]string{"annotated()V"}, "fault", "disk-full"},
		"by helper": {[]string{"full()Lcatchlens/fault/Injection;", "injects()V"}, "fault", "quota"},
		"by itself": {[]string{"bare()V"}, "baseline", ""},
		"another":   {[]string{"another()V"}, "baseline", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := openJournalWith(t, injectingTest)
			v := s.View()
			c, module := v.Snap.Catches[0], v.Snap.Workspace.Modules[0].Name
			var ran []record.MethodID
			for _, m := range x.methods {
				d, ok := v.Snap.MethodDigest(snapshot.MethodRef{Class: "app/JournalTest", Method: m})
				if !ok {
					t.Fatalf("no method %s", m)
				}
				ran = append(ran, s.store.Intern(record.MethodKey{Class: "app/JournalTest", Method: m, Digest: d}))
			}
			slices.Sort(ran)
			site := record.SiteRef{Class: "java/io/FileOutputStream", Method: "writeBytes", Desc: "([BIIZ)V",
				Kind: "native"}
			name, _, _ := strings.Cut(x.methods[len(x.methods)-1], "(")
			run := &record.TestRun{Module: module, Env: s.envOf(module), Test: "app.JournalTest#" + name,
				Class: "app.JournalTest", Outcome: record.Pass,
				Usages: map[string]record.Usage{c.ID: {White: 1}}, Methods: ran,
				Links: []record.Experienced{{Catch: c.ID, Exception: "java/io/IOException", Site: site}},
				At:    time.Now()}
			if err := s.store.PutTestRun(run); err != nil {
				t.Fatal(err)
			}
			s.layNow()
			found := false
			for _, l := range s.View().Results.ByCatch[c.ID].Links {
				found = true
				if l.Fault != (x.by == "fault") || l.Baseline != (x.by == "baseline") {
					t.Errorf("experienced by the baseline %v, by a fault %v", l.Baseline, l.Fault)
				}
			}
			faults := s.View().Results.ByCatch[c.ID].Faults
			var seen []string
			for _, k := range faults.Seen {
				seen = append(seen, string(k))
			}
			if !found || strings.Join(seen, " ") != x.seen || len(faults.Tried) > 0 {
				t.Errorf("found %v, seen %q of %v, tried %v", found, seen, faults.Possible, faults.Tried)
			}
			if coverage, ok := codelens.FaultCatch(s.View()); ok && x.seen != "" && coverage.Overall == 0 {
				t.Errorf("fault-catch coverage %+v", coverage)
			}
		})
	}
}
