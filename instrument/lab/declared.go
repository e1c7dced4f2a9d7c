package lab

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// maxFaultFolders is how many folders of library classes that were rewritten for some
// faults of users are kept.
const maxFaultFolders = 4

// declare has classes rewritten for the faults of the user's own from now on. Those of
// libraries are kept apart from those without; of the JDK's base module, which a JVM has
// loaded in part before it can ask, those that the call graph has are rewritten here.
func (in *Probes) declare(dir string) error {
	in.faults = in.snap.Faults()
	if len(in.faults) == 0 {
		return nil
	}
	others, _ := filepath.Glob(filepath.Join(in.cache, "faults-*"))
	in.cache = filepath.Join(in.cache, "faults-"+faults.DigestOf(in.faults))
	if len(others) >= maxFaultFolders && !slices.Contains(others, in.cache) {
		for _, f := range others {
			os.RemoveAll(f)
		}
	}
	if err := os.MkdirAll(in.cache, 0o700); err != nil {
		return err
	}
	struck := in.struckClasses()
	if len(struck) == 0 {
		return nil
	}
	var entries []worker.BundleEntry
	err := in.snap.EachBaseClass(func(name string, data []byte) {
		if !struck[name] || worker.NoProbes(name) {
			return
		}
		if out, meta, ok := in.rewrite(name, data, plan.Library, nil); ok {
			entries = append(entries, worker.BundleEntry{Name: name, Original: worker.KeyOf(data), Rewritten: out,
				Meta: meta})
		}
	})
	if err != nil || len(entries) == 0 {
		return err
	}
	path := filepath.Join(dir, "faults.bundle")
	in.bundles = []string{path}
	return worker.WriteBundle(path, entries)
}

// struckClasses are the classes outside the workspace in which the call graph has a
// method that a fault of the user's own is about.
func (in *Probes) struckClasses() map[string]bool {
	g := in.snap.CallGraph()
	looked, struck := map[string]bool{}, map[string]bool{}
	for n := range g.Nodes {
		m := g.Method(callgraph.NodeID(n))
		if m == nil || !slices.ContainsFunc(in.faults, func(d faults.Declared) bool { return d.Method == m.Name }) {
			continue
		}
		class := g.Class(callgraph.NodeID(n))
		if looked[class] || in.snap.Class(class) != nil {
			continue
		}
		looked[class] = true
		if f, ok := in.snap.Facts(class); ok {
			p := plan.Class{}
			p.Declare(f, in.faults, in.snap.Facts)
			struck[class] = len(p.Roots) > 0
		}
	}
	return struck
}

// declaredSite completes the site of an exception that a fault of the user's own threw:
// of several methods of the name, the one that the line is in.
func (r *Reader) declaredSite(site *record.SiteRef) {
	f, ok := r.in.snap.Facts(site.Class)
	if !ok {
		return
	}
	var found *facts.Method
	for i := range f.Methods {
		m := &f.Methods[i]
		if m.Name == site.Method && (found == nil || int(m.FirstLine) <= site.Line && m.FirstLine > found.FirstLine ||
			int(found.FirstLine) > site.Line) {
			found = m
		}
	}
	if found != nil {
		site.Desc = found.Desc
	}
	site.Line = 0
}
