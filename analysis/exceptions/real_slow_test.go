//go:build slow

package exceptions_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/cha"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/studied"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file runs the analysis on real programs and checks what must hold of any
// result; benchmarks measure it.

// project is a program of Maven Central with its tests.
type project struct {
	name      string
	own       []string // artifacts of the workspace
	libraries []string
	entries   string // tests or public
	// floors: at least so many reached methods, targets and links.
	methods, targets, links int
}

var junit5 = []string{
	"org.junit.jupiter:junit-jupiter-api:5.10.2", "org.junit.jupiter:junit-jupiter-params:5.10.2",
}

var projects = []project{
	{name: "commons-lang3", own: []string{"org.apache.commons:commons-lang3:3.17.0",
		"org.apache.commons:commons-lang3:3.17.0:tests"},
		libraries: junit5, entries: "tests", methods: 30000, targets: 70, links: 1000},
	{name: "commons-codec", own: []string{"commons-codec:commons-codec:1.17.1",
		"commons-codec:commons-codec:1.17.1:tests"},
		libraries: junit5, entries: "tests", methods: 20000, targets: 20, links: 100},
	{name: "commons-csv", own: []string{"org.apache.commons:commons-csv:1.12.0",
		"org.apache.commons:commons-csv:1.12.0:tests"},
		libraries: append([]string{"commons-io:commons-io:2.18.0"}, junit5...), entries: "tests", methods: 20000,
		targets: 5, links: 0},
	{name: "commons-io", own: []string{"commons-io:commons-io:2.18.0", "commons-io:commons-io:2.18.0:tests"},
		libraries: junit5, entries: "tests", methods: 30000, targets: 100, links: 3000},
	{name: "joda-time", own: []string{"joda-time:joda-time:2.10.14"}, entries: "public", methods: 10000, targets: 30,
		links: 100},
}

// open gives the facts of a project.
func (p *project) open(t testing.TB, jdk int, opts facts.Options) *programtest.Program {
	var paths []string
	for _, a := range append(slices.Clone(p.own), p.libraries...) {
		paths = append(paths, testjdk.Artifact(t, a))
	}
	return programtest.Open(t, testjdk.JDK(t, jdk), opts, len(p.own), paths...)
}

// config is the input of a call graph.
func (p *project) config(pr *programtest.Program) callgraph.Config {
	cfg := callgraph.Config{Workspace: pr.Workspace, Providers: pr.Providers}
	if p.entries == "tests" {
		cfg.Entries = features.TestEntries(pr, pr.Workspace)
	} else {
		cfg.Entries = features.PublicEntries(pr, pr.Workspace)
	}
	return cfg
}

// typedHandlers lists the handlers of the program without its tests that catch a
// type other than Throwable: its catches, more or less.
func typedHandlers(pr *programtest.Program) []exceptions.HandlerRef {
	var out []exceptions.HandlerRef
	for _, n := range pr.Main {
		c, ok := pr.Class(n)
		for i := 0; ok && i < len(c.Methods); i++ {
			for k, h := range c.Methods[i].Handlers() {
				if h.Types[0] != "" && h.Types[0] != "java/lang/Throwable" {
					out = append(out, exceptions.HandlerRef{Class: n, Method: i, Handler: k})
				}
			}
		}
	}
	return out
}

type linkKey struct {
	target int
	site   exceptions.ThrowSite
}

// linkSet lists the links to the targets, in order.
func linkSet(r *exceptions.Result) (out []linkKey) {
	for i := range r.NumTargets() {
		for _, id := range r.LinksAt(i) {
			out = append(out, linkKey{i, r.Link(id).Site})
		}
	}
	return out
}

func TestRealPrograms(t *testing.T) {
	for _, p := range projects {
		for _, jdk := range []int{17, 25} {
			t.Run(p.name, func(t *testing.T) { checkProject(t, &p, jdk) })
		}
	}
}

