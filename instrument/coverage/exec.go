package coverage

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc64"
	"io"
	"slices"
	"time"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file writes what JaCoCo's agent writes. Its probes stand elsewhere than ours, and in other
// numbers, which both its agent and its reports count from the class file.

// jacocoProbe is one of JaCoCo's probes of a method. It is hit where control goes on from the
// instruction before: to the instruction to, or out of the method.
type jacocoProbe struct {
	from int // index of an instruction
	to   int // -1: out of the method
	jump bool
}

// jacocoLabel is what JaCoCo notes of an instruction that something may lead to (LabelInfo there).
type jacocoLabel struct {
	target, multi bool // something leads there; more than one thing does
	follows       bool // the instruction before goes on here
	calls         bool // a line with a call begins here
}

func (l *jacocoLabel) setTarget() {
	if l.target || l.follows {
		l.multi = true
	}
	l.target = true
}

func (l *jacocoLabel) setFollows() {
	l.follows = true
	l.multi = l.multi || l.target
}

// jacocoLabels are those of all instructions of a method (LabelFlowAnalyzer of JaCoCo 0.8).
func (f *flow) jacocoLabels() []jacocoLabel {
	labels := make([]jacocoLabel, len(f.insns))
	for _, x := range f.code.Exceptions {
		for _, pc := range []uint16{x.StartPC, x.HandlerPC} {
			if i := f.at[pc]; i >= 0 {
				labels[i].setTarget()
			}
		}
	}
	begins := map[int]bool{}
	for _, l := range f.lines {
		if l.Line != 0 {
			begins[int(l.PC)] = true
		}
	}
	labels[0].setTarget()
	line, follows := -1, false
	for i := range f.insns {
		in := &f.insns[i]
		if follows {
			labels[i].setFollows()
		}
		if begins[in.PC] {
			line = i
		}
		for _, pc := range f.targets(i) {
			labels[f.at[pc]].setTarget()
		}
		if in.Op.IsInvoke() && line >= 0 {
			labels[line].calls = true
		}
		follows = in.Op.FallsThrough()
	}
	return labels
}

// jacocoProbes are JaCoCo's probes of a method, in the order of their numbers
// (MethodProbesAdapter).
func (f *flow) jacocoProbes() (probes []jacocoProbe) {
	labels := f.jacocoLabels()
	for i := range f.insns {
		in, l := &f.insns[i], &labels[i]
		if l.follows && (l.multi || l.calls) {
			probes = append(probes, jacocoProbe{i - 1, i, false})
		}
		if in.Op.IsReturn() || in.Op == classfile.OpAthrow {
			probes = append(probes, jacocoProbe{i, -1, false})
		}
		if !in.Op.IsConditional() && !in.Op.IsGoto() && !in.Op.IsSwitch() {
			continue
		}
		seen := map[int]bool{}
		for _, pc := range append([]int{in.Target}, in.Targets...) {
			if to := int(f.at[pc]); !seen[to] && labels[to].multi {
				probes = append(probes, jacocoProbe{i, to, true})
				seen[to] = true
			}
		}
	}
	return probes
}

// hit tells whether control went the way of a probe of JaCoCo's, from which nodes it came to. Where
// an exception left a line in its middle, what follows on that line counts as if control had come
// there, as everywhere in this package.
func (m *Method) hit(p jacocoProbe, covered []bool) bool {
	came := func(i int) bool { return m.node[i] >= 0 && covered[m.node[i]] }
	if !came(p.from) {
		return false
	}
	if p.to < 0 {
		return true
	}
	from := &m.instructions[p.from]
	if !from.Op.IsConditional() && !from.Op.IsSwitch() {
		return came(p.to)
	}
	place := plan.OnFall
	if p.jump {
		place = plan.OnJump
	}
	for n := range m.Nodes {
		if x := &m.Nodes[n]; x.Place == place && int(x.From) == from.PC && int(x.PC) == m.instructions[p.to].PC {
			return covered[n]
		}
	}
	return false
}

// addHits adds JaCoCo's probes of the method that were hit, by what each test hit of ours. Tests
// are looked at one by one: where one left a block by an exception and another came from elsewhere
// to what follows it, control has not gone from the one to the other. Where an activation may have
// gone on from one test to the next, they are taken together.
func (m *Method) addHits(probes []jacocoProbe, hit []bool, tests [][]bool) {
	var each [][]bool
	all, begun := make([]bool, len(m.Nodes)), true
	for _, hits := range tests {
		covered := m.Covered(hits)
		each, begun = append(each, covered), begun && m.begins(covered)
		for n, is := range covered {
			all[n] = all[n] || is
		}
	}
	if !begun {
		each = [][]bool{all}
	}
	for _, covered := range each {
		for i, p := range probes {
			hit[i] = hit[i] || m.hit(p, covered)
		}
	}
}

// begins tells whether control can have come to each covered node from where the method begins, by
// covered ones alone: those of a loop lead to each other, whoever began it.
func (m *Method) begins(covered []bool) bool {
	next := make([][]int32, len(m.Nodes))
	for _, e := range m.Graph.Edges {
		if covered[e.From] && covered[e.To] {
			next[e.From] = append(next[e.From], e.To)
		}
	}
	came := make([]bool, len(m.Nodes))
	came[0] = true
	for todo := []int32{0}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range next[n] {
			if !came[to] {
				came[to] = true
				todo = append(todo, to)
			}
		}
	}
	for n, is := range covered {
		if is && !came[n] {
			return false
		}
	}
	return true
}

