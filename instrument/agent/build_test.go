package agent

import (
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// Sources of one name in two packages are both compiled.
func TestSourcesOfOneName(t *testing.T) {
	classes, err := compile(t.Context(), testjdk.Tool(testjdk.JDK(t, 17), "javac"), 17, t.TempDir(),
		[]sourceFile{
			{"java/p/Same.java", []byte("package p; class Same {}")},
			{"java/q/Same.java", []byte("package q; class Same {}")},
		}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"p/Same.class", "q/Same.class"} {
		if classes[name] == nil {
			t.Errorf("%s is not there: %d classes", name, len(classes))
		}
	}
}
