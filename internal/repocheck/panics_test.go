package repocheck

import (
	"go/ast"
	"strings"
	"testing"
)

// unanswered are the places of analyses and campaigns whose goroutines are no defect.Group, each
// with what they do: nothing that depends on code or on what tests did.
var unanswered = map[string]string{
	"instrument/buildtool/compiler.go":       "stops a JVM",
	"instrument/buildtool/server.go":         "reads from a pipe",
	"instrument/buildtool/proc.go":           "copies what a process prints and reads",
	"instrument/worker/folders.go":           "removes what tests have left in folders",
	"instrument/worker/run.go":               "asks the agent and passes its answer on",
	"instrument/worker/connect.go":           "accepts connections",
	"instrument/worker/jvm.go":               "watches a process, its disk and its output",
	"instrument/osfault/supervisor_linux.go": "waits, and answers one system call",
}

// isDefect tells whether a selector is of a name of package defect.
func isDefect(s *ast.SelectorExpr, name string) bool {
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "defect" && s.Sel.Name == name
}

// TestPanicsAreHandedOn holds that what works for an analysis or a campaign on a goroutine of its
// own hands a panic to the one who waits, who has a defect.Guard above him: else it ends the
// process.
func TestPanicsAreHandedOn(t *testing.T) {
	found := map[string]bool{}
	groups := 0
	eachGoFile(t, func(f *goFile) {
		room := strings.Split(f.path, "/")[0]
		if room != "analysis" && room != "instrument" || strings.HasSuffix(f.path, "_test.go") {
			return
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found[f.path] = true
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "sync" && n.Sel.Name == "WaitGroup" {
					found[f.path] = true
				}
				if isDefect(n, "Group") || isDefect(n, "Each") {
					groups++
				}
			}
			return true
		})
	})
	for file := range found {
		if unanswered[file] == "" {
			t.Errorf("%s: a panic of a goroutine would end the process: use defect.Group or defect.Each", file)
		}
	}
	for file := range unanswered {
		if !found[file] {
			t.Errorf("%s starts no goroutine by itself", file)
		}
	}
	if groups < 15 {
		t.Errorf("%d groups were looked at", groups)
	}
}
