// Package repocheck holds the tests of the repository as a whole: which package
// may import which, and that what documents name exists.
package repocheck

import (
	"bytes"
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// rooms are the folders from the top of the import order to the bottom: a
// package imports only rooms below its own (docs/internals/architecture.md).
var rooms = []string{"cmd", "lsp", "session", "codelens", "instrument", "analysis", "internal", "docs"}

// analysisOrder and instrumentOrder: within the two, a package imports only
// those that stand before it.
var (
	analysisOrder = []string{"classfile", "jimage", "classpath", "workspace", "maven", "gradle", "discovery", "ir",
		"branches", "settings", "facts", "factcache", "faults", "javasource", "hierarchy", "features",
		"align", "callgraph", "generics", "handed", "pointsto", "callchain", "studied", "exceptions", "unshared",
		"datareach", "clause", "misuse",
		"snapshot", "build"}
	instrumentOrder = []string{"buildtool", "plan", "planner", "rewrite", "agent", "record", "coverage", "chains",
		"testshape", "recall", "shortcircuit", "worker", "fault", "osfault", "lab", "baseline", "injection", "faulting",
		"stretching", "campaign", "results"}
)

// module is the path of go.mod.
const module = "github.com/catchlens/catchlens"

// strategies know nothing of each other (docs/internals/decisions/D12*).
var strategies = []string{"baseline", "injection", "faulting", "stretching"}

func rank(list []string, name string) int {
	for i, n := range list {
		if n == name {
			return i
		}
	}
	return -1
}

func TestImports(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || !strings.HasPrefix(string(mod), "module "+module+"\n") {
		t.Fatalf("go.mod has another module path than %s, or none: %v", module, err)
	}
	seen := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		parts := strings.Split(filepath.ToSlash(rel), "/")
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || d.Name() == "node_modules" ||
			d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || len(parts) < 2 ||
			rank(rooms, parts[0]) < 0 {
			return nil
		}
		seen[parts[0]] = true
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			p := strings.Trim(imp.Path.Value, `"`)
			inside, own := strings.CutPrefix(p, module+"/")
			if !own {
				if parts[0] != "lsp" && strings.HasPrefix(p, "go.lsp.dev/") {
					t.Errorf("%s imports %s: nothing but lsp knows the protocol", rel, p)
				}
				continue
			}
			to := strings.Split(inside, "/")
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
					t.Errorf("%s imports %s: a package that this test does not know: give it a place in "+
						"%sOrder of this file, after what it imports", rel, p, parts[0])
				} else if b > a {
					t.Errorf("%s imports %s, which comes after it in %sOrder of this file: move the code, or what "+
						"it needs", rel, p, parts[0])
				} else if slices.Contains(strategies, parts[1]) && slices.Contains(strategies, to[1]) {
					t.Errorf("%s imports %s, another strategy: what both need belongs into lab or record", rel, p)
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

// Nobody but the package that makes snapshots takes one apart: what is asked of a snapshot is a
// method of it.
func TestProgram(t *testing.T) {
	makes := false
	eachGoFile(t, func(f *goFile) {
		room := path.Dir(f.path)
		if room == "analysis/snapshot" || !slices.ContainsFunc(f.tree.Imports, func(i *ast.ImportSpec) bool {
			return i.Path.Value == `"`+module+`/analysis/snapshot"`
		}) {
			return
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Program" {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "clause" {
				return true
			}
			if makes = makes || room == "analysis/build"; room != "analysis/build" {
				t.Errorf("%s: line %d takes a snapshot apart: give Snapshot a method that answers what is asked",
					f.path,
					f.fset.Position(sel.Pos()).Line)
			}
			return true
		})
	})
	if !makes {
		t.Error("nobody makes snapshots")
	}
}

// documents are the pages whose links and paths are checked.
func documents(t *testing.T) []string {
	t.Helper()
	var docs []string
	for _, folder := range []string{"docs", "bench"} {
		before := len(docs)
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".md") {
				docs = append(docs, path)
			}
			return err
		})
		if found := len(docs) - before; err != nil || found < 8 {
			t.Fatalf("%d pages in %s: %v", found, folder, err)
		}
	}
	return append(docs, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"))
}

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeSpan = regexp.MustCompile("`([a-z][a-zA-Z0-9_.-]*(?:/[a-zA-Z0-9_.-]+)+/?)`")
)

