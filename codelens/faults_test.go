package codelens

import (
	"strings"
	"testing"

	"catchlens/analysis/snapshot"
	"catchlens/instrument/results"
)

// What a test would have to do names the first method of the chain that none calls from the nearest point that one got to.
func TestNextStep(t *testing.T) {
	chain := []snapshot.Frame{{Class: "p.C", Method: "load()V"}, {Class: "p.C", Method: "open(I)V"}, {Class: "java.net.URL", Method: "openStream()V"}}
	for where, want := range map[string]string{"p.C.load()V": "p.C.open(I)V", "p.C.open(I)V": "java.net.URL.openStream()V", "java.net.URL.openStream()V": "", "p.D.open(I)V": "", "": ""} {
		if got := nextStep(chain, results.Tried{Outcome: results.NotReached, Where: where}); got != want {
			t.Errorf("after %q comes %q, not %q", where, got, want)
		}
	}
	if got := nextStep(chain, results.Tried{Outcome: results.Latent, Where: "p.C.load()V"}); got != "" {
		t.Errorf("of a latent link: %q", got)
	}
	if text := outcomeText(results.Tried{Outcome: results.NotReached, Where: "p.C.open(I)V"}); !strings.HasSuffix(text, "the nearest point that one got to is C.open") {
		t.Error(text)
	}
}
