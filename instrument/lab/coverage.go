package lab

import (
	"fmt"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file gives classes of the workspace coverage probes, where they are asked for, and turns
// what these recorded into what records hold.

// covers are the shapes of the methods of a class that have coverage probes, by method index.
type covers map[uint16]uint32

// others are the methods of a class whose probes are planned with a technique that was asked for,
// by method index. Records have the hits of the probes that all other runs have, so that they do
// not depend on who asked.
type others map[uint16]otherProbes

type otherProbes struct{ inserted, recorded *coverage.Method }

// addCovers puts coverage probes into the plan of a class of the workspace, unless it is one of
// its tests. Test classes have none: what they cover is themselves. Where coverage is not asked
// for, only methods have some of which verdicts need to know what of their code ran.
func (in *Probes) addCovers(name string, data []byte, p *plan.Class) (covers, others) {
	c := in.snap.Class(name)
	if c == nil || c.InTests || !in.coverage && in.conditional[name] == nil {
		return nil, nil
	}
	parsed, err := classfile.Parse(data)
	if err != nil {
		return nil, nil
	}
	var only func(m *classfile.Member) bool
	if !in.coverage {
		only = func(m *classfile.Member) bool {
			return in.conditional[name][parsed.MemberName(m)+parsed.MemberDesc(m)]
		}
	}
	technique := coverage.Technique
	if in.executions != nil {
		technique, p.Counts = planner.StaticNode, true
	}
	class := coverage.PlanClass(parsed, technique, in.planning.By, only)
	var probes others
	if in.planning.Technique != nil && in.coverage && in.executions == nil {
		probes = in.planAsked(class)
	}
	class.AddTo(p)
	shapes := covers{}
	for i, m := range class.Methods {
		if m != nil {
			shapes[uint16(i)] = m.Shape
		}
		if x, ok := probes[uint16(i)]; ok && m != nil {
			shapes[uint16(i)] = x.recorded.Shape
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, s := range class.Skipped {
		if !in.coverage {
			continue // a verdict says that it does not know
		}
		in.skipped[name+"."+parsed.MemberName(parsed.Methods[s.Method])] = "coverage: " + s.Why
	}
	return shapes, probes
}

// planAsked plans the methods of a class with the techniques that are asked for, in place of the
// plans that it has.
func (in *Probes) planAsked(class *coverage.Class) others {
	probes, words, total := others{}, map[int]string{}, 0
	for i, m := range class.Methods {
		if m == nil {
			continue
		}
		used, said := in.planAskedMethod(class, i)
		words[i] = said
		if used != nil {
			probes[uint16(i)] = otherProbes{used, m}
			m = used
		}
		total += len(m.Plan.Covers)
	}
	if total > plan.MaxProbes { // some methods would have none
		probes = nil
		for i := range words {
			words[i] = coverage.Technique.String() + ", as their class has too many probes else"
		}
	}
	for i, x := range probes {
		class.Methods[i] = x.inserted
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	for i, said := range words {
		m := class.Class.Methods[i]
		in.asked[class.Name()+"."+class.MemberName(m)+class.MemberDesc(m)] = said
	}
	return probes
}

// planAskedMethod plans a method with the technique that is asked for; nil: it has that plan. said
// is which technique it has, and why.
func (in *Probes) planAskedMethod(class *coverage.Class, i int) (used *coverage.Method, said string) {
	m := class.Class.Methods[i]
	asked, ok := in.planning.Technique(classfile.SourceName(class.Name()), class.MemberName(m))
	if !ok {
		return nil, coverage.Technique.String() + ", as no rule is for them"
	}
	inserted := coverage.Inserted(asked)
	said = inserted.String()
	if inserted != coverage.Technique {
		var err error
		if used, err = coverage.PlanMethod(class.Class, m, inserted, in.planning.By); err != nil {
			return nil, fmt.Sprintf("%s in place of %s: %v", coverage.Technique, asked, err)
		}
	}
	if inserted != asked {
		said += fmt.Sprintf(" in place of %s, which is not put into JVMs", asked)
	}
	return used, said
}

// recorded says what is recorded of coverage.
func (in *Probes) recorded() record.Coverage {
	return record.Coverage{Covers: in.coverage && in.executions == nil, Chained: in.chains != nil}
}

// RecordsCoverage tells whether classes have coverage probes.
func (l *Lab) RecordsCoverage() bool { return l.Probes.coverage }

// CoverageHolds tells whether a run recorded coverage, and of methods that have the same probes
// now.
func (l *Lab) CoverageHolds(run *record.TestRun) bool {
	if !run.Covers {
		return false
	}
	for _, c := range run.Covered {
		k := l.memory.Method(c.Method)
		if shape, ok := l.Probes.shape(snapshot.MethodRef{Class: k.Class, Method: k.Method}); !ok || shape != c.Shape {
			return false
		}
	}
	return true
}

// shape is the shape of a method as its class file has it.
func (in *Probes) shape(m snapshot.MethodRef) (uint32, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	shape, ok := in.methodShapes[m]
	return shape, ok
}

// noteShapes remembers the shapes of a class as its class file has it.
func (in *Probes) noteShapes(p *probed) {
	for i, shape := range p.covers {
		m := &p.facts.Methods[i]
		in.methodShapes[snapshot.MethodRef{Class: p.facts.Name, Method: m.Name + m.Desc}] = shape
	}
}

// covered adds what coverage probes recorded to an ascending set.
func (r *Reader) covered(have []record.Covered, more []worker.Covered) []record.Covered {
	var all []record.Covered
	for i := range more {
		p := r.in.of(more[i].Class)
		if p == nil || p.plan == nil {
			continue
		}
		all = append(all, r.byMethod(p, more[i].Hits)...)
	}
	return record.UnionCovered(have, all)
}

// byMethod splits the probes of a class that were hit among its methods.
func (r *Reader) byMethod(p *probed, hits []byte) (all []record.Covered) {
	list := p.plan.Covers
	for len(list) > 0 {
		method, n := list[0].Method, 1
		for n < len(list) && list[n].Method == method {
			n++
		}
		var own []byte // nil: none was hit
		for i := range n {
			if k := int(list[i].N); k>>3 < len(hits) && hits[k>>3]>>(k&7)&1 != 0 {
				if own == nil {
					own = make([]byte, (n+7)/8)
				}
				own[i>>3] |= 1 << (i & 7)
			}
		}
		list = list[n:]
		if own == nil {
			continue
		}
		if x, ok := p.others[method]; ok {
			own = x.inserted.HitsOf(x.recorded, own)
		}
		if id, ok := r.method(p, method); ok {
			all = append(all, record.Covered{Method: id, Shape: p.covers[method], Hits: own})
		}
	}
	return all
}
