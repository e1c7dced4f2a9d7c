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

	"catchlens/analysis/facts"
	"catchlens/analysis/jimage"
	"catchlens/internal/testjdk"
)

// corpus is a set of source files with the classes compiled from each.
type corpus struct {
	name    string
	sources map[string][]byte // by path below the source root
	classes map[string][]*facts.Class
}

// key names a source file by its package and name, as classes do.
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
		f := Parse(c.sources[name])
		g.files++
		if f.Broken {
			g.broken++
			log("%s: broken", name)
		}
		m := Match(f, classes)
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
		bare := Match(f, stripped(classes))
		for _, x := range f.Catches {
			if fmt.Sprint(m.Handlers[x]) != fmt.Sprint(bare.Handlers[x]) {
				g.differ++
				log("%s:%d: without debug information %v, with it %v", name, f.Line(x.Keyword.Start), bare.Handlers[x], m.Handlers[x])
			}
		}
	}
	return g
}

func TestMatchJDK(t *testing.T) {
	c := jdkCorpus(t, "java.base", "jdk.compiler")
	shown := 0
	g := measure(c, func(format string, args ...any) {
		if shown++; shown < 200 {
			t.Logf(format, args...)
		}
	})
	t.Logf("%s: %+v", c.name, g)
}

func TestJavacAgreesOnJDK(t *testing.T) {
	home, src := jdkWithSources(t)
	dir := t.TempDir()
	var files []string
	readZip(t, src, func(name string, data []byte) {
		module, _, _ := strings.Cut(name, "/")
		if module != "java.base" && module != "jdk.compiler" || !strings.HasSuffix(name, ".java") {
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
	if len(files) < 3500 {
		t.Errorf("only %d sources", len(files))
	}
	n := compareWithJavac(t, home, files)
	t.Logf("%d positions in %d files", n, len(files))
	if n < 250000 {
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
		coordinates                 string
		catches, dropped, ambiguous int
	}{
		{"org.eclipse.jdt:ecj:3.45.0", 0, 0, 0},              // compiled by ECJ
		{"org.apache.commons:commons-lang3:3.17.0", 0, 0, 0}, // javac
		{"commons-io:commons-io:2.18.0", 0, 0, 0},
		{"commons-codec:commons-codec:1.17.1", 0, 0, 0},
		{"org.apache.commons:commons-csv:1.12.0", 0, 0, 0},
		{"joda-time:joda-time:2.10.14", 0, 0, 0},
		{"junit:junit:4.13.2", 0, 0, 0},
	} {
		t.Run(x.coordinates, func(t *testing.T) {
			g := measure(jarCorpus(t, x.coordinates), t.Logf)
			t.Logf("%+v", g)
		})
	}
}
