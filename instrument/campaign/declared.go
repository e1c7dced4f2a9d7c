package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/faults"
	"catchlens/instrument/plan"
	"catchlens/instrument/record"
	"catchlens/instrument/worker"
)

// This file is the campaign's part in faults of the user's own ([[fault]] in
// catchlens.toml): they strike at the start of methods, in the workspace, in libraries
// and in the JDK.

// maxFaultFolders is how many folders of library classes that were rewritten for some
// faults of users are kept.
const maxFaultFolders = 4

// declare has classes rewritten for the faults of the user's own from now on. Those of
// libraries are kept apart from those without; of the JDK's base module, which a JVM has
// loaded in part before it can ask, those that the call graph has are rewritten here.
func (in *instrumenter) declare(dir string) error {
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
func (in *instrumenter) struckClasses() map[string]bool {
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
func (r *reader) declaredSite(site *record.SiteRef) {
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

// planDeclared lists the faults of the user's own to strike with for a catch.
func (f *linkCampaign) planDeclared(c *faultCatch, own, others map[string][]*record.TestRun) {
	for i := range f.declared {
		d := &f.declared[i]
		s := strike{root: d.Class + "." + d.Method, row: declaredRow(d), kind: d.Name, declared: d, index: i,
			linked: true}
		switch {
		case len(own[s.row]) > 0:
			s.tests = own[s.row]
		case len(others[s.row]) > 0:
			s.tests, s.others = others[s.row], true
		default:
			continue
		}
		c.add(s)
	}
}

// declaredRow is what a Touched calls the place of a fault of the user's own.
func declaredRow(d *faults.Declared) string { return "fault " + string(d.Name) }

// rowOf is what a Touched calls the operation with a number, on a pipe or elsewhere.
func (f *linkCampaign) rowOf(number int, onPipe bool) string {
	if i, ok := faults.DeclaredAt(number); ok {
		if i >= len(f.declared) {
			return fmt.Sprint(number)
		}
		return declaredRow(&f.declared[i])
	}
	r := &faults.Table[number]
	if p := r.Pipe(); onPipe && p != nil {
		return p.Row()
	}
	return r.Row()
}
