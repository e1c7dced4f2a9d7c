//go:build slow

package session

import (
	"context"
	"strings"
	"testing"

	"catchlens/analysis/snapshot"
	"catchlens/codelens"
)

// Where refining takes too much, links stay as they were, which is said once; with other
// settings it is tried again.
func TestRefiningTakesTooMuch(t *testing.T) {
	made, file, cache := opened(t, true)
	made.Close()
	root := strings.TrimSuffix(file, "/src/p/C.java")
	for _, once := range []bool{true, false} {
		s, err := Open([]string{root}, Options{CacheDir: cache, Once: once})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		s.refiner.limits.heap = 1
		if err := s.Reload(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		said := func() (n int) {
			for _, p := range codelens.Problems(s.View()) {
				if strings.Contains(p.Message, "links are not refined with the call graph obj-dr: it takes more than 120 s of processor time or 0 MB of memory; they stay those of rta") {
					n++
				}
			}
			return n
		}
		eventually(t, "it is said that links are not refined", func() bool { return said() == 1 })
		if got := s.Status().CallGraph; got != "rta" {
			t.Errorf("once %v: links of %s", once, got)
		}
		s.refiner.busy <- struct{}{}
		s.refiner.limits = standardLimits
		<-s.refiner.busy
		if once {
			continue
		}
		if err := s.Configure(snapshot.Settings{Exceptions: "all"}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "links are refined", func() bool { return s.Status().CallGraph == "obj-dr" && said() == 0 })
	}
}
