package results

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/record"
)

// What faults did is there again when the store is opened anew, and the newest run
// of a fault counts.
func TestFaultsAreKept(t *testing.T) {
	dir := t.TempDir()
	st, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := st.Intern(record.MethodKey{Class: "p/C", Method: "m()V"})
	at := time.Now().UTC()
	run := record.FaultRun{Trial: record.Trial{Catch: "c", Test: "p.T#t", Env: "e", Outcome: record.Fail,
		Deps: []record.MethodID{m}, At: at}, Root: "java/io/FileInputStream.readBytes", Kind: faults.DiskRead,
		Engine: "jvm", Fired: 1, Arrived: true,
		Links: []record.Experienced{{Catch: "c", Exception: "java/io/IOException"}}}
	touched := record.Touched{Test: "p.T#t", Module: "m", Env: "e", Catches: map[string][]string{"c": {run.Root}},
		Deps: []record.MethodID{m}, At: at}
	old := run
	old.Outcome, old.At = record.Pass, at.Add(-time.Minute)
	for _, f := range []*record.FaultRun{&run, &old} {
		if err := st.PutFaultRun(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.PutTouched(&touched); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if st, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	got, ok := st.FaultRun(run.Key(), "e", anyCode)
	if !ok || len(st.FaultRuns()) != 1 {
		t.Fatalf("%d runs are kept", len(st.FaultRuns()))
	}
	got.Below, got.Aside = nil, nil // empty ones
	if d := cmp.Diff(&run, got); d != "" {
		t.Error(d)
	}
	if _, ok := st.FaultRun(run.Key(), "another environment", anyCode); ok {
		t.Error("a run of another environment is taken for one of this")
	}
	if x, ok := st.Touched("m", "p.T#t", "e", anyCode); !ok || cmp.Diff(&touched, x) != "" {
		t.Errorf("touched: %+v", x)
	}
}
