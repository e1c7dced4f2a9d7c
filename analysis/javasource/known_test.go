package javasource

// This file checks the handlers of the programs with known answers.

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/catchlens/catchlens/internal/expect"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// A way is a way to compile the known programs.
type way struct {
	compiler     string // javac or ecj
	jdk, release int
}

func (w way) String() string { return fmt.Sprintf("%s-%d", w.compiler, w.release) }

func (w way) compile(t *testing.T, classpath []string, dir string, files []string) {
	compiler := testjdk.Javac
	if w.compiler == "ecj" {
		compiler = testjdk.ECJCompile
	}
	compiler(t, testjdk.JDK(t, w.jdk), w.release, classpath, dir, files...)
}

func TestKnownPrograms(t *testing.T) {
	knownPrograms(t, way{"javac", 17, 8}, way{"javac", 25, 25})
}

// knownPrograms checks the expectations about handlers in testdata/known.
func knownPrograms(t *testing.T, ways ...way) {
	known := filepath.Join("..", "..", "testdata", "known")
	for _, folder := range []string{"exceptions", "paper000/fig3", "paper000/fig4", "paper000/fig4jdk",
		"paper000/container", "paper001"} {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			set := expect.Load(t, []string{"handlers", "types", "synthetic"}, filepath.Join(known, folder))
			var libraries []string
			if folder == "paper001" {
				libraries = []string{testjdk.Artifact(t, "junit:junit:4.13.2"),
					testjdk.Artifact(t, "org.hamcrest:hamcrest-core:1.3")}
			}
			for _, w := range ways {
				t.Run(w.String(), func(t *testing.T) { checkKnown(t, set, w, libraries) })
			}
		})
	}
}

func checkKnown(t *testing.T, set *expect.Set, w way, libraries []string) {
	c := compiled{compiler: w.compiler, release: w.release}
	for _, file := range set.Files() {
		if r, err := expect.MinRelease(file); err != nil {
			t.Fatal(err)
		} else if r <= w.release {
			c.files = append(c.files, file)
		}
	}
	dir := t.TempDir()
	w.compile(t, libraries, dir, c.files)
	c.classes = readClasses(t, dir)
	byFile := make(map[string]*Matches)
	for _, name := range c.files {
		f := ParseCalls(readFile(t, name))
		byFile[name] = Match(f, c.classes)
		checkExplained(t, name, byFile[name])
		checkSame(t, name+" without debug information", byFile[name], Match(f, stripped(c.classes)))
	}
	checkHandlers(t, set, c, byFile)
	checkTypes(t, set, c, byFile)
	active, err := set.Active("synthetic", w.compiler, "release"+strconv.Itoa(w.release))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range active {
		if m := byFile[e.File]; m != nil {
			checkSynthetic(t, m, e)
		}
	}
}

// checkSynthetic checks that the member around an expectation has a handler of
// the expected kind that is no catch's.
func checkSynthetic(t *testing.T, m *Matches, e expect.Expectation) {
	t.Helper()
	kinds := map[string][]SyntheticKind{"finally": {AnyHandler}, "synchronized": {AnyHandler},
		"resource": {AnyHandler, Resource}, "switch": {Pattern}}
	offset := int(m.File.LineStarts[e.Line-1])
	for _, x := range m.File.Types {
		for _, mem := range x.Members {
			if !mem.Body.Contains(offset) {
				continue
			}
			for _, s := range m.Synthetic {
				for _, ref := range m.Methods[mem] {
					for _, kind := range kinds[e.Strings()[0]] {
						if s.Class == ref.Class && s.Method == ref.Method && s.Kind == kind {
							return
						}
					}
				}
			}
		}
	}
	t.Errorf("%s: no such handler: %s", e.Position(), e)
}
