//go:build slow

package javasource

// This file checks matches against the truth: each catch is compiled with a
// call at its start that says which one it is.

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// marked returns the source with Mark.hit("<prefix><n>") at the start of the
// n-th catch.
func marked(src []byte, prefix, class string) []byte {
	f := Parse(src)
	var b strings.Builder
	last := 0
	for i, c := range f.Catches {
		b.Write(src[last : c.Body.Start+1])
		fmt.Fprintf(&b, " %s.hit(%q);", class, prefix+strconv.Itoa(i))
		last = c.Body.Start + 1
	}
	b.Write(src[last:])
	return []byte(b.String())
}

// checkMarks compares a match with the marks in the classes. It returns how
// many handlers were right and wrong.
func checkMarks(t *testing.T, what, prefix string, m *Matches) (right, wrong int) {
	t.Helper()
	index := make(map[*Catch]int)
	for i, c := range m.File.Catches {
		index[c] = i
	}
	for ref, c := range m.Catches {
		method := &m.byName[ref.Class].Methods[ref.Method]
		got := "no mark"
		if calls := callsFrom(method, method.Handlers()[ref.Handler].PC, 1); len(calls) == 1 &&
			calls[0].Name == "hit" && len(calls[0].Args()) == 1 {
			got = calls[0].Args()[0].Value
		}
		if want := prefix + strconv.Itoa(index[c]); got == want {
			right++
		} else {
			wrong++
			t.Logf("%s: %s taken for %s (mark %s, want %s)", what, describe(m, ref), c.ID, got, want)
		}
	}
	return right, wrong
}

// countMarks counts the marks of a file in the classes.
func countMarks(classes []*facts.Class, prefix string) int {
	n := 0
	for _, c := range classes {
		for i := range c.Methods {
			for j := range c.Methods[i].Calls {
				call := &c.Methods[i].Calls[j]
				if call.Name == "hit" && len(call.Args()) == 1 && strings.HasPrefix(call.Args()[0].Value, prefix) {
					n++
				}
			}
		}
	}
	return n
}

// markedCorpus compiles sources with marks and checks all matches, with and
// without debug information. It returns the number of handlers, and of those
// that are wrong or missing without debug information.
func markedCorpus(t *testing.T, compiler testjdk.Compiler, home string, release int, sources map[string][]byte,
	classpath []string, pkg string) (handlers, bareWrong, bareMissing int) {
	t.Helper()
	dir, out := t.TempDir(), t.TempDir()
	write := func(name string, data []byte) string {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	files := []string{write(pkg+"/Mark.java",
		[]byte("package "+strings.ReplaceAll(pkg, "/", ".")+
			"; public class Mark { public static void hit(String s) { } }"))}
	texts := make(map[string][]byte)
	n := 0
	for name, src := range sources {
		prefix := fmt.Sprintf("f%d:", n)
		n++
		texts[prefix] = marked(src, prefix, strings.ReplaceAll(pkg, "/", ".")+".Mark")
		files = append(files, write(name, texts[prefix]))
	}
	compiler(t, home, release, classpath, out, files...)
	classes := readClasses(t, out)
	bare := stripped(classes)
	for prefix, text := range texts {
		f := Parse(text)
		marks := countMarks(classes, prefix)
		right, wrong := checkMarks(t, "with debug information", prefix, Match(f, classes))
		if wrong > 0 || right != marks {
			t.Errorf("%s: %d handlers found, %d of them wrong, want %d", f.Package, right+wrong, wrong, marks)
		}
		handlers += right
		right, wrong = checkMarks(t, "without debug information", prefix, Match(f, bare))
		bareWrong += wrong
		bareMissing += marks - right - wrong
	}
	return handlers, bareWrong, bareMissing
}

func TestMarkedFixtures(t *testing.T) {
	home := testjdk.JDK(t, 25)
	for name, compiler := range map[string]testjdk.Compiler{"javac": testjdk.Javac, "ecj": testjdk.ECJCompile} {
		for _, release := range []int{8, 25} {
			t.Run(fmt.Sprintf("%s-%d", name, release), func(t *testing.T) {
				sources := make(map[string][]byte)
				for file, src := range fixtures(t) {
					switch base := filepath.Base(file); base {
					case "Compact.java": // the unnamed package
					case "Modern17.java", "Modern25.java":
						if release == 25 {
							sources["match/"+base] = src
						}
					default:
						sources["match/"+base] = src
					}
				}
				handlers, wrong, missing := markedCorpus(t, compiler, home, release, sources, nil, "match")
				t.Logf("%d handlers", handlers)
				if handlers < 140 || wrong > 0 || missing > 0 {
					t.Errorf("%d handlers; without debug information %d wrong, %d missing", handlers, wrong, missing)
				}
			})
		}
	}
}

// TestMarkedProjects does the same with real sources.
func TestMarkedProjects(t *testing.T) {
	home := testjdk.JDK(t, 17)
	for _, x := range []struct {
		coordinates string
		handlers    int
	}{
		{"commons-io:commons-io:2.18.0", 130},
	} {
		for name, compiler := range map[string]testjdk.Compiler{"javac": testjdk.Javac, "ecj": testjdk.ECJCompile} {
			t.Run(x.coordinates+"/"+name, func(t *testing.T) {
				sources := make(map[string][]byte)
				readZip(t, testjdk.Artifact(t, x.coordinates+":sources"), func(file string, data []byte) {
					if strings.HasSuffix(file, ".java") {
						sources[file] = data
					}
				})
				handlers, wrong, missing := markedCorpus(t, compiler, home, 8, sources, nil, "marks")
				t.Logf("%d handlers", handlers)
				if handlers < x.handlers || wrong > 0 || missing > 0 {
					t.Errorf("%d handlers; without debug information %d wrong, %d missing", handlers, wrong, missing)
				}
			})
		}
	}
}
