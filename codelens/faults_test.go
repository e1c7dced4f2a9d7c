package codelens

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/results"
)

// What a test would have to do names the first method of the chain that none calls from the nearest
// point that one got to. Of methods without sources, as the JDK's, it is not recorded whether they
// ran.
func TestNextStep(t *testing.T) {
	chain := []snapshot.Frame{{Class: "p.C", Method: "load()V", File: "p/C.java"},
		{Class: "p.C", Method: "open(I)V", File: "p/C.java"}, {Class: "java.net.URL", Method: "openStream()V"}}
	for _, x := range []struct {
		where, next string
		known       bool
	}{
		{"p.C.load()V", "p.C.open(I)V", true},
		{"p.C.open(I)V", "java.net.URL.openStream()V", false},
		{"java.net.URL.openStream()V", "", false},
		{"p.D.open(I)V", "", false},
		{"", "", false},
	} {
		if next, known := nextStep(chain, results.Tried{Outcome: results.NotReached, Where: x.where}); next != x.next ||
			known != x.known {
			t.Errorf("after %q comes %q, %v, not %q, %v", x.where, next, known, x.next, x.known)
		}
	}
	if next, _ := nextStep(chain, results.Tried{Outcome: results.Latent, Where: "p.C.load()V"}); next != "" {
		t.Errorf("of a latent link: %q", next)
	}
	if text := outcomeText(results.Tried{Outcome: results.NotReached, Where: "p.C.open(I)V"}); !strings.HasSuffix(text,
		"the nearest point that one got to is C.open") {
		t.Error(text)
	}
}
