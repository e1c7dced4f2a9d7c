package chaintext

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// A name of a method, which other languages choose freely, does not end the code that it is in.
func TestMoreText(t *testing.T) {
	got := moreText(3, snapshot.MethodRef{Class: "p/C", Method: "a`[b]()V"})
	if want := "And 3 more: ``catchlens chains --run --to C.a`[b]`` lists them.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
