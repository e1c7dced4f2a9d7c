package exceptions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/cha"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/datareach"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/analysis/studied"
	"github.com/catchlens/catchlens/internal/expect"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file checks the programs of testdata/known.

// checkedKinds are the kinds of expectation that exception-flow answers.
var checkedKinds = []string{"throws", "reachingThrows", "links", "nolinks", "includes", "excludes", "linkcount",
	"arrives", "cause"}

// folder is one program of testdata/known.
type folder struct {
	path string // below testdata/known
	root string // below it the source folder: where packages start
	test bool   // entry points are JUnit tests, not mains
}

var folders = []folder{
	{path: "exceptions", root: "."},
	{path: "paper000/fig3", root: "paper000"},
	{path: "paper000/fig4", root: "paper000/fig4"},
	{path: "paper000/fig4jdk", root: "paper000"},
	{path: "paper000/container", root: "paper000"},
	{path: "paper001", root: ".", test: true},
}

// compilation says how to compile a program and what to analyse it with.
type compilation struct {
	ecj     bool
	release int
	jdk     int // compiled by and analysed with
}

func (c compilation) String() string {
	if c.ecj {
		return fmt.Sprintf("ecj-%d-jdk%d", c.release, c.jdk)
	}
	return fmt.Sprintf("javac-%d-jdk%d", c.release, c.jdk)
}

func (c compilation) words(algorithm string) []string {
	compiler := "javac"
	if c.ecj {
		compiler = "ecj"
	}
	return []string{algorithm, compiler, fmt.Sprintf("release%d", c.release), fmt.Sprintf("jdk%d", c.jdk),
		"checked+own", "native", "explicit"}
}

// The fast test has the call graphs that take little time, and on the paper's
// programs the paper's best.
func TestKnownPrograms(t *testing.T) {
	graphs := func(f folder, c compilation) []string {
		switch {
		case c.jdk == 17 && f.path == "paper000/container":
			return []string{"cha", "rta", "inpta-dr", "obj-dr"}
		case c.jdk == 17 && strings.HasPrefix(f.path, "paper000/"):
			return []string{"cha", "rta", "inpta-dr"}
		}
		return []string{"cha", "rta"}
	}
	knownPrograms(t, graphs, compilation{release: 8, jdk: 17}, compilation{release: 25, jdk: 25})
}

// knownPrograms checks every folder under every compilation, with those call
// graphs that a function chooses.
func knownPrograms(t *testing.T, graphs func(folder, compilation) []string, compilations ...compilation) {
	known := filepath.Join("..", "..", "testdata", "known")
	for _, f := range folders {
		t.Run(filepath.Base(f.path), func(t *testing.T) {
			set := expect.Load(t, checkedKinds, filepath.Join(known, f.path))
			var used []string
			for _, c := range compilations {
				used = append(used, graphs(f, c)...)
				t.Run(c.String(), func(t *testing.T) { checkFolder(t, set, known, f, c, graphs(f, c)) })
			}
			set.SetAside(used)
		})
	}
}

// knownProgram is a compiled folder under one configuration.
type knownProgram struct {
	*programtest.Program
	t       *testing.T
	set     *expect.Set
	files   []string // sources compiled
	parsed  map[string]*javasource.File
	matches map[string]*javasource.Matches
	result  *exceptions.Result
	targets []exceptions.HandlerRef
}

func checkFolder(t *testing.T, set *expect.Set, known string, f folder, c compilation, graphs []string) {
	home := testjdk.JDK(t, c.jdk)
	k := &knownProgram{t: t, set: set, parsed: map[string]*javasource.File{}, matches: map[string]*javasource.Matches{}}
	for _, file := range set.Files() {
		if r, err := expect.MinRelease(file); err != nil {
			t.Fatal(err)
		} else if r <= c.release {
			k.files = append(k.files, file)
		}
	}
	out := t.TempDir()
	var libraries []string
	if f.test {
		libraries = []string{testjdk.Artifact(t, "junit:junit:4.13.2"),
			testjdk.Artifact(t, "org.hamcrest:hamcrest-core:1.3")}
	}
	if c.ecj {
		testjdk.ECJCompile(t, home, c.release, libraries, out, k.files...)
	} else {
		testjdk.Javac(t, home, c.release, libraries, out, k.files...)
	}
	copyServices(t, filepath.Join(known, f.path, "META-INF"), filepath.Join(out, "META-INF"))
	k.Program = programtest.Open(t, home, facts.Options{}, 1, append([]string{out}, libraries...)...)
	k.match(filepath.Join(known, f.root))
	for _, algorithm := range graphs {
		k.analyse(algorithm, f.test)
		k.check(c.words(algorithm))
	}
	for _, p := range k.Problems {
		t.Errorf("%s: %s", p.Class, p.Message)
	}
}