// Links and paths that documents name exist.
func TestDocuments(t *testing.T) {
	checked := 0
	for _, doc := range append(documents(t), filepath.Join(root, "CHANGELOG.md")) {
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

// journalHead is what a measurement begins with.
var journalHead = regexp.MustCompile("^# .+\n\n\\| \\| \\|\n\\|---\\|---\\|\n\\| date \\| (\\S+) \\|\n" +
	"\\| commit \\| `[0-9a-f]{7,}` \\|\n\\| machine \\| .+ \\|\n\\| command \\| .+ \\|\n\n")

// A measurement says when, of what, where and how it was made, and the page of
// measurements cites the newest one of each subject.
func TestJournal(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "bench", "journal", "2*.md"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d measurements: %v", len(files), err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "internals", "measurements.md"))
	if err != nil {
		t.Fatal(err)
	}
	newest := map[string]string{} // subject -> file; Glob sorts by date
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		if len(name) < len("2006-01-02-x.md") {
			t.Errorf("%s: no date and subject in its name", file)
			continue
		}
		if m := journalHead.FindSubmatch(text); m == nil || string(m[1]) != name[:10] {
			t.Errorf("%s: no table of date (that of its name), commit, machine and command at its beginning", file)
		}
		newest[name[11:]] = name
	}
	for _, name := range newest {
		if !bytes.Contains(page, []byte("/bench/journal/"+name+")")) {
			t.Errorf("docs/internals/measurements.md does not cite %s", name)
		}
	}
}

// Nothing committed names this machine's folders or a package registry.
func TestNoMachinePaths(t *testing.T) {
	out, err := exec.Command("git", "-C", root, "grep", "-nIE",
		`(^|[^a-zA-Z])/(work|root)/|repo1?\.maven\.(apache\.)?org|registry\.npmjs\.org|proxy\.golang\.org`, "--", ".",
		":!internal/repocheck").CombinedOutput()
	if len(out) > 0 {
		t.Errorf("paths of a machine or registry hosts:\n%s", out)
	} else if err != nil && err.(*exec.ExitError).ExitCode() != 1 {
		t.Fatal(err)
	}
}

// openers are functions that open whatever a name stands for: a pipe, on which they wait, or more
// bytes than there is memory.
var openers = map[string][]string{
	"os":          {"Open", "OpenFile", "ReadFile", "CopyFS", "DirFS"},
	"archive/zip": {"OpenReader"},
}

// mayOpen are the functions that open files by themselves, and why nobody else has put something in
// their place.
var mayOpen = map[string]string{
	"cmd/catchlens/commands.go Run":                  "the log that the user names is written",
	"session/identity.go takeOver":                   "CopyFS copies regular files only",
	"session/limits.go a declaration":                "/proc and /sys",
	"instrument/agent/build.go compile":              "what javac has just written in a folder of ours",
	"instrument/buildtool/generate.go run":           "CopyFS copies regular files only",
	"instrument/osfault/tracee_linux.go threadGroup": "/proc",
	"instrument/results/store.go openWriter":         "makes a file that is not there yet",
	"instrument/worker/copy.go copyFile":             "writes into a folder of ours",
	"instrument/worker/silent.go times":              "/proc",
	"instrument/worker/waits_linux.go openProc":      "/proc",
	"analysis/build/jdksettings.go hasIPv6":          "/proc",
}

// Packages that read workspaces and caches open files by package bounded.
func TestBoundedFiles(t *testing.T) {
	used := map[string]bool{}
	for _, room := range []string{"cmd", "lsp", "session", "codelens", "instrument", "analysis"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				return cmp.Or(err, fs.SkipDir)
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(root, path)
			for _, call := range opened(f) {
				at := filepath.ToSlash(rel) + " " + call.function
				used[at] = true
				if mayOpen[at] == "" {
					t.Errorf("%s: %s opens a file by %s: use package bounded", rel, call.function, call.opener)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for at := range mayOpen {
		if !used[at] {
			t.Errorf("%s opens no file any more", at)
		}
	}
}

// openCall is the use of an opener in a function.
type openCall struct{ function, opener string }

// opened lists the uses of openers in a file, also where one is not called but passed on.
func opened(f *ast.File) (calls []openCall) {
	names := map[string]string{} // of packages here -> path
	for _, imp := range f.Imports {
		p := strings.Trim(imp.Path.Value, `"`)
		if openers[p] != nil {
			name := path.Base(p)
			if imp.Name != nil {
				name = imp.Name.Name
			}
			names[name] = p
		}
	}
	for _, decl := range f.Decls {
		function := "a declaration"
		if fn, ok := decl.(*ast.FuncDecl); ok {
			function = fn.Name.Name
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(openers[names[x.Name]], sel.Sel.Name) {
				calls = append(calls, openCall{function, x.Name + "." + sel.Sel.Name})
			}
			return true
		})
	}
	return calls
}

// The check sees openers under other names, in closures, and passed on.
func TestOpened(t *testing.T) {
	const text = `package p
import ("os"; z "archive/zip"; "io")
var x = os.ReadFile
func a() { func() { z.OpenReader("f") }() }
func b() { os.Stat("f"); io.ReadAll(nil) }
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := opened(f); !slices.Equal(got, []openCall{{"a declaration", "os.ReadFile"}, {"a", "z.OpenReader"}}) {
		t.Errorf("%v", got)
	}
}

// dependency is a row of docs/internals/dependencies.md that names Go modules.
var dependency = regexp.MustCompile("(?m)^\\| ((?:`[a-z0-9.]+\\.[a-z]+/[^`]+`[^|]*)+) \\|[^|]*\\|([^|]*)\\|$")

// npmPackages are the packages that a folder of the repository asks npm for.
func npmPackages(t *testing.T, folder string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(folder), "package.json"))
	var manifest struct{ Dependencies, DevDependencies map[string]string }
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(manifest.DevDependencies, manifest.Dependencies)
	if len(manifest.DevDependencies) == 0 {
		t.Fatalf("%s asks for nothing", folder)
	}
	return slices.Sorted(maps.Keys(manifest.DevDependencies))
}

// Every module that go.mod asks for has a row that names it, and the program contains those that
// are not said to be for tests only, and no others.
func TestDependencies(t *testing.T) {
	list := func(args ...string) []string {
		cmd := exec.Command("go", append([]string{"list"}, args...)...)
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(out))
	}
	asked := list("-m", "-f", "{{if not (or .Main .Indirect)}}{{.Path}}{{end}}", "all")
	linked := list("-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./cmd/catchlens")
	page, err := os.ReadFile(filepath.Join(root, "docs", "internals", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"vscode-extension", "test/editors"} {
		for _, name := range npmPackages(t, folder) {
			if !bytes.Contains(page, []byte("`"+name+"`")) {
				t.Errorf("docs/internals/dependencies.md does not name %s of %s", name, folder)
			}
		}
	}
	row := map[string]string{} // module -> what is said of it
	for _, m := range dependency.FindAllSubmatch(page, -1) {
		for _, name := range regexp.MustCompile("`([^` ]+/[^` ]+)`").FindAllSubmatch(m[1], -1) {
			row[string(name[1])] = string(m[2])
		}
	}
	for _, m := range asked {
		said, ok := row[m]
		if !ok {
			t.Errorf("docs/internals/dependencies.md has no row for %s", m)
		} else if tests := strings.Contains(said, "tests only"); tests == slices.Contains(linked, m) {
			t.Errorf("%s: for tests only is %v, and the program contains it: %v", m, tests, slices.Contains(linked, m))
		}
	}
	for _, m := range regexp.MustCompile("`([^` ]+)` (v[0-9.]+)").FindAllSubmatch(page, -1) {
		if used := list("-m", "-f", "{{.Version}}", string(m[1])); !slices.Equal(used, []string{string(m[2])}) {
			t.Errorf("docs/internals/dependencies.md has %s %s, go.mod %s", m[1], m[2], used)
		}
	}
	for m := range row {
		if !slices.Contains(asked, m) {
			t.Errorf("docs/internals/dependencies.md has a row for %s, which go.mod does not ask for", m)
		}
	}
}
