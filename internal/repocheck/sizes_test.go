package repocheck

import (
	"bytes"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// Limits of what a reader takes in at a time.
const (
	maxPackage  = 6000 // lines of a package without its tests
	maxStruct   = 25   // fields of a struct
	maxFunction = 80   // lines of a function
	codeWidth   = 120  // columns of a line
)

// limits are those of what larger names, by the first word there.
var limits = map[string]int{"package": maxPackage, "struct": maxStruct, "function": maxFunction}

// wideAt says which lines are too wide.
func wideAt(lines []int) string {
	if len(lines) == 0 {
		return ""
	}
	return fmt.Sprintf(": more than %d columns (a tab counts as %d) in %v", codeWidth, tabWidth, lines)
}

// larger are the things that are above their limit, with their sizes: these only shrink, and none
// is added. CATCHLENS_SIZES=1 prints what there is.
var larger = map[string]int{
	"struct analysis/callgraph/build.go builder":      29,
	"wide lines of analysis/discovery/gradle_test.go": 1,
	"wide lines of session/librarysettings_test.go":   1,
}

// rawLines are the lines with text between backquotes, which is as wide as what it is of.
func rawLines(f *goFile) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(s.Value, "`") {
			for n := f.fset.Position(s.Pos()).Line; n <= f.fset.Position(s.End()).Line; n++ {
				lines[n] = true
			}
		}
		return true
	})
	return lines
}

// Nothing is above its limit, but what was when the limits were set.
func TestSizes(t *testing.T) {
	found := map[string]int{}
	above := func(what string, size, limit int) {
		if size > limit {
			found[what] = max(found[what], size)
		}
	}
	lines := map[string]int{}
	places := map[string][]int{} // of wide lines
	eachGoFile(t, func(f *goFile) {
		wide, raw, n := 0, rawLines(f), 0
		for line := range bytes.Lines(f.text) {
			if n++; !raw[n] && columns(strings.TrimRight(string(line), "\r\n")) > codeWidth {
				wide++
				places["wide lines of "+f.path] = append(places["wide lines of "+f.path], n)
			}
		}
		above("wide lines of "+f.path, wide, 0)
		if strings.HasSuffix(f.path, "_test.go") {
			return
		}
		lines["package "+path.Dir(f.path)] += bytes.Count(f.text, []byte("\n"))
		ast.Inspect(f.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				above("function "+f.path+" "+n.Name.Name, f.fset.Position(n.End()).Line-f.fset.Position(n.Pos()).Line+1,
					maxFunction)
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					above("struct "+f.path+" "+n.Name.Name, s.Fields.NumFields(), maxStruct)
				}
			}
			return true
		})
	})
	for p, n := range lines {
		above(p, n, maxPackage)
	}
	for _, what := range slices.Sorted(maps.Keys(found)) {
		if size, most := found[what], larger[what]; size > most {
			t.Errorf("%s: %d, at most %d: break it up%s", what, size, max(most, limits[strings.Fields(what)[0]]),
				wideAt(places[what]))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(larger)) {
		if size, most := found[what], larger[what]; size < most {
			t.Errorf("%s: %d in the list of what is too large, %d now: write that into the list of this file, or "+
				"take it out where it is no more than %d", what, most, size, limits[strings.Fields(what)[0]])
		}
	}
	if os.Getenv("CATCHLENS_SIZES") != "" {
		for _, what := range slices.Sorted(maps.Keys(found)) {
			fmt.Printf("\t%q: %d,\n", what, found[what])
		}
	}
}
