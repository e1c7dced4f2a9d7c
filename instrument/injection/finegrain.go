package injection

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/rewrite"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file throws exceptions at places inside tries: before each statement and at
// each call (fine-grain injection; paper 001, 5.1). It can show that a catch which
// is source-independent by the start of its try is not. Places in a try inside the
// try are those of that one.

// place is a Point of one catch with the tries' copies that have it.
type place struct {
	record.Point
	targets []worker.Target
}

// FineGrain tries the places of those catches whose verdict could change, in the runs of a
// baseline. The error is like that of Ahead.
func (r *Injection) FineGrain(ctx context.Context, runs []*record.TestRun) error {
	byCatch := entering(runs)
	f := &fineCode{r: r, plans: map[string]*plan.Class{}, classes: map[string]*classfile.Class{}}
	var all, units []unit
	for _, c := range r.Snap.Catches {
		if c.InTests || len(c.Handlers) == 0 || len(byCatch[c.ID]) == 0 || !r.Asked(c.ID) {
			continue
		}
		for _, u := range r.fineUnits(f, c, byCatch[c.ID]) {
			all = append(all, u)
			var err error
			if u.tests, err = r.fineOpen(u); err != nil {
				return err
			}
			if len(u.tests) > 0 {
				units = append(units, r.isolated(u)...)
			}
		}
	}
	if err := f.bundle(); err != nil {
		return fmt.Errorf("fine-grain injection: %w", err)
	}
	r.phase = fineInjections
	defer func() { r.phase = "" }()
	if err := r.runUnits(ctx, units); err != nil {
		return err
	}
	r.noteHangs()
	r.phase = fineConfirmation
	return r.confirmFine(ctx, all)
}

// fineOpen lists the tests of a unit that are not known to end so or so.
func (r *Injection) fineOpen(u unit) (open []*record.TestRun, err error) {
	for _, t := range u.tests {
		if cell, ok := r.Recall.Cell(u.key(t.Test)); ok && !r.Again && r.enough(cell) {
			if err := r.moved(cell, u.point); err != nil {
				return nil, err
			}
			r.tally.count(func(t *Counts) { t.Reused++ })
			r.recallHang(cell)
		} else {
			open = append(open, t)
		}
	}
	return open, nil
}

// moved records of a run that is recalled where its place stands in the present text,
// if that is not where it stood.
func (r *Injection) moved(c *record.Cell, p *record.Point) error {
	if c.Point == nil || *c.Point == *p {
		return nil
	}
	now := *c
	now.Point, now.At = p, time.Now()
	return r.Memory.PutCell(&now)
}

// fineUnits lists what to run for a catch: each test that its answer rests on, with
// each type, at each place. An answer that does not hold rests on no passing run.
func (r *Injection) fineUnits(f *fineCode, c *snapshot.Catch, tests []*record.TestRun) (units []unit) {
	row, _, byName := r.row(c, tests)
	passing := map[record.CellKey][]*record.TestRun{} // by type and reading
	for _, d := range r.deciding(row) {
		if d.Outcome == record.Pass {
			k := record.CellKey{Type: d.Type, Reading: d.Reading}
			passing[k] = append(passing[k], byName[d.Test])
		}
	}
	if len(passing) == 0 {
		return nil
	}
	places := f.places(c)
	if most := r.Places; len(places) > most {
		r.tally.note("%s:%d: %d of the %d places in the try are left out of fine-grain injection", c.File.Path, c.Line,
			len(places)-most, len(places))
		places = places[:most]
	}
	for _, p := range places {
		for _, typ := range c.Types {
			for _, reading := range []record.Reading{record.White, record.Every} {
				u := unit{catch: c, typ: typ, reading: reading, targets: slices.Concat(p.targets, r.targets(c)),
					point: &p.Point}
				u.stub, u.stubName = r.stub(typ)
				if u.tests = passing[record.CellKey{Type: typ, Reading: reading}]; len(u.tests) > 0 {
					units = append(units, u)
				}
			}
		}
	}
	return units
}

// confirmFine confirms one failing run of each catch and type, until one is certain
// or none is left.
func (r *Injection) confirmFine(ctx context.Context, all []unit) error {
	type key struct{ catch, typ string }
	asked := map[*record.Cell]bool{}
	for {
		var units []unit
		settled := map[key]bool{}
		for _, u := range all {
			for _, t := range u.tests {
				k := key{u.catch.ID, u.typ}
				cell, ok := r.Recall.Cell(u.key(t.Test))
				if settled[k] || !ok || !cell.Outcome.Failed() || asked[cell] {
					continue
				}
				settled[k] = true
				if cell.Certain {
					continue
				}
				asked[cell] = true
				v := u
				v.tests, v.rung, v.was = []*record.TestRun{t}, fresh, map[string]*record.Cell{t.Test: cell}
				units = append(units, v)
			}
		}
		if len(units) == 0 {
			return nil
		}
		if err := r.runUnits(ctx, units); err != nil {
			return err
		}
	}
}

// fineCode has the plans of classes with places.
type fineCode struct {
	r       *Injection
	plans   map[string]*plan.Class // with points, by class
	classes map[string]*classfile.Class
}

