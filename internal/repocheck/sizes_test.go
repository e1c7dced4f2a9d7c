package repocheck

import (
	"bytes"
	"go/ast"
	"path"
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

// Nothing is above its limit.
func TestSizes(t *testing.T) {
	above := func(what string, size, limit int) {
		if size > limit {
			t.Errorf("%s: %d, at most %d: break it up", what, size, limit)
		}
	}
	lines := map[string]int{}
	eachGoFile(t, func(f *goFile) {
		raw, n := rawLines(f), 0
		for line := range bytes.Lines(f.text) {
			if n++; !raw[n] && columns(strings.TrimRight(string(line), "\r\n")) > codeWidth {
				t.Errorf("%s:%d: the line is wider than %d columns (a tab counts as %d)", f.path, n, codeWidth,
					tabWidth)
			}
		}
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
}
