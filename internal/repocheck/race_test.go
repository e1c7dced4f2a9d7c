package repocheck

import (
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// racedBy are packages that start goroutines and whose own tests run without -race, each with a
// package whose tests have them started with it, or why nothing has.
var racedBy = map[string]string{
	"analysis/datareach":      "analysis/build",
	"analysis/exceptions":     "analysis/build",
	"analysis/pointsto":       "analysis/build",
	"analysis/pointsto/solve": "analysis/build",
	"internal/sandbox":        "instrument/worker",
	"cmd/catchlens":           "", // a clock that writes how far a run is; lineProgress locks
	"bench/figures":           "", // measures, and is no part of the program
}

// starts lists the calls below a node that start a goroutine: go statements, Go of a group, and
// defect.Each.
func starts(n ast.Node) (found []ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, n)
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Go" || isDefect(s, "Each")) {
				found = append(found, n)
			}
		}
		return true
	})
	return found
}

// listOf are the words of an array of scripts/test.sh, or of the list that its loop goes through.
func listOf(t *testing.T, script, begin, end string) []string {
	t.Helper()
	found := regexp.MustCompile(`(?s)\n` + begin + `(.*?)` + end).FindStringSubmatch(script)
	if found == nil {
		t.Fatalf("scripts/test.sh has no list that begins with %q", begin)
	}
	return strings.Fields(strings.ReplaceAll(found[1], "\\\n", " "))
}

// TestRaced holds what scripts/test.sh says of its lists: a package that starts goroutines is run
// with -race, and what is run without it starts none.
func TestRaced(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "scripts", "test.sh"))
	if err != nil {
		t.Fatal(err)
	}
	script := string(text)
	concurrent := listOf(t, script, "for p in ", "; do")
	sequential := listOf(t, script, `sequential=\(`, `\)`)
	writers := listOf(t, script, `writers=\(`, `\)`)
	writing := strings.TrimPrefix(listOf(t, script, "writing=", "\n")[0], "./")

	starting, tests := map[string]bool{}, map[string]map[string]*ast.FuncDecl{}
	eachGoFile(t, func(f *goFile) {
		folder := path.Dir(f.path)
		if !strings.HasSuffix(f.path, "_test.go") {
			starting[folder] = starting[folder] || len(starts(f.tree)) > 0
			return
		}
		if strings.HasSuffix(f.path, "_slow_test.go") {
			return
		}
		for _, d := range f.tree.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if tests[folder] == nil {
					tests[folder] = map[string]*ast.FuncDecl{}
				}
				tests[folder][d.Name.Name] = d
			}
		}
	})
	raced := func(folder string) bool {
		return slices.ContainsFunc(concurrent, func(p string) bool {
			return folder == p || strings.HasPrefix(folder, p+"/")
		})
	}
	for _, folder := range slices.Sorted(maps.Keys(starting)) {
		by, known := racedBy[folder]
		switch {
		case starting[folder] && !raced(folder) && !known:
			t.Errorf("%s starts goroutines: name it in concurrent (scripts/test.sh) or in racedBy", folder)
		case known && (!starting[folder] || raced(folder) || by != "" && !raced(by)):
			t.Errorf("racedBy does not hold for %s", folder)
		}
	}
	if starting[writing] {
		t.Errorf("%s starts goroutines: all its tests belong with -race", writing)
	}
	for folder, all := range tests {
		for name := range all {
			begins := beginsWork(all, name, map[string]bool{})
			switch {
			case raced(folder) && slices.Contains(sequential, name) && begins:
				t.Errorf("%s: %s starts goroutines and is in sequential (scripts/test.sh)", folder, name)
			case folder == writing && strings.HasPrefix(name, "Test") && begins != slices.Contains(writers, name):
				t.Errorf("%s: %s starts goroutines: %v, unlike what writers (scripts/test.sh) says", folder, name,
					begins)
			}
		}
	}
}

// beginsWork says whether a function of a folder's tests, or one of them that it calls, starts a
// goroutine or runs beside other tests.
func beginsWork(all map[string]*ast.FuncDecl, name string, seen map[string]bool) bool {
	d := all[name]
	if d == nil || seen[name] {
		return false
	}
	seen[name] = true
	begins := len(starts(d)) > 0
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			begins = begins || beginsWork(all, n.Name, seen)
		case *ast.SelectorExpr:
			begins = begins || n.Sel.Name == "Parallel"
		}
		return !begins
	})
	return begins
}
