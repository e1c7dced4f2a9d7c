package pointsto

import (
	"cmp"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file finds out what a workspace calls of libraries and the JDK for certain: before
// anything is known of what these do.
//
// It is what the analysis of the workspace's own methods alone reaches, and the methods of
// containers that it tells apart: with fewer constraints there is less in each set, so that the
// whole analysis reaches all of it. Tests that are called by a runner's lambdas, and what is taken
// out of collections that others filled, is not among it.

// certain is a method that is called without context; where name is "", a class that methods make
// objects of, and where desc is "object", of which there is one.
type certain struct{ class, name, desc string }

func (a certain) compare(b certain) int {
	return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.name, b.name), cmp.Compare(a.desc, b.desc))
}

// certainOf lists them in order; ok is false if cfg.Cancelled said so.
func certainOf(src hierarchy.Source, cfg callgraph.Config, p Policy) (out []certain, ok bool) {
	own := make(map[string]bool, len(cfg.Workspace))
	for _, c := range cfg.Workspace {
		own[c] = true
	}
	s := newSolver(hierarchy.New(src), callgraph.Config{Entries: cfg.Entries, Cancelled: cfg.Cancelled}, p)
	s.workspaceOf(cfg.Workspace)
	s.skips = func(inst int32) bool {
		in := &s.insts[inst]
		return in.ctx == 0 && !own[s.H.Name(s.H.Owner(in.method))]
	}
	s.seedProgram()
	s.Solve()
	if s.GaveUp() {
		return nil, false
	}
	for k := range s.insts {
		if id := s.insts[k].method; id != hierarchy.NoMethod && s.skips(int32(k)) {
			out = append(out, certain{s.H.Name(s.H.Owner(id)), s.H.Method(id).Name, s.H.Method(id).Desc})
		}
	}
	for _, t := range s.NewTypes() {
		if n := s.H.Name(t); !own[n] {
			out = append(out, certain{n, "", ""})
			if s.OnlyObject(t) {
				out = append(out, certain{n, "", "object"})
			}
		}
	}
	slices.SortFunc(out, certain.compare)
	return out, true
}

// solveCertain goes on with what is called for certain. The services that there are for
// what was solved before are those of cfg.
func (s *solver) solveCertain(cfg callgraph.Config, calls []certain) {
	s.Config = cfg
	s.AskAgain()
	s.Booting = true
	for _, u := range calls {
		t := s.H.Load(u.class, "")
		if s.H.Phantom(t) {
			continue
		}
		switch {
		case u.name != "":
			if m := s.H.Declared(t, s.H.Intern(u.name, u.desc)); m != hierarchy.NoMethod {
				s.inst(m, 0)
			}
		case u.desc != "":
			s.MakeObject(s.ClassType(t)) // all allocations make the same one
		default:
			s.Made(t)
		}
	}
	s.Solve()
	s.Booting = false
}

// missed lets the first so many missing classes, which code that was solved before the workspace's
// asked for, be missed by a class of the workspace, if one of its methods names them: what the
// workspace lacks is told to its reader.
func (s *solver) missed(first int) {
	if first == 0 {
		return
	}
	at, missing := map[string]int{}, s.H.Missing()
	for i := range missing[:first] {
		at[missing[i].Class] = i
	}
	for _, m := range s.nodes {
		if m == hierarchy.NoMethod || !s.Workspace[s.H.Name(s.H.Owner(m))] {
			continue
		}
		class, f := s.H.Facts(s.H.Owner(m)), s.H.Method(m)
		asks := func(name string) {
			if i, ok := at[name]; ok {
				s.H.MissedBy(i, class.Name)
				delete(at, name)
			}
		}
		asks(class.Super)
		for _, n := range class.Interfaces {
			asks(n)
		}
		for i := range f.Calls {
			asks(f.Calls[i].Owner)
		}
		for i := range f.Allocs {
			asks(f.Allocs[i].Type)
		}
		for i := range f.Inits {
			asks(f.Inits[i].Class)
		}
		for i := range f.Handlers() {
			for _, n := range f.Handlers()[i].Types {
				asks(n)
			}
		}
	}
}
