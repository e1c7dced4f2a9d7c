package worker

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// With NamedOnly the rewriter is asked for classes alone whose name a bundle has, with
// other bytes; and these are probed as ever.
func TestNamedOnly(t *testing.T) {
	spec := plainSpec(t, testjdk.JDK(t, 17))
	bundle := filepath.Join(t.TempDir(), "named.bundle")
	entries := []BundleEntry{{Name: "Plain", Original: KeyOf([]byte("other bytes")), Rewritten: []byte{0, 0, 0, 0},
		Meta: Meta{}}}
	if err := WriteBundle(bundle, entries); err != nil {
		t.Fatal(err)
	}
	spec.Bundles, spec.NamedOnly = []string{bundle}, true
	asked := make(chan string, 10000)
	spec.Rewriter = func(loader, name string, original []byte) ([]byte, Meta, bool) {
		asked <- name
		return handMade(loader, name, original)
	}
	j := startJVM(t, spec)
	r := run(t, j, Request{Adapter: agent.Plain, Tests: []string{"Plain#testA"}})
	if len(r.Tests) != 1 || r.Tests[0].Outcome != Pass {
		t.Fatalf("%+v", r)
	}
	const want = "Plain try 0 x2\nPlain method 0\n"
	if got := show(r.Tests[0].Record); got != want {
		t.Errorf("recorded\n%swant\n%s", got, want)
	}
	if len(asked) != 1 || <-asked != "Plain" {
		t.Errorf("the rewriter was asked for %d classes, want Plain alone", len(asked))
	}
	if s, err := j.Stats(context.Background()); err != nil || s.Swapped != 1 {
		t.Errorf("%+v classes were swapped, %v; want Plain alone", s, err)
	}
}
