// Package repocheck holds the tests of the repository as a whole: which package
// may import which, and that what documents name exists.
package repocheck

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// rooms are the folders from the top of the import order to the bottom: a
// package imports only rooms below its own (docs/architecture.md).
var rooms = []string{"cmd", "lsp", "session", "codelens", "instrument", "analysis", "internal"}

// analysisOrder and instrumentOrder: within the two, a package imports only
// those that stand before it.
var (
	analysisOrder   = []string{"classfile", "jimage", "classpath", "workspace", "ir", "facts", "faults", "javasource", "hierarchy", "callgraph", "pointsto", "exceptions", "datareach", "snapshot"}
	instrumentOrder = []string{"build", "plan", "rewrite", "agent", "worker", "fault", "osfault", "campaign", "shortcircuit", "results"}
)

func rank(list []string, name string) int {
	for i, n := range list {
		if n == name {
			return i
		}
	}
	return -1
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		parts := strings.Split(filepath.ToSlash(rel), "/")
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || d.Name() == "node_modules" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || len(parts) < 2 || rank(rooms, parts[0]) < 0 {
			return nil
		}
		seen[parts[0]] = true
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			p := strings.Trim(imp.Path.Value, `"`)
			to := strings.Split(p, "/")
			if to[0] != "catchlens" {
				if parts[0] != "lsp" && strings.HasPrefix(p, "go.lsp.dev/") {
					t.Errorf("%s imports %s: nothing but lsp knows the protocol", rel, p)
				}
				continue
			}
			to = to[1:]
			if rank(rooms, parts[0]) > rank(rooms, to[0]) {
				t.Errorf("%s imports %s: imports go %s", rel, p, strings.Join(rooms, " > "))
			}
			if parts[0] == to[0] && len(parts) > 2 && len(to) > 1 && parts[1] != to[1] {
				order := map[string][]string{"analysis": analysisOrder, "instrument": instrumentOrder}[parts[0]]
				if order == nil {
					continue
				}
				a, b := rank(order, parts[1]), rank(order, to[1])
				if a < 0 || b < 0 {
					t.Errorf("%s imports %s: a package that this test does not know", rel, p)
				} else if b > a {
					t.Errorf("%s imports %s, which stands above it", rel, p)
				}
			}
			if parts[0] == "analysis" && (p == "os/exec") {
				t.Errorf("%s imports os/exec: analysis starts no process", rel)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rooms {
		if !seen[r] {
			t.Errorf("no file of %s was looked at", r)
		}
	}
}

// documents are the pages whose links and paths are checked.
func documents(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(docs) < 8 {
		t.Fatalf("%d pages in docs: %v", len(docs), err)
	}
	return append(docs, filepath.Join(root, "README.md"))
}

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeSpan = regexp.MustCompile("`([a-z][a-zA-Z0-9_.-]*(?:/[a-zA-Z0-9_.-]+)+/?)`")
)

// Links and paths that documents name exist.
func TestDocuments(t *testing.T) {
	checked := 0
	for _, doc := range documents(t) {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(string(m[1]), "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := filepath.Join(filepath.Dir(doc), target)
			if target == "" {
				file = doc
			}
			page, err := os.ReadFile(file)
			if info, serr := os.Stat(file); serr != nil {
				t.Errorf("%s links to %s, which does not exist", doc, target)
			} else if !info.IsDir() && err == nil && anchor != "" && !hasHeading(page, anchor) {
				t.Errorf("%s links to %s, which has no such heading", doc, m[1])
			}
			checked++
		}
		for _, m := range codeSpan.FindAllSubmatch(text, -1) {
			first := strings.SplitN(string(m[1]), "/", 2)[0]
			if _, err := os.Stat(filepath.Join(root, first)); err != nil {
				continue // a class name, a URL path, ...
			}
			if exec.Command("git", "-C", root, "check-ignore", "-q", string(m[1])).Run() == nil {
				continue // something that a command makes
			}
			if _, err := os.Stat(filepath.Join(root, string(m[1]))); err != nil {
				t.Errorf("%s names %s, which does not exist", doc, m[1])
			}
			checked++
		}
	}
	if checked < 20 {
		t.Errorf("only %d links and paths were found", checked)
	}
}

func hasHeading(page []byte, anchor string) bool {
	for _, line := range bytes.Split(page, []byte("\n")) {
		if !bytes.HasPrefix(line, []byte("#")) {
			continue
		}
		h := strings.ToLower(strings.TrimSpace(strings.TrimLeft(string(line), "#")))
		h = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(h, "")
		if strings.ReplaceAll(h, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// Nothing committed names this machine's folders or a package registry.
func TestNoMachinePaths(t *testing.T) {
	out, err := exec.Command("git", "-C", root, "grep", "-nIE", `(^|[^a-zA-Z])/(work|root)/|repo1?\.maven\.(apache\.)?org|registry\.npmjs\.org|proxy\.golang\.org`, "--", ".", ":!internal/repocheck").CombinedOutput()
	if len(out) > 0 {
		t.Errorf("paths of a machine or registry hosts:\n%s", out)
	} else if err != nil && err.(*exec.ExitError).ExitCode() != 1 {
		t.Fatal(err)
	}
}