func checkProject(t *testing.T, p *project, jdk int) {
	pr := p.open(t, jdk, facts.Options{})
	targets := typedHandlers(pr)
	results := map[string][]linkKey{}
	for name, build := range map[string]func(*hierarchy.Hierarchy, callgraph.Config) *callgraph.Graph{"cha": cha.Build,
		"rta": rta.Build} {
		g := build(hierarchy.New(pr), p.config(pr))
		r := exceptions.Analyze(g, targets, studied.Default(pr.Own), nil)
		results[name] = linkSet(r)
		t.Logf("JDK %d, %s: %d methods, %d targets, %d links, %+v", jdk, name, g.NumNodes(), len(targets),
			len(results[name]), r.Stats())
		for _, pb := range g.Problems() {
			t.Log(pb.Message)
		}
		if g.NumNodes() < p.methods || len(targets) < p.targets || len(results[name]) < p.links {
			t.Errorf("fewer than %d methods, %d targets or %d links", p.methods, p.targets, p.links)
		}
		checkChains(t, pr, r)
		if d := exceptions.CheckClimbs(g, studied.Default(pr.Own)); d != "" {
			t.Error(d)
		}
		again := exceptions.Analyze(build(hierarchy.New(pr), p.config(pr)), targets, studied.Default(pr.Own), nil)
		if !slices.Equal(linkSet(again), results[name]) {
			t.Errorf("%s: a second run gives other links", name)
		}
	}
	in := map[linkKey]bool{}
	for _, l := range results["cha"] {
		in[l] = true
	}
	for _, l := range results["rta"] {
		if !in[l] {
			t.Errorf("RTA finds %+v, CHA does not", l)
		}
	}
	for _, pb := range pr.Problems {
		t.Errorf("%s: %s", pb.Class, pb.Message)
	}
}

// checkChains checks the ends of some shortest chains.
func checkChains(t *testing.T, pr *programtest.Program, r *exceptions.Result) {
	for i := range r.NumTargets() {
		h := r.Handler(i)
		c, _ := pr.Class(h.Class)
		m := c.Methods[h.Method]
		for k, id := range r.LinksAt(i) {
			if k%5 != 0 {
				continue
			}
			l, chain := r.Link(id), r.Chain(id)
			first, last := chain[0], chain[len(chain)-1]
			if first.Class != h.Class || first.Method != m.Name+m.Desc || last.Class != l.Site.Class ||
				last.Method != l.Site.Method {
				t.Fatalf("%s.%s: %+v has the chain %v", h.Class, m.Name, l, chain)
			}
			if strings.HasPrefix(l.Exception, "[") || l.Exception == "" {
				t.Fatalf("%+v", l)
			}
		}
	}
}

// measure reports the processor time of all threads, which says more than the
// clock on a machine with other work to do.
func measure(b *testing.B, f func()) {
	b.ReportAllocs()
	start := cpuTime()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64((cpuTime()-start).Milliseconds())/float64(b.N), "cpu-ms/op")
}

// cpuTime is the processor time that the process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkBuild measures the call graph once facts are loaded.
func BenchmarkBuild(b *testing.B) {
	p := projects[0]
	pr := p.open(b, 17, facts.Options{})
	cfg := p.config(pr)
	for name, build := range map[string]func(*hierarchy.Hierarchy, callgraph.Config) *callgraph.Graph{"cha": cha.Build,
		"rta": rta.Build} {
		build(hierarchy.New(pr), cfg)
		b.Run(name, func(b *testing.B) {
			measure(b, func() { build(hierarchy.New(pr), cfg) })
		})
	}
}

// BenchmarkAnalyze measures exception-flow on a finished graph.
func BenchmarkAnalyze(b *testing.B) {
	p := projects[0]
	pr := p.open(b, 17, facts.Options{})
	g := cha.Build(hierarchy.New(pr), p.config(pr))
	targets := typedHandlers(pr)
	for _, e := range []string{"io", "checked+own", "all"} {
		st, err := studied.Parse(e, []string{"native", "explicit"})
		if err != nil {
			b.Fatal(err)
		}
		st.Own = pr.Own
		b.Run(e, func(b *testing.B) {
			measure(b, func() { exceptions.Analyze(g, targets, st, nil) })
		})
	}
}

// BenchmarkChains measures the shortest chains of all links.
func BenchmarkChains(b *testing.B) {
	p := projects[0]
	pr := p.open(b, 17, facts.Options{})
	r := exceptions.Analyze(cha.Build(hierarchy.New(pr), p.config(pr)), typedHandlers(pr), studied.Default(pr.Own),
		nil)
	measure(b, func() {
		for i := range r.NumTargets() {
			for _, id := range r.LinksAt(i) {
				r.Chain(id)
			}
		}
	})
}