// copyServices copies a META-INF folder, if there is one.
func copyServices(t *testing.T, from, to string) {
	if _, err := os.Stat(from); err == nil {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
}

// match parses the sources and finds the handlers of their catches.
func (k *knownProgram) match(root string) {
	var classes []*facts.Class
	for _, n := range k.Workspace {
		c, _ := k.Class(n)
		classes = append(classes, c)
	}
	for _, file := range k.files {
		text, err := os.ReadFile(file)
		if err != nil {
			k.t.Fatal(err)
		}
		k.parsed[file] = javasource.Parse(text)
		m := javasource.Match(k.parsed[file], classes)
		k.matches[file] = m
		for _, c := range k.parsed[file].Catches {
			for _, h := range m.Handlers[c] {
				k.targets = append(k.targets, exceptions.HandlerRef(h))
			}
		}
	}
}

// analyse builds the call graph and finds the links.
func (k *knownProgram) analyse(algorithm string, tests bool) {
	cfg := callgraph.Config{Workspace: k.Workspace, Providers: k.Providers}
	if tests {
		cfg.Entries = features.TestEntries(k, k.Workspace)
	} else {
		cfg.Entries = features.MainEntries(k, k.Workspace)
	}
	h := hierarchy.New(k)
	var g *callgraph.Graph
	var points *pointsto.Result
	switch base, _, reach := strings.Cut(algorithm, "-"); {
	case algorithm == "cha":
		g = cha.Build(h, cfg)
	case algorithm == "rta":
		g = rta.Build(h, cfg)
	default:
		points = pointsto.Build(h, cfg, policies[base])
		g = points.Graph
		if !reach {
			points = nil
		}
	}
	for _, p := range g.Problems() {
		k.t.Errorf("%s: %s", p.Class, p.Message)
	}
	k.result = exceptions.Analyze(g, k.targets, studied.Default(k.Own), nil)
	if points != nil {
		k.result = datareach.Confirm(g, points, k.result, k.Bytes, nil).Result()
	}
}

// policies are the contexts of call graphs, by the first part of their names.
var policies = map[string]pointsto.Policy{"pta": pointsto.Insensitive, "inpta": pointsto.Constructors,
	"obj": pointsto.Containers}

// check checks the expectations that hold under a configuration.
func (k *knownProgram) check(words []string) {
	for _, kind := range checkedKinds {
		list, err := k.set.Active(kind, words...)
		if err != nil {
			k.t.Fatal(err)
		}
		for _, e := range list {
			if !slices.Contains(k.files, e.File) {
				continue
			}
			switch kind {
			case "throws":
				k.checkThrow(e, words[0])
			case "reachingThrows":
				k.checkReaching(e, words[0])
			default:
				k.checkCatch(e, words[0])
			}
		}
	}
}

// siteName is what expectations call a throw site.
func (k *knownProgram) siteName(s exceptions.ThrowSite) string {
	method, _, _ := strings.Cut(s.Method, "(")
	file := ""
	if k.Own(s.Class) {
		c, _ := k.Class(s.Class)
		suffix := c.SourceFile
		if p := hierarchy.Package(s.Class); p != "" {
			suffix = p + "/" + suffix
		}
		for _, f := range k.files {
			if strings.HasSuffix(filepath.ToSlash(f), "/"+suffix) {
				file = f
			}
		}
	}
	return k.set.SiteName(s.Class, method, file, s.Line)
}

// checkReaching checks RT of the methods whose name stands on a line.
func (k *knownProgram) checkReaching(e expect.Expectation, algorithm string) {
	f, m := k.parsed[e.File], k.matches[e.File]
	var got []string
	found := false
	for _, t := range f.Types {
		for _, member := range t.Members {
			if f.Line(member.NameSpan.Start) != e.Line {
				continue
			}
			for _, ref := range m.Methods[member] {
				found = true
				for _, s := range k.result.ReachingThrows(ref.Class, ref.Method) {
					got = append(got, k.siteName(s))
				}
			}
		}
	}
	if !found {
		k.t.Errorf("%s: no method stands here", e.Position())
	}
	k.compare(e, algorithm, e.Strings(), unique(got))
}

// checkThrow checks what the code says of the object that the throws of a line
// throw.
func (k *knownProgram) checkThrow(e expect.Expectation, algorithm string) {
	f := k.parsed[e.File]
	var got []string
	found := false
	for _, t := range f.Throws {
		if f.Line(t.Keyword.Start) != e.Line {
			continue
		}
		for _, ref := range k.matches[e.File].MatchThrow(t) {
			found = true
			c, _ := k.Class(ref.Class)
			m := &c.Methods[ref.Method]
			for _, s := range m.Throws()[ref.Site].Sources {
				got = append(got, sourceTypes(m, s)...)
			}
		}
	}
	if !found {
		k.t.Errorf("%s: no throw stands here", e.Position())
	}
	k.compare(e, algorithm, e.Strings(), unique(got))
}

// sourceTypes are the types of an object thrown, as binary names.
func sourceTypes(m *facts.Method, s facts.Source) []string {
	types := []string{s.Type}
	switch {
	case s.Kind == facts.NullSource:
		types[0] = "java/lang/NullPointerException"
	case s.Kind == facts.CaughtSource && s.Type == "":
		types = slices.Clone(m.Handlers()[s.Handler].Types)
	}
	for i := range types {
		types[i] = strings.ReplaceAll(types[i], "/", ".")
	}
	return types
}

func unique(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return slices.Compact(s)
}

// compare reports two different sets of names.
func (k *knownProgram) compare(e expect.Expectation, algorithm string, want, got []string) {
	if want = unique(want); !slices.Equal(want, got) {
		k.t.Errorf("%s (%s): want %s, got %s", e.Position(), algorithm, expect.Format(e.Kind, want...),
			expect.Format(e.Kind, got...))
	}
}

// checkCatch checks an expectation about a catch.
func (k *knownProgram) checkCatch(e expect.Expectation, algorithm string) {
	var names, types []string
	causes := map[string][]string{}
	links := k.linksOf(e)
	for _, id := range links {
		l := k.result.Link(id)
		name := k.siteName(l.Site)
		names = append(names, name)
		types = append(types, strings.ReplaceAll(l.Exception, "/", "."))
		for c := range k.result.Causes(id) {
			causes[name] = append(causes[name], k.siteName(k.result.Link(c).Site))
		}
	}
	names, types = unique(names), unique(types)
	switch e.Kind {
	case "links":
		k.compare(e, algorithm, e.Strings(), names)
	case "nolinks":
		k.compare(e, algorithm, nil, names)
	case "arrives":
		k.compare(e, algorithm, e.Strings(), types)
	case "includes", "excludes":
		for _, s := range e.Strings() {
			if slices.Contains(names, s) != (e.Kind == "includes") {
				k.t.Errorf("%s (%s): %s, got %s", e.Position(), algorithm, e, expect.Format("links", names...))
			}
		}
	case "linkcount":
		k.checkCount(e, algorithm, len(links))
	case "cause":
		if s := e.Strings(); !slices.Contains(causes[s[0]], s[1]) {
			k.t.Errorf("%s (%s): %s, the causes of %s are %q", e.Position(), algorithm, e, s[0], causes[s[0]])
		}
	}
}

func (k *knownProgram) checkCount(e expect.Expectation, algorithm string, n int) {
	low, high := n, n
	if v, ok := e.Int(""); ok {
		low, high = v, v
	}
	if v, ok := e.Int("min"); ok {
		low = v
	}
	if v, ok := e.Int("max"); ok {
		high = v
	}
	if n < low || n > high {
		k.t.Errorf("%s (%s): want %s, got linkcount(%s)", e.Position(), algorithm, e, strconv.Itoa(n))
	}
}

// linksOf lists the links of the catch on an expectation's line.
func (k *knownProgram) linksOf(e expect.Expectation) []exceptions.LinkID {
	f := k.parsed[e.File]
	var catches []*javasource.Catch
	for _, c := range f.Catches {
		if f.Line(c.Keyword.Start) == e.Line {
			catches = append(catches, c)
		}
	}
	i := max(e.Index, 1) - 1
	if i >= len(catches) || e.Index == 0 && len(catches) != 1 {
		k.t.Errorf("%s: %d catches on the line", e.Position(), len(catches))
		return nil
	}
	seen := map[exceptions.ThrowSite]bool{}
	var out []exceptions.LinkID
	for _, h := range k.matches[e.File].Handlers[catches[i]] {
		for _, id := range k.result.LinksAt(slices.Index(k.targets, exceptions.HandlerRef(h))) {
			k.checkChain(id)
			if l := k.result.Link(id); !seen[l.Site] {
				seen[l.Site] = true
				out = append(out, id)
			}
		}
	}
	return out
}

// checkChain checks that the chain of a link leads from its handler's method to
// its throw site.
func (k *knownProgram) checkChain(id exceptions.LinkID) {
	l, chain := k.result.Link(id), k.result.Chain(id)
	h := k.result.Handler(l.Target)
	c, _ := k.Class(h.Class)
	m := &c.Methods[h.Method]
	first, last := chain[0], chain[len(chain)-1]
	if first.Class != h.Class || first.Method != m.Name+m.Desc {
		k.t.Errorf("chain of %+v begins with %+v", l, first)
	}
	if last.Class != l.Site.Class || last.Method != l.Site.Method || last.Line != l.Site.Line {
		k.t.Errorf("chain of %+v ends with %+v", l, last)
	}
	if n, limited := k.result.CountChains(id, 5); n == 0 && !limited {
		k.t.Errorf("no chain of %+v is found", l)
	}
	if !k.result.Predicts(l.Site, l.Target) {
		k.t.Errorf("%+v is not predicted", l)
	}
}
