package features_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/internal/testfiles"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// A name is followed through five calls to what loads a class by it, and no further: code that
// passes it on more often is seldom about that class.
func TestNamesArePassedSoFar(t *testing.T) {
	const passed = 5
	var src strings.Builder
	src.WriteString("package p;\nclass Passing {\n")
	for n := range passed + 1 {
		fmt.Fprintf(&src, "  static void from%d() throws Exception { pass%d(\"p.Named%d\"); }\n", n+1, n, n+1)
		next := fmt.Sprintf("pass%d(name)", n-1)
		if n == 0 {
			next = "Class.forName(name)"
		}
		fmt.Fprintf(&src, "  static void pass%d(String name) throws Exception { %s; }\n", n, next)
	}
	src.WriteString("}\n")
	for n := range passed + 1 {
		fmt.Fprintf(&src, "class Named%d { }\n", n+1)
	}
	home, out := testjdk.JDK(t, 17), t.TempDir()
	dir := testfiles.Files{"Passing.java": src.String()}.In(t, t.TempDir())
	testjdk.Javac(t, home, 17, nil, out, dir+"/Passing.java")
	h := hierarchy.New(programtest.Open(t, home, facts.Options{}, 1, out))
	f := features.NewNameFlow(h)
	in := h.Load("p/Passing", "")
	class := h.Facts(in)
	for n := range passed + 1 {
		i := slices.IndexFunc(class.Methods, func(m facts.Method) bool { return m.Name == fmt.Sprintf("from%d", n+1) })
		got := f.Classes(in, &class.Methods[i])
		if followed := slices.Contains(got, fmt.Sprintf("p/Named%d", n+1)); followed != (n < passed) || len(got) > 1 {
			t.Errorf("through %d calls: %q", n+1, got)
		}
	}
}
