package buildtool

import (
	"context"
	"strings"
	"sync"
	"testing"
)

// TestTwoServers: two compilers (as of two language servers) work on one
// source set at once; both answer, and the classes are whole.
func TestTwoServers(t *testing.T) {
	f := newFixture(t, 17, sources5())
	other := NewCompiler(shared.opt)
	defer other.Close()
	var wg sync.WaitGroup
	for _, c := range []*Compiler{shared, other} {
		wg.Go(func() {
			r, err := c.Compile(context.Background(), f.m)
			if err != nil || len(r.Failed) > 0 || len(r.Classes) != 5 {
				t.Errorf("%v %v", r.Failed, err)
			}
		})
	}
	wg.Wait()
	if n := len(strings.Fields(f.classes())); n != 7 {
		t.Errorf("%d classes: %s", n, f.classes())
	}
}