// places lists the places of a catch's try, in the order of the code. Of several
// copies that the compiler made those count that have as many places as the first.
func (f *fineCode) places(c *snapshot.Catch) (places []place) {
	for n, h := range c.Handlers {
		info := f.r.Snap.Class(h.Class)
		if info == nil {
			continue
		}
		p := f.plans[h.Class]
		if p == nil {
			p = plan.ForClass(info.Facts, plan.Full)
			f.plans[h.Class] = p
		}
		found := f.placesOf(p, info.Facts, h)
		if n > 0 && len(found) != len(places) {
			continue
		}
		for k, x := range found {
			if n == 0 {
				places = append(places, place{Point: record.Point{N: k + 1, At: x.at, Back: c.Line - x.line,
					Call: x.call}})
			}
			places[k].targets = append(places[k].targets,
				worker.Target{Class: h.Class, Try: f.add(p, h.Method, x.pc), Point: true})
		}
	}
	return places
}

// add gives a place in the code a number; places of several catches may be one.
func (f *fineCode) add(p *plan.Class, method int, pc int32) uint16 {
	for _, x := range p.Points {
		if int(x.Method) == method && x.PC == pc {
			return x.N
		}
	}
	n := uint16(len(p.Points))
	p.Points = append(p.Points, plan.Point{N: n, Method: uint16(method), PC: pc})
	return n
}

type codePlace struct {
	pc   int32
	at   int // Point.At
	line int
	call string
}

// placesOf lists the places in the try of one handler.
func (f *fineCode) placesOf(p *plan.Class, info *facts.Class, h exceptions.HandlerRef) (out []codePlace) {
	var try *plan.Try
	for _, c := range p.Catches {
		if int(c.Method) == h.Method && int(c.Handler) == h.Handler {
			try = &p.Tries[c.Try]
		}
	}
	if try == nil || len(p.Points) > maxPoints {
		return nil
	}
	inner := innerTries(p, try)
	own := func(pc int32) bool {
		return pc != try.Start() && try.Contains(pc) &&
			!slices.ContainsFunc(inner, func(t *plan.Try) bool { return t.Contains(pc) })
	}
	at, count := map[int32]codePlace{}, 0
	for _, call := range info.Methods[h.Method].Calls {
		if own(call.PC) {
			at[call.PC] = codePlace{pc: call.PC, line: int(call.Line), call: callText(&call)}
		}
	}
	lines, code := f.lines(info.Name, h.Method)
	for k, l := range lines {
		if pc := int32(l.PC); own(pc) && (k == 0 || lines[k-1].Line != l.Line) {
			at[pc] = codePlace{pc: pc, line: int(l.Line)}
		}
	}
	for in, err := range classfile.Instructions(code) {
		if err != nil {
			return nil
		}
		if int32(in.PC) > try.Start() {
			count++
		}
		if x, ok := at[int32(in.PC)]; ok {
			x.at = count
			out = append(out, x)
		}
	}
	return out
}

// maxPoints bounds the places of one class: numbers are u2.
const maxPoints = 50_000

// innerTries are the tries that lie inside another one.
func innerTries(p *plan.Class, try *plan.Try) (inner []*plan.Try) {
	for k := range p.Tries {
		t := &p.Tries[k]
		if t.Method != try.Method || t.N == try.N || slices.Equal(t.Ranges, try.Ranges) {
			continue
		}
		if !slices.ContainsFunc(t.Ranges, func(r plan.Range) bool { return !try.Contains(r.Start) }) {
			inner = append(inner, t)
		}
	}
	return inner
}

// callText names what is called, as people do.
func callText(c *facts.Call) string {
	owner := c.Owner[strings.LastIndexByte(c.Owner, '/')+1:]
	switch {
	case owner == "":
		return c.Name
	case c.Name == "<init>":
		return "new " + owner
	}
	return owner + "." + c.Name
}

// lines is the line table of a method, nil if it has none, and its code.
func (f *fineCode) lines(class string, method int) ([]classfile.LineNumber, []byte) {
	c := f.classes[class]
	if c == nil {
		data, err := f.r.Snap.ClassBytes(class)
		if err != nil {
			return nil, nil
		}
		if c, err = classfile.Parse(data); err != nil {
			return nil, nil
		}
		f.classes[class] = c
	}
	if method >= len(c.Methods) {
		return nil, nil
	}
	code, err := c.Code(c.Methods[method])
	if err != nil || code == nil {
		return nil, nil
	}
	lines, err := c.LineNumbers(code)
	if err != nil {
		return nil, code.Bytecode
	}
	return lines, code.Bytecode
}

// bundle rewrites the classes that have places, for the JVMs that start from now on.
// Numbers of their other probes stay.
func (f *fineCode) bundle() error {
	var entries []worker.BundleEntry
	for name, p := range f.plans {
		if len(p.Points) == 0 {
			continue
		}
		slices.SortStableFunc(p.Points, func(a, b plan.Point) int { return int(a.Method) - int(b.Method) })
		data, err := f.r.Snap.ClassBytes(name)
		if err != nil {
			continue // gone since: nothing will be thrown there
		}
		out, err := rewrite.Rewrite(data, p)
		if err != nil {
			f.r.tally.note("nothing is thrown inside the tries of %s: %v", name, err)
			continue
		}
		if out.ClassNumberOffset >= 0 {
			entries = append(entries, lab.BundleEntry(name, data, out, p))
		}
	}
	if len(entries) == 0 {
		return nil
	}
	b, err := f.r.Lab.WriteBundle("fine", entries)
	if err != nil {
		return err
	}
	f.r.Lab.Probes.PutFirst(b)
	return nil
}
