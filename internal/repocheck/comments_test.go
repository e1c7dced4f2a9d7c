package repocheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// The widths of Go sources in columns, where a tab counts as tabWidth.
const (
	commentWidth = 100 // of a line that is a comment
	tabWidth     = 4
)

// goFile is a parsed source.
type goFile struct {
	path string // relative to the repository
	text []byte
	tree *ast.File
	fset *token.FileSet
}

// goFiles are the Go sources of the repository but for testdata and what is generated.
var goFiles = sync.OnceValues(func() (files []*goFile, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		skipped := d.Name() == "node_modules" || d.Name() == "testdata" ||
			d.Name() == "build" && filepath.Dir(rel) == "."
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || skipped) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, rel, text, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil && !ast.IsGenerated(tree) {
			files = append(files, &goFile{filepath.ToSlash(rel), text, tree, fset})
		}
		return err
	})
	return files, err
})

// eachGoFile calls f for the Go sources of the repository but for testdata.
func eachGoFile(t *testing.T, f func(*goFile)) {
	t.Helper()
	files, err := goFiles()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Error("no Go source was looked at")
	}
	for _, file := range files {
		f(file)
	}
}

// wideComments lists the lines of a source that are a comment and too wide. One that cannot be
// broken, such as an address or a directive, is none.
func wideComments(f *goFile) (lines []int) {
	all := strings.Split(string(f.text), "\n")
	for _, g := range f.tree.Comments {
		for _, c := range g.List {
			line := f.fset.Position(c.Pos()).Line
			text := all[line-1]
			words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(text), "//"))
			breakable := strings.HasPrefix(c.Text, "// ") && !strings.HasPrefix(c.Text, "//   ") && len(words) > 1
			if breakable && strings.HasPrefix(strings.TrimSpace(text), "//") && columns(text) > commentWidth {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// columns is the width of a line.
func columns(line string) int {
	return utf8.RuneCountInString(line) + (tabWidth-1)*strings.Count(line, "\t")
}

// common are methods of the standard library's interfaces, whose names say what they do.
var common = []string{"Close", "Error", "Marshal", "Printf", "Run", "String", "Unmarshal", "Unwrap", "Write"}

// documented lists what is wrong with the comments of a source's declarations: functions and
// types whose comment begins with something else than their name, and exported functions of
// exported types that have none. Lines of functions without a blank line between them share the
// first one's comment.
func documented(f *goFile) (problems []string) {
	last := 0 // the last line of the function before
	for _, d := range f.tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			first := f.fset.Position(d.Pos()).Line
			joined := first == last+1
			last = f.fset.Position(d.End()).Line
			switch {
			case d.Doc != nil && !startsFor(d.Name.Name, f.path) && !beginsWith(d.Doc, d.Name.Name):
				problems = append(problems, "the comment of "+d.Name.Name+" begins with something else")
			case d.Doc == nil && needsDoc(d, f.path) && !joined:
				problems = append(problems, d.Name.Name+" has no comment")
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				s, ok := s.(*ast.TypeSpec)
				if !ok {
					continue
				}
				doc := s.Doc
				if doc == nil && !d.Lparen.IsValid() {
					doc = d.Doc
				}
				if doc != nil && !s.Assign.IsValid() && !beginsWith(doc, s.Name.Name) {
					problems = append(problems, "the comment of "+s.Name.Name+" begins with something else")
				}
			}
		}
	}
	return problems
}

// startsFor tells whether a function's name is one that the Go tool knows: its comment says what
// is tested, not what the function does.
func startsFor(name, path string) bool {
	test := regexp.MustCompile(`^(Test|Benchmark|Fuzz|Example)`).MatchString(name)
	return name == "init" || name == "main" || test && strings.HasSuffix(path, "_test.go")
}

// needsDoc tells whether others than its package can call a function by name.
func needsDoc(d *ast.FuncDecl, path string) bool {
	if !d.Name.IsExported() || strings.HasSuffix(path, "_test.go") || slices.Contains(common, d.Name.Name) {
		return false
	}
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	id, ok := t.(*ast.Ident)
	return ok && id.IsExported()
}

var article = regexp.MustCompile(`^(A|An|The) `)

// beginsWith tells whether a comment begins with a name, after an article or without one.
func beginsWith(doc *ast.CommentGroup, name string) bool {
	text := article.ReplaceAllString(doc.Text(), "")
	rest, ok := strings.CutPrefix(text, name)
	return ok && (rest == "" || !regexp.MustCompile(`^\w`).MatchString(rest))
}

func TestCommentNames(t *testing.T) {
	eachGoFile(t, func(f *goFile) {
		for _, p := range documented(f) {
			t.Errorf("%s: %s", f.path, p)
		}
	})
}

// The checks find what they are for.
func TestCommentChecks(t *testing.T) {
	long := strings.Repeat("word ", 25)
	text := "package p\n\n// " + long + "\nvar x int\n\n//   " + long + "\nvar y int\n\n" +
		"// does f.\nfunc F() {}\n\n// F2 does.\nfunc F2() {}\nfunc F3() {}\n\nfunc F4() {}\n\nfunc f5() {}\n\n" +
		"// The T is one.\ntype T int\n\n// Another one.\ntype U int\n\nfunc (T) M() {}\n\nfunc (T) String() string " +
		"{ return \"\" }\n"
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	f := &goFile{"p.go", []byte(text), tree, fset}
	if got := wideComments(f); !slices.Equal(got, []int{3}) {
		t.Errorf("wide comments in lines %d, want 3", got)
	}
	want := []string{
		"the comment of F begins with something else",
		"F4 has no comment",
		"the comment of U begins with something else",
		"M has no comment",
	}
	if got := documented(f); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
func TestCommentWidth(t *testing.T) {
	eachGoFile(t, func(f *goFile) {
		for _, line := range wideComments(f) {
			t.Errorf("%s:%d: the comment is wider than %d columns (a tab counts as 4)", f.path, line, commentWidth)
		}
	})
}
