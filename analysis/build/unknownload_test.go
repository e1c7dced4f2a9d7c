package build

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/features"
)

// One load of an unknown name is named; of several none is, as any could lead to a catch.
func TestUnknownText(t *testing.T) {
	load := features.UnknownLoad{Class: "p/Outer$Plugins", Method: "load", Owner: "java/lang/Class",
		Name: "forName"}
	other := load
	other.Method = "reload"
	for _, c := range []struct {
		loads []features.UnknownLoad
		want  string
	}{
		{nil, ""},
		{[]features.UnknownLoad{load}, "what Class.forName in Plugins.load loads"},
		{[]features.UnknownLoad{load, load}, "what Class.forName in Plugins.load loads"},
		{[]features.UnknownLoad{load, other, load}, "what is loaded by name in 2 places"},
	} {
		if got := unknownText(c.loads); got != c.want {
			t.Errorf("%d loads: %q, want %q", len(c.loads), got, c.want)
		}
	}
}