// jacocoHits are JaCoCo's probes of a class in the order of their numbers: whether each was hit,
// from what each test hit of each method, by its index in the class. It fails where JaCoCo would
// write a method anew before it counts: one with subroutines.
func (c *Class) jacocoHits(of func(method int, m *Method) [][]bool) ([]bool, error) {
	var all []bool
	for i, member := range c.Class.Methods {
		code, err := c.Code(member)
		if err != nil {
			return nil, err
		}
		if code == nil {
			continue
		}
		f, err := decode(c.Class, code)
		if err != nil {
			return nil, err
		}
		probes := f.jacocoProbes()
		hit := make([]bool, len(probes))
		if m := c.Methods[i]; m != nil {
			m.addHits(probes, hit, of(i, m))
		}
		all = append(all, hit...)
	}
	return all, nil
}

// jacocoClassID is the digest by which JaCoCo knows a class file. It takes version 53 for 52, which
// an early version of it made of Java 9's class files.
func jacocoClassID(data []byte) uint64 {
	const java9, java8 = 53, 52
	table := crc64.MakeTable(0xd800000000000000)
	sum := ^uint64(0) // JaCoCo begins with 0, and inverts nothing
	if len(data) > 7 && data[6] == 0 && data[7] == java9 {
		sum = crc64.Update(crc64.Update(sum, table, data[:7]), table, []byte{java8})
		data = data[8:]
	}
	return ^crc64.Update(sum, table, data)
}

// The blocks of a file of JaCoCo's, and what its first has.
const (
	execHeader, execSession, execClass = 0x01, 0x10, 0x11
	execMagic, execVersion             = 0xC0C0, 0x1007
)

// WriteExec writes the execution data that JaCoCo's agent writes (jacoco.exec, version 0x1007) of
// the classes of the snapshot that the suite is of. It has what ran on threads of earlier tests,
// too, as the agent knows no tests. leftOut names classes that are not there, with the reason; the
// error is that of writing.
func WriteExec(w io.Writer, c *Suite, snap *snapshot.Snapshot) (leftOut []string, err error) {
	b := bufio.NewWriter(w)
	b.Write([]byte{execHeader})
	b.Write(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, execMagic), execVersion))
	hits, first, last := map[record.MethodID][]record.Covered{}, time.Time{}, time.Time{}
	for i := range c.Tests {
		run := c.Tests[i].run
		if run == nil || c.Tests[i].Stale {
			continue
		}
		if first.IsZero() || run.At.Before(first) {
			first = run.At
		}
		if run.At.After(last) {
			last = run.At
		}
		for _, list := range [][]record.Covered{run.Covered, run.CoveredAside} {
			for _, x := range list {
				hits[x.Method] = append(hits[x.Method], x)
			}
		}
	}
	b.WriteByte(execSession)
	writeUTF(b, "catchlens")
	for _, at := range []time.Time{first, last} {
		b.Write(binary.BigEndian.AppendUint64(nil, uint64(max(at.UnixMilli(), 0))))
	}
	for _, class := range snap.Classes() {
		if class.InTests {
			continue
		}
		if err := c.writeExecClass(b, snap, class.Name, hits); err != nil {
			leftOut = append(leftOut, class.Name+": "+err.Error())
		}
	}
	return leftOut, b.Flush()
}

// writeExecClass writes a class, unless nothing of it ran. The error says why it cannot be written.
func (c *Suite) writeExecClass(b *bufio.Writer, snap *snapshot.Snapshot, name string,
	hits map[record.MethodID][]record.Covered) error {
	data, err := snap.ClassBytes(name)
	if err != nil {
		return errors.New("its class file has changed since it was analysed")
	}
	parsed, err := classfile.Parse(data)
	if err != nil {
		return err
	}
	class := OfClass(parsed, Technique)
	probes, err := class.jacocoHits(func(i int, m *Method) [][]bool {
		member := parsed.Methods[i]
		ref := snapshot.MethodRef{Class: name, Method: parsed.MemberName(member) + parsed.MemberDesc(member)}
		digest, known := snap.MethodDigest(ref)
		if !known {
			return nil
		}
		v := MethodCoverage{plan: m, probes: len(m.Plan.Covers),
			id: c.memory.Intern(record.MethodKey{Class: name, Method: ref.Method, Digest: digest})}
		return v.distinctHits(hits[v.id])
	})
	if err != nil {
		return err
	}
	writeExecProbes(b, jacocoClassID(data), name, probes)
	return nil
}

// distinctHits are the sets of probes of the method that tests hit, each once.
func (v *MethodCoverage) distinctHits(list []record.Covered) (sets [][]bool) {
	seen := map[string]bool{}
	for _, c := range list {
		if !seen[string(c.Hits)] && c.Shape == v.plan.Shape {
			seen[string(c.Hits)] = true
			sets = append(sets, unpack(c.Hits, v.probes))
		}
	}
	return sets
}

// writeExecProbes writes the block of a class of which a probe was hit.
func writeExecProbes(b *bufio.Writer, id uint64, name string, probes []bool) {
	if !slices.Contains(probes, true) {
		return
	}
	b.WriteByte(execClass)
	b.Write(binary.BigEndian.AppendUint64(nil, id))
	writeUTF(b, name)
	b.Write(binary.AppendUvarint(nil, uint64(len(probes))))
	b.Write(pack(probes))
}

// writeUTF writes a text as java.io.DataOutput does.
func writeUTF(b *bufio.Writer, text string) {
	encoded := classfile.EncodeUTF8(nil, text)
	b.Write(binary.BigEndian.AppendUint16(nil, uint16(len(encoded))))
	b.Write(encoded)
}
