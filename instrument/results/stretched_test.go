package results

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"catchlens/instrument/campaign"
)

// TestStretchedIsKept writes records, and reads them in another process's store and
// after merging.
func TestStretchedIsKept(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	put := func(x campaign.Stretched) {
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		x.Deps = []campaign.MethodID{s.Intern(campaign.MethodKey{Class: "p/C", Method: "m()V", Digest: [16]byte{1}})}
		x.Below = campaign.Below{x.Catch: x.Deps}
		if err := s.PutStretched(&x); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	one := campaign.Stretched{Catch: "c", To: "java.lang.Exception", Test: "t", Module: "m", Env: "e", Outcome: campaign.Fail, At: at}
	put(one)
	again := one
	again.Outcome, again.Took, again.Exceptions, again.At = campaign.Pass, []string{"c"}, []string{"x.Y"}, at.Add(time.Second)
	put(again)
	put(campaign.Stretched{Test: "t", With: []string{"c to java.lang.Exception", "d to x.Y"}, Env: "e", Outcome: campaign.Pass, At: at})
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := len(s.StretchedRuns()); n != 2 {
		t.Fatalf("%d records", n)
	}
	got, ok := s.Stretched("c", "java.lang.Exception", "t", "e", anyCode)
	if !ok || got.Outcome != campaign.Pass || !cmp.Equal(got.Exceptions, []string{"x.Y"}) || len(got.Deps) != 1 || len(got.Below["c"]) != 1 {
		t.Errorf("%+v", got)
	}
	if k := s.Method(got.Deps[0]); k.Class != "p/C" {
		t.Errorf("depends on %v", k)
	}
	if _, ok := s.Stretched("c", "java.lang.Exception", "t", "other", anyCode); ok {
		t.Error("a record of another environment is taken for one of this")
	}
	if joint, ok := s.Stretched("", "", "t", "e", anyCode); !ok || len(joint.With) != 2 {
		t.Errorf("%+v", joint)
	}
	if by := stretchedBy(s.StretchedRuns()); len(by["c"]) != 2 || len(by["d"]) != 1 {
		t.Errorf("by catch: %v", by)
	}
}
