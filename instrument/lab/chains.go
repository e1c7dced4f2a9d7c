package lab

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file has classes of the workspace tell of the call chains that run. The component is the
// workspace without its tests.

// chains is what is known of the component, by class and method index.
type chains struct {
	methods map[string]map[int]*callchain.Announced
}

// newChains reads the call graph of a snapshot, if it has one.
func newChains(snap *snapshot.Snapshot) *chains {
	out := &chains{methods: map[string]map[int]*callchain.Announced{}}
	g := snap.CallGraph()
	if g == nil {
		return out
	}
	announced := callchain.Announce(g, func(class string) bool {
		c := snap.Class(class)
		return c != nil && !c.InTests
	})
	for _, c := range snap.Classes() {
		of := map[int]*callchain.Announced{}
		for i := range c.Facts.Methods {
			if a := announced[g.Find(c.Name, i)]; a != nil {
				of[i] = a
			}
		}
		out.methods[c.Name] = of
	}
	return out
}

const (
	// callBytes is how many bytes are put before a call at most, beginBytes what there is once in
	// a method.
	callBytes, beginBytes = 13, 40
	// maxChainCode is how long the code of a method may be with them: other probes come on top, and
	// a method that gets longer than 65,535 bytes (JVMS 4.7.3) loses all.
	maxChainCode = 50_000
)

// addChains has a class of the component tell of call chains. A method that the call graph does not
// reach is called by nothing that it knows.
func (in *Probes) addChains(name string, data []byte, f *facts.Class, p *plan.Class) {
	c := in.snap.Class(name)
	if in.chains == nil || c == nil || c.InTests {
		return
	}
	parsed, err := classfile.Parse(data)
	if err != nil || len(parsed.Methods) != len(f.Methods) {
		return
	}
	for i := range f.Methods {
		m := &f.Methods[i]
		code, err := parsed.Code(parsed.Methods[i])
		if err != nil || code == nil {
			continue
		}
		if n := len(code.Bytecode) + beginBytes + callBytes*len(m.Calls); n > maxChainCode || len(m.Calls) > 1<<16 {
			in.mu.Lock()
			in.skipped[name+"."+m.Name+m.Desc] = "call chains: its code is too long for them"
			in.mu.Unlock()
			continue
		}
		a := in.chains.methods[name][i]
		x := plan.Chain{Method: uint16(i), Names: m.Name}
		if a != nil && len(a.Calls) == len(m.Calls) {
			x.Names = strings.Join(a.Names, "|")
		}
		for k := range m.Calls {
			v := plan.ChainCall{N: uint16(k), PC: m.Calls[k].PC}
			if a != nil && len(a.Calls) == len(m.Calls) {
				v.Name = announced(a.Calls[k], m.Calls[k].Name)
				v.Receiver = a.Calls[k] == callchain.Either && selects(&m.Calls[k])
			}
			x.Calls = append(x.Calls, v)
		}
		p.Chains = append(p.Chains, x)
	}
}

// selects tells whether the class of the object on which a call is made decides what is called. It
// does not for method handles, whose frames stacks do not show.
func selects(call *facts.Call) bool {
	return (call.Kind == facts.Virtual || call.Kind == facts.Interface) &&
		call.Owner != "java/lang/invoke/MethodHandle" && call.Owner != "java/lang/invoke/VarHandle"
}

// announced is the name of a call behind its mark.
func announced(r callchain.Reach, name string) string {
	switch r {
	case callchain.Inside:
		return string(worker.CallInside) + name
	case callchain.Either:
		return string(worker.CallEither) + name
	}
	return ""
}

// RecordsChains tells whether classes tell of call chains.
func (l *Lab) RecordsChains() bool { return l.Probes.chains != nil }

// callChains are the chains that lead to contexts. Those that have a method which is not of the
// class file are left out.
func (r *Reader) callChains(contexts []worker.Context) (out []record.CallChain) {
	all := make([]record.CallChain, len(contexts))
	for i, x := range contexts {
		p := r.in.of(x.Class)
		if p == nil || p.plan == nil {
			continue
		}
		id, ok := r.method(p, x.Method)
		if !ok {
			continue
		}
		c := record.CallChain{Level: x.Level}
		if x.Up >= 0 {
			above := &all[x.Up]
			if len(above.Methods) == 0 {
				continue
			}
			c.Methods, c.Calls = slices.Clone(above.Methods), append(slices.Clone(above.Calls), uint16(x.Call))
		}
		c.Methods = append(c.Methods, id)
		all[i] = c
		out = append(out, c)
	}
	return out
}
