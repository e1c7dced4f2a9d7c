//go:build slow

package build

import (
	"bytes"
	"io"
	"testing"

	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// What an analysis with points-to finds out about the JDK is there for the next one, whose result
// is the same; one that is damaged is not used, and replaced.
func TestBoot(t *testing.T) {
	p := newReuseProject(t, "pta")
	p.compiled = map[string][]byte{}
	const text = `package p;
import java.io.*;
class C { public static void main(String[] a) { try { new FileInputStream(a[0]).read(); new Thread(() -> a[0].length()).start(); } catch (IOException e) { } } }`
	var want *snapshot.Snapshot
	state := func(s *snapshot.Snapshot) []byte {
		data, done := builderOf(s).made.libs.provider.State(stateKind(pointsto.Insensitive))
		defer done()
		return bytes.Clone(data)
	}
	whole := 0
	for _, what := range []string{"nothing", "what was kept", "half of it"} {
		s := p.build(t, text, nil)
		s.Wait()
		kept := state(s)
		if whole = max(whole, len(kept)); len(kept) != whole || whole < 1<<20 {
			t.Fatalf("with %s, %d bytes are kept, %d before", what, len(kept), whole)
		}
		switch {
		case want == nil:
			want = s
		case s.Stats.Methods != want.Stats.Methods || s.Stats.Edges != want.Stats.Edges ||
			s.Stats.Links != want.Stats.Links || s.Stats.Links == 0 || linesOf(s) != linesOf(want):
			t.Errorf("with %s: %+v, at first %+v", what, s.Stats, want.Stats)
		}
		if what == "what was kept" {
			if err := builderOf(s).made.libs.provider.KeepState(stateKind(pointsto.Insensitive), 0,
				func(w io.Writer) error { _, err := w.Write(kept[:len(kept)/2]); return err }); err != nil {
				t.Fatal(err)
			}
		}
	}
}
