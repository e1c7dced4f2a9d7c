//go:build slow

package session

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
)

// Where refining takes too much, links stay as they were, which is said once. Another process knows
// it for a week; with other settings or another class path it is tried again.
func TestRefiningTakesTooMuch(t *testing.T) {
	made, file, cache := opened(t, true)
	made.Close()
	root := strings.TrimSuffix(file, "/src/p/C.java")
	var met atomic.Int32 // times that a limit was met
	log := slog.New(slog.NewTextHandler(writerFunc(func(line []byte) {
		if strings.Contains(string(line), `msg="links are not refined"`) &&
			strings.Contains(string(line), `error="it takes more than 0 MB of memory"`) {
			met.Add(1)
		}
	}), nil))
	for i, once := range []bool{true, true, false} {
		s, err := Open([]string{root}, Options{CacheDir: cache, Once: once, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		s.pipe.refiner.limits.heap = 1
		if err := s.Reload(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		said := func() (n int) {
			for _, p := range codelens.Problems(s.View()) {
				if strings.Contains(p.Message,
					"links are not refined with the call graph obj-dr: it takes more than 90 s of processor time or "+
						"0 MB of memory; they stay those of rta") {
					n++
				}
			}
			return n
		}
		eventually(t, "it is said that links are not refined", func() bool { return said() == 1 })
		if got := s.Status().CallGraph; got != "rta" {
			t.Errorf("once %v: links of %s", once, got)
		}
		if met := int(met.Load()); met != len(snapshot.Refined) {
			t.Errorf("process %d: a limit was met %d times in all", i, met)
		}
		s.pipe.refiner.busy <- struct{}{}
		s.pipe.refiner.limits = standardLimits()
		<-s.pipe.refiner.busy
		if once {
			continue
		}
		if err := s.Configure(snapshot.Settings{Exceptions: "all"}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "links are refined", func() bool { return s.Status().CallGraph == "obj-dr" && said() == 0 })
	}
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}
