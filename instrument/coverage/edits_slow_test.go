//go:build slow

package coverage

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/instrument/planner/plancache"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// Edits of a line of a file: a number changes, a call is added, a condition is. The last two go
// before a return.
var (
	returnsNumber = regexp.MustCompile(`^\s+return \d;$`)
	returns       = regexp.MustCompile(`^\s+return\b`)
	statementEnds = regexp.MustCompile(`[;{}]$`)
	edits         = []func(line, before string) string{
		func(line, _ string) string {
			if returnsNumber.MatchString(line) {
				return strings.Replace(line, ";", " + 10;", 1)
			}
			return ""
		},
		func(line, before string) string { return addedBefore(line, before, "System.nanoTime();") },
		func(line, before string) string {
			return addedBefore(line, before, "if (System.nanoTime() == 0) { System.gc(); }")
		},
	}
)

func addedBefore(line, before, statement string) string {
	if !returns.MatchString(line) || !statementEnds.MatchString(before) {
		return ""
	}
	return statement + "\n" + line
}

// sources are the files of a jar, by name.
func sources(t *testing.T, jar string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(jar)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	texts := map[string]string{}
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, ".java") || strings.HasSuffix(f.Name, "-info.java") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		texts[f.Name] = string(text)
	}
	return texts
}

// edit makes an edit of a file at the k-th line that it fits; false if there are fewer.
func edit(text string, e func(line, before string) string, k int) (string, bool) {
	lines, before := strings.Split(text, "\n"), ""
	for i, line := range lines {
		if with := e(line, before); with != "" {
			if k == 0 {
				lines[i] = with
				return strings.Join(lines, "\n"), true
			}
			k--
		}
		if strings.TrimSpace(line) != "" {
			before = line
		}
	}
	return "", false
}

// compiled compiles files, and returns the graphs of their methods.
func compiled(t *testing.T, files map[string]string, jar string) map[string]*planner.Graph {
	t.Helper()
	out := t.TempDir()
	testjdk.JavacTexts(t, testjdk.JDK(t, 17), 8, []string{jar}, t.TempDir(), out, files)
	graphs := map[string]*planner.Graph{}
	err := filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		c, err := classfile.Parse(data)
		if err != nil {
			return err
		}
		for _, m := range c.Methods {
			g, err := GraphOf(c, m)
			if err != nil {
				return err
			}
			if g != nil {
				graphs[c.Name()+"."+c.MemberName(m)+c.MemberDesc(m)] = g
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return graphs
}

// Of 500 edits of commons-lang3 only methods whose graph has changed are planned again, and each
// plan is the one that would be made.
func TestEditsFindTheirPlans(t *testing.T) {
	const wanted = 500
	jar := testjdk.Artifact(t, "org.apache.commons:commons-lang3:3.17.0")
	files := sources(t, testjdk.Artifact(t, "org.apache.commons:commons-lang3:3.17.0:sources"))
	before := compiled(t, files, jar)
	dir := t.TempDir()
	say := func(problem string) { t.Error(problem) }
	c := plancache.Open(dir, say)
	for _, g := range before {
		if _, err := c.Make(g, Technique, planner.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	first := c.Counts()
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	made, methods, changed, planned := 0, 0, 0, 0
	for round := 0; made < wanted; round++ {
		edited := map[string]string{}
		for name, text := range files {
			if made == wanted {
				break
			}
			if with, ok := edit(text, edits[round%len(edits)], round/len(edits)); ok {
				edited[name] = with
				made++
			}
		}
		if len(edited) == 0 {
			t.Fatalf("only %d edits", made)
		}
		c := plancache.Open(dir, say) // as another process, which has what there was before all edits
		for method, g := range compiled(t, edited, jar) {
			old := before[method]
			same := old != nil && fmt.Sprint(old.Edges, old.Leaves) == fmt.Sprint(g.Edges, g.Leaves)
			counts := c.Counts()
			got, err := c.Make(g, Technique, planner.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want, err := planner.Make(g, Technique, planner.Options{})
			if err != nil || !slices.Equal(got.Covers, want.Covers) {
				t.Fatalf("%s: %v, not %v (%v)", method, got.Covers, want.Covers, err)
			}
			anew := c.Counts().Made > counts.Made
			if same && anew {
				t.Errorf("%s was planned again, its graph is as before", method)
			}
			methods++
			if !same {
				changed++
			}
			if anew {
				planned++
			}
		}
	}
	t.Logf("%d methods with %+v; %d edits: of %d methods in the files that were edited %d have another graph, "+
		"and %d were planned", len(before), first, made, methods, changed, planned)
	if changed == 0 || planned == 0 || planned > changed {
		t.Errorf("%d of %d methods have another graph, %d were planned", changed, methods, planned)
	}
}
