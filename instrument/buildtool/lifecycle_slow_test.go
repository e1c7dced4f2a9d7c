//go:build slow

package buildtool

import (
	"strings"
	"testing"
	"time"
)

// TestIdle: a compiler that has nothing to do ends by itself, and comes back.
func TestIdle(t *testing.T) {
	f := newFixture(t, 17, sources5())
	opt := shared.opt
	opt.Idle = time.Second
	f.c = NewCompiler(opt)
	defer f.c.Close()
	f.compile()
	srv := f.c.pool[0].srv
	select {
	case <-srv.proc.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("the idle compiler does not end")
	}
	f.write("q/D.java", srcD+" ")
	f.want(f.compile(), "q/D", "")
	if f.c.pool[0].srv == srv {
		t.Error("the dead compiler is still there")
	}
}

// TestMemory: a compiler that runs out of memory starts again with more.
func TestMemory(t *testing.T) {
	f := newFixture(t, 17, map[string]string{"p/Oom.java": "package p; class Oom {}"})
	f.m.ProcessorPath = []string{processorJar(t, f.m.JDKHome)}
	opt := shared.opt
	opt.HeapMB = 64
	var said []string
	opt.Log = func(s string) { said = append(said, s) }
	f.c = NewCompiler(opt)
	defer f.c.Close()
	f.want(f.compile(), "p/Oom", "")
	if len(said) != 1 || !strings.Contains(said[0], "128 MB") {
		t.Errorf("said %q", said)
	}
}
