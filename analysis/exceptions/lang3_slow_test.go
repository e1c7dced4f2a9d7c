//go:build slow

package exceptions_test

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/callgraph/cha"
	"catchlens/analysis/callgraph/programtest"
	"catchlens/analysis/callgraph/rta"
	"catchlens/analysis/exceptions"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
	"catchlens/internal/testjdk"
)

// cpu is the processor time that the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestLang3(t *testing.T) {
	p := programtest.Open(t, testjdk.JDK(t, 17), facts.Options{}, 2,
		testjdk.Artifact(t, "org.apache.commons:commons-lang3:3.17.0"),
		testjdk.Artifact(t, "org.apache.commons:commons-lang3:3.17.0:tests"))
	entries := callgraph.TestEntries(p, p.Workspace)
	t.Log("entries", len(entries))
	for _, alg := range []string{"cha", "rta"} {
		for range 1 {
			runtime.GC()
			t0 := cpu()
			h := hierarchy.New(p)
			cfg := callgraph.Config{Entries: entries, Workspace: p.Workspace, Providers: p.Providers}
			var g *callgraph.Graph
			if alg == "cha" {
				g = cha.Build(h, cfg)
			} else {
				g = rta.Build(h, cfg)
			}
			t1 := cpu()
			e, sh := g.NumEdges()
			t.Log(alg, "build", t1-t0, "types", h.NumTypes(), "nodes", g.NumNodes(), "sites", len(g.Sites), "sets", g.NumSets(), "edges", e, "shared", sh, "missing", len(h.Missing()), "problems", len(g.Problems()))
			var targets []exceptions.HandlerRef
			for _, c := range p.Workspace {
				f, ok := p.Class(c)
				if !ok {
					continue
				}
				for i := range f.Methods {
					for k, hd := range f.Methods[i].Handlers {
						if len(hd.Types) > 0 && hd.Types[0] != "" {
							targets = append(targets, exceptions.HandlerRef{Class: c, Method: i, Handler: k})
						}
					}
				}
			}
			t2 := cpu()
			r := exceptions.Analyze(g, targets, exceptions.Default(p.Own))
			t3 := cpu()
			n := 0
			for i := range targets {
				n += len(r.LinksAt(i))
			}
			t.Logf("%s analyze %v targets %d user links %d %+v", alg, t3-t2, len(targets), n, r.Stats())
			t4 := cpu()
			frames := 0
			for i := range targets {
				for _, l := range r.LinksAt(i) {
					frames += len(r.Chain(l))
				}
			}
			t.Log("chains", cpu()-t4, "frames", frames)
			var ms runtime.MemStats
			runtime.ReadMemStats(&ms)
			t.Log("heap", ms.HeapAlloc>>20, "sys", ms.Sys>>20)
			if os.Getenv("HE_DUMP") != "" {
				count := map[string]int{}
				for i := range targets {
					for _, l := range r.LinksAt(i) {
						lk := r.Link(l)
						count[lk.Site.Class+"."+lk.Site.Method+" "+lk.Exception]++
					}
				}
				for k, v := range count {
					t.Log("SITE", v, k)
				}
			}
		}
	}
}
