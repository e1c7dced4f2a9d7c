//go:build slow

package javasource

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/jimage"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// corpus is a set of source files with the classes compiled from each.
type corpus struct {
	name    string
	sources map[string][]byte // by path below the source root
	classes map[string][]*facts.Class
}

// add keeps a class under its source file, named by its package and name, as classes do.
func (c *corpus) add(x *facts.Class) {
	name := path.Join(path.Dir(x.Name), x.SourceFile)
	c.classes[name] = append(c.classes[name], x)
}

func readZip(t testing.TB, file string, each func(name string, data []byte)) {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		each(f.Name, data)
	}
}

// jdkWithSources finds a JDK that has its sources.
func jdkWithSources(t testing.TB) (home, src string) {
	t.Helper()
	for _, home := range testjdk.All(t) {
		for _, name := range []string{"lib/src.zip", "src.zip"} {
			src := filepath.Join(home, name)
			if _, err := os.Stat(src); err == nil {
				return home, src
			}
		}
	}
	testjdk.Missing(t, "a JDK with src.zip")
	return "", ""
}

// jdkCorpus reads modules of a JDK.
func jdkCorpus(t testing.TB, modules ...string) *corpus {
	t.Helper()
	home, src := jdkWithSources(t)
	c := &corpus{name: filepath.Base(home), sources: make(map[string][]byte), classes: make(map[string][]*facts.Class)}
	wanted := make(map[string]bool)
	for _, m := range modules {
		wanted[m] = true
	}
	readZip(t, src, func(name string, data []byte) {
		module, rest, _ := strings.Cut(name, "/")
		if wanted[module] && strings.HasSuffix(rest, ".java") {
			c.sources[rest] = data
		}
	})
	image, err := jimage.Open(jimage.PathIn(home))
	if err != nil {
		t.Fatal(err)
	}
	defer image.Close()
	err = image.Each(func(l jimage.Location, err error) error {
		if err != nil || !wanted[l.Module] || l.Ext != "class" {
			return err
		}
		data, err := image.Read(l)
		if err != nil {
			return err
		}
		c.add(factsOf(t, l.Name(), data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// figures are what a corpus shows.
type figures struct {
	files, catches, found, dead, handlers, copied int
	unexplained, broken, differ                   int
	synthetic                                     map[SyntheticKind]int
	throws, calls                                 sites
	matching                                      time.Duration
}

// sites are what matching throws or calls shows.
type sites struct {
	inSource, found, several int // statements; those with a match, with several
	inCode, covered          int // instructions that may come from the source; those matched
}

func (s *sites) add(refs []SiteRef, covered map[SiteRef]bool) {
	s.inSource++
	if len(refs) > 0 {
		s.found++
	}
	if len(refs) > 1 {
		s.several++
	}
	for _, r := range refs {
		covered[r] = true
	}
}

// measureSites matches the throws and calls of a file.
func (g *figures) measureSites(m *Matches, name string, log func(format string, args ...any)) {
	throws, calls := make(map[SiteRef]bool), make(map[SiteRef]bool)
	for _, t := range m.File.Throws {
		refs := m.MatchThrow(t)
		g.throws.add(refs, throws)
		if len(refs) == 0 {
			log("%s:%d: throw %q not found", name, m.File.Line(t.Keyword.Start), t.Type)
		}
	}
	for _, c := range m.File.Calls {
		refs := m.MatchCall(c)
		g.calls.add(refs, calls)
		if len(refs) == 0 {
			log("%s:%d: call of %s%s/%d not found", name, m.File.Line(c.NameSpan.Start), c.Name, c.TypeName, c.Args)
		}
	}
	g.throws.covered += len(throws)
	g.calls.covered += len(calls)
	for _, c := range m.Classes {
		for i := range c.Methods {
			for j := range c.Methods[i].Throws() {
				if m.ownThrow(c, i, &c.Methods[i].Throws()[j]) {
					g.throws.inCode++
					if !throws[SiteRef{c.Name, i, j}] {
						log("%s: athrow of %s.%s line %d not covered: %+v", name, c.Name, c.Methods[i].Name,
							c.Methods[i].Throws()[j].Line, c.Methods[i].Throws()[j].Sources)
					}
				}
			}
			g.calls.inCode += len(c.Methods[i].Calls)
		}
	}
}

// measure matches a whole corpus. Complaints go to log.
func measure(c *corpus, log func(format string, args ...any)) figures {
	g := figures{synthetic: make(map[SyntheticKind]int)}
	var names []string
	for name := range c.sources {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		classes := c.classes[name]
		if len(classes) == 0 {
			continue
		}
		f := ParseCalls(c.sources[name])
		g.files++
		if f.Broken {
			g.broken++
			log("%s: broken", name)
		}
		start := time.Now()
		m := Match(f, classes)
		g.matching += time.Since(start)
		for _, x := range f.Catches {
			g.catches++
			switch n := len(m.Handlers[x]); {
			case n > 0:
				g.found++
				g.handlers += n
				if n > 1 {
					g.copied++
				}
			case x.dead():
				g.dead++
			default:
				log("%s:%d: no handler for %s %v", name, f.Line(x.Keyword.Start), x.ID, x.Types)
			}
		}
		for _, s := range m.Synthetic {
			g.synthetic[s.Kind]++
			if s.Kind == Unexplained || s.Kind == NoSource {
				g.unexplained++
				log("%s: %v %s", name, s.Kind, describe(m, s.HandlerRef))
			}
		}
		g.measureSites(m, name, log)
		bare := Match(f, stripped(classes))
		for _, x := range f.Catches {
			if fmt.Sprint(m.Handlers[x]) != fmt.Sprint(bare.Handlers[x]) {
				g.differ++
				log("%s:%d: without debug information %v, with it %v", name, f.Line(x.Keyword.Start), bare.Handlers[x],
					m.Handlers[x])
			}
		}
	}
	return g
}

// checkFigures compares what a corpus shows with the bounds for it: at least
// so many catches; all but so many with a handler; so many of which debug
// information decides; every typed handler a catch's or a compiler's.
func checkFigures(t *testing.T, name string, g figures, catches, dropped, decided int) {
	t.Helper()
	t.Logf("%s: %+v", name, g)
	if g.catches < catches {
		t.Errorf("%d catches, want at least %d", g.catches, catches)
	}
	if n := g.catches - g.found - g.dead; n > dropped {
		t.Errorf("%d catches without a handler, want at most %d", n, dropped)
	}
	if g.unexplained > 0 || g.broken > 0 {
		t.Errorf("%d handlers unexplained, %d files broken, want none", g.unexplained, g.broken)
	}
	// What is not found is dead code (ECJ's own sources have much of it).
	if n := g.throws.inSource - g.throws.found; n*40 > g.throws.inSource {
		t.Errorf("%d of %d throw statements not found", n, g.throws.inSource)
	}
	if n := g.calls.inSource - g.calls.found; n*80 > g.calls.inSource {
		t.Errorf("%d of %d calls not found", n, g.calls.inSource)
	}
	if n := g.throws.several + g.calls.several; n*40 > g.calls.inSource {
		t.Errorf("%d throws and calls with several matches", n)
	}
	if g.differ > decided {
		t.Errorf("%d catches have other handlers without debug information, want at most %d", g.differ, decided)
	}
}

// first logs the first n complaints.
func first(t *testing.T, n int) func(format string, args ...any) {
	return func(format string, args ...any) {
		if n--; n >= 0 {
			t.Logf(format, args...)
		}
	}
}

func TestMatchJDK(t *testing.T) {
	// Dropped: dead code, as a constant is 0 on Linux.
	checkFigures(t, "JDK", measure(jdkCorpus(t, "java.base", "jdk.compiler"), first(t, 300)), 4100, 1, 2)
}

func TestJavacAgreesOnJDK(t *testing.T) {
	home, src := jdkWithSources(t)
	dir := t.TempDir()
	var files []string
	readZip(t, src, func(name string, data []byte) {
		module, _, _ := strings.Cut(name, "/")
		if module != "jdk.compiler" && !strings.HasPrefix(name, "java.base/java/") ||
			!strings.HasSuffix(name, ".java") {
			return
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	})
	if len(files) < 1500 {
		t.Errorf("only %d sources", len(files))
	}
	n := compareWithJavac(t, home, files)
	t.Logf("%d positions in %d files", n, len(files))
	if n < 150000 {
		t.Errorf("only %d positions compared", n)
	}
}

// jarCorpus reads an artifact and its sources.
func jarCorpus(t testing.TB, coordinates string) *corpus {
	t.Helper()
	c := &corpus{name: coordinates, sources: make(map[string][]byte), classes: make(map[string][]*facts.Class)}
	readZip(t, testjdk.Artifact(t, coordinates+":sources"), func(name string, data []byte) {
		if strings.HasSuffix(name, ".java") {
			c.sources[name] = data
		}
	})
	readZip(t, testjdk.Artifact(t, coordinates), func(name string, data []byte) {
		if strings.HasSuffix(name, ".class") && !strings.HasPrefix(name, "META-INF/") {
			c.add(factsOf(t, name, data))
		}
	})
	return c
}

func TestMatchJars(t *testing.T) {
	for _, x := range []struct {
		coordinates string
		catches     int
	}{
		{"org.eclipse.jdt:ecj:3.45.0", 435}, // compiled by ECJ, the others by javac
		{"org.apache.commons:commons-lang3:3.17.0", 94},
		{"commons-io:commons-io:2.18.0", 133},
		{"commons-io:commons-io:2.7", 93}, // javac 8
		{"commons-codec:commons-codec:1.17.1", 22},
		{"org.apache.commons:commons-csv:1.12.0", 1},
		{"joda-time:joda-time:2.10.14", 77},
		{"junit:junit:4.13.2", 165},
	} {
		t.Run(x.coordinates, func(t *testing.T) {
			checkFigures(t, x.coordinates, measure(jarCorpus(t, x.coordinates), first(t, 100)), x.catches, 0, 0)
		})
	}
}
