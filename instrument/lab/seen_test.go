package lab

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/discovery"
	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/testshape"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// One catch is in a static initialiser: only the first test that it ran for owns what it did.
const fixtureSource = `package p;
class C {
    static int n;
    static { try { n = Integer.parseInt("x"); } catch (NumberFormatException e) { n = 1; } }
    static int a(String s) { try { return Integer.parseInt(s); } catch (NumberFormatException e) { return -1; } }
    static int b(int[] x) {
        try { if (x.length > 3) { return x[2]; } return x[0]; }
        catch (ArrayIndexOutOfBoundsException e) { return -1; } catch (NullPointerException e) { return -2; }
    }
}
`

// probesOfFixture are the probes of the class C, and that class as a JVM loads it.
func probesOfFixture(t *testing.T) (*Probes, *worker.Class) {
	root := t.TempDir()
	file := filepath.Join(root, "src", "p", "C.java")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(fixtureSource), 0o644); err != nil {
		t.Fatal(err)
	}
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, filepath.Join(root, "classes"), file)
	ws, err := discovery.Open(context.Background(), []string{root}, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := snapshot.Settings{CallGraph: "cha"}.Config()
	if err != nil {
		t.Fatal(err)
	}
	snap, err := build.Snapshot(context.Background(), ws, cfg,
		build.Options{Cache: factcache.OpenCache(filepath.Join(scratch.CacheDir(t), "facts"))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(snap.Wait)
	in := &Probes{snap: snap, shapes: testshape.New(snap), coverage: true, plans: map[worker.Key]*probed{},
		skipped: map[string]string{}, methodShapes: map[snapshot.MethodRef]uint32{}, generated: newGeneratedCode()}
	data, err := snap.ClassBytes("p/C")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := in.rewrite("p/C", data, plan.Full, snap.Class("p/C").Facts); !ok {
		t.Fatal("it was not rewritten")
	}
	return in, &worker.Class{Name: "p/C", Key: worker.KeyOf(data)}
}

// randomRecord is what a window may have seen of a class.
func randomRecord(r *rand.Rand, p *probed, class *worker.Class, catches int) worker.Record {
	counts := func(n int) (all []worker.Count) {
		for i := range n {
			if r.Intn(2) == 0 {
				all = append(all, worker.Count{N: uint16(i), Times: 1 + r.Intn(3)})
			}
		}
		return all
	}
	var rec worker.Record
	n := worker.Counts{Class: class, Tries: counts(len(p.plan.Tries)), Caught: counts(len(p.plan.Catches)),
		Uncaught: counts(len(p.plan.Tries))}
	for m := range len(p.facts.Methods) {
		if r.Intn(2) == 0 {
			n.Methods = append(n.Methods, uint16(m))
		}
	}
	rec.Classes = []worker.Counts{n}
	rec.Stray, rec.Lost, rec.BelowLost = r.Intn(2), r.Intn(2), r.Intn(4) == 0
	for k := range catches {
		if r.Intn(2) == 0 && !rec.BelowLost {
			rec.Below = append(rec.Below, worker.Below{Catch: k,
				Methods: []worker.Method{{Class: class, N: uint16(r.Intn(len(p.facts.Methods)))}}})
		}
	}
	hits := func() []worker.Covered {
		b := make([]byte, (len(p.plan.Covers)+7)/8)
		for i := range b {
			b[i] = byte(r.Intn(256) & r.Intn(256))
		}
		return []worker.Covered{{Class: class, Hits: b}}
	}
	rec.Covered = hits()
	if r.Intn(2) == 0 {
		rec.Aside = hits()
	}
	kinds := []worker.Site{{Kind: worker.Implicit, Name: "p/C", Method: "b", Line: 7}, {Kind: worker.Unknown},
		{Kind: worker.Injected}, {Kind: worker.Native, Name: "java/lang/Object", Method: "clone"}}
	for k := range p.plan.Catches {
		rec.Links = append(rec.Links, worker.Link{Catch: class, Handler: uint16(k), Exception: "java/lang/Error",
			Site: kinds[r.Intn(len(kinds))], Times: 1})
	}
	return rec
}

// What all fixtures of a class did together is what each did, one after the other.
func TestFixturesTogether(t *testing.T) {
	in, class := probesOfFixture(t)
	p := in.of(class)
	if len(p.plan.Catches) != 4 || len(p.plan.Covers) == 0 {
		t.Fatalf("%d catches, %d coverage probes", len(p.plan.Catches), len(p.plan.Covers))
	}
	store, err := results.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	r := rand.New(rand.NewSource(1))
	for round := range 200 {
		res := &worker.RunResult{}
		for range r.Intn(4) {
			res.Fixtures = append(res.Fixtures, worker.Fixture{Class: fmt.Sprint("T", r.Intn(2)),
				Record: randomRecord(r, p, class, len(in.snap.Catches))})
		}
		for i := range 1 + r.Intn(3) {
			x := worker.Test{ID: fmt.Sprint(i), Class: "T0", Method: fmt.Sprint("m", i), Outcome: worker.Pass,
				Record: randomRecord(r, p, class, len(in.snap.Catches))}
			if r.Intn(2) == 0 {
				x.Containers = []string{"T1", "T0"}
			}
			res.Tests = append(res.Tests, x)
		}
		got := newReader(in, "m", "e", store, slog.New(slog.DiscardHandler)).Collect(res)
		read := newReader(in, "m", "e", store, slog.New(slog.DiscardHandler))
		var want []*record.TestRun
		for i := range res.Tests {
			run := read.Run(&res.Tests[i])
			containers := res.Tests[i].Containers
			if containers == nil {
				containers = []string{"T0"}
			}
			for _, c := range containers {
				for k := range res.Fixtures {
					if f := &res.Fixtures[k]; f.Class == c {
						read.add(run, &f.Record)
					}
				}
			}
			want = append(want, run)
		}
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(record.TestRun{}, "At"), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("round %d: %s", round, d)
		}
	}
}
