package facts

// This file holds settings of the JDK at what they are where nobody sets them. Code that
// only runs with another value is left out of the record: control does not reach it.

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"catchlens/analysis/classfile"
)

// Setting is a field of the JDK that a system property decides once and for all, when its
// class is initialised.
type Setting struct {
	First, Last int    // feature versions of the JDK that have it
	Class       string // internal name
	Field       string // a private final boolean of Class
	Value       bool   // where Property is not set
	Property    string
	Source      string // where the JDK's sources set it
}

//go:embed settings.txt
var settingsText string

// Settings is the table, in the order of the file.
var Settings = parseSettings(settingsText)

func parseSettings(text string) (out []Setting) {
	for n, line := range strings.Split(text, "\n") {
		row, source, _ := strings.Cut(line, " # ")
		if row == "" || row[0] == '#' {
			continue
		}
		var s Setting
		var field, value string
		_, err := fmt.Sscanf(row, "%d-%d %s %s %s", &s.First, &s.Last, &field, &value, &s.Property)
		dot := strings.LastIndexByte(field, '.')
		initial, bad := strconv.ParseBool(value)
		if err != nil || bad != nil || dot < 0 || source == "" {
			panic(fmt.Sprintf("settings.txt:%d: %q is no row of the table", n+1, line))
		}
		s.Class, s.Field, s.Value, s.Source = field[:dot], field[dot+1:], initial, source
		out = append(out, s)
	}
	return out
}

// PropertySet names properties of Settings that a program may set, see SetOf. Its zero
// value is that of a program that sets none.
type PropertySet string

// SetOf is the set of the properties of Settings for which a function holds.
func SetOf(isSet func(property string) bool) PropertySet {
	var names []string
	for _, s := range Settings {
		if !slices.Contains(names, s.Property) && isSet(s.Property) {
			names = append(names, s.Property)
		}
	}
	slices.Sort(names)
	return PropertySet(strings.Join(names, ","))
}

// Has tells whether a property is in the set.
func (p PropertySet) Has(property string) bool {
	return p != "" && slices.Contains(strings.Split(string(p), ","), property)
}

// heldOf are the settings of a class whose value is known.
func heldOf(class string, set PropertySet) (out []*Setting) {
	for i := range Settings {
		if s := &Settings[i]; s.Class == class && !set.Has(s.Property) {
			out = append(out, s)
		}
	}
	return out
}

// heldRead is a reading of a field whose value is known, and the branch on it.
type heldRead struct {
	from, branch int // pcs: of the reading, and of the ifeq or ifne behind it
	jumps        bool
}

// hold replaces each branch on a setting whose value is known by one that always or never
// jumps: a reading of the field with the branch right behind it, to which nothing else jumps.
// All other readings stay. The result is code, or a copy of it.
func (b *builder) hold(m *classfile.Member, code *classfile.Code) *classfile.Code {
	if len(b.held) == 0 {
		return code
	}
	reads := b.heldReads(m, code)
	if len(reads) == 0 {
		return code
	}
	copied := *code
	copied.Bytecode = slices.Clone(code.Bytecode)
	for _, r := range reads {
		end := r.branch
		if r.jumps {
			copied.Bytecode[r.branch] = byte(classfile.OpGoto) // as long as ifeq and ifne
		} else {
			end += branchLength
		}
		for pc := r.from; pc < end; pc++ {
			copied.Bytecode[pc] = byte(classfile.OpNop)
		}
	}
	return &copied
}

// branchLength is the length of ifeq, ifne and goto.
const branchLength = 3

// heldReads lists what hold replaces; of an object's field only where the object is
// this. Code that cannot be decoded has nothing of it.
func (b *builder) heldReads(m *classfile.Member, code *classfile.Code) (out []heldRead) {
	targets := map[int]bool{}
	for _, e := range code.Exceptions {
		targets[int(e.HandlerPC)] = true
	}
	var before, last classfile.Instruction
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err != nil {
			return nil
		}
		targets[in.Target] = true // 0 of what does not jump: the first instruction may be a target
		for _, t := range in.Targets {
			targets[t] = true
		}
		if s := b.heldField(&last); s != nil && (in.Op == classfile.OpIfeq || in.Op == classfile.OpIfne) {
			r := heldRead{from: last.PC, branch: in.PC, jumps: s.Value == (in.Op == classfile.OpIfne)}
			switch {
			case last.Op == classfile.OpGetstatic:
				out = append(out, r)
			case before.Op == classfile.OpAload0 && m.Access&classfile.AccStatic == 0:
				r.from = before.PC
				out = append(out, r)
			}
		}
		before, last = last, in
	}
	return slices.DeleteFunc(out, func(r heldRead) bool {
		for pc := r.from + 1; pc <= r.branch; pc++ {
			if targets[pc] {
				return true
			}
		}
		return false
	})
}

// heldField is the setting that an instruction reads, nil for none.
func (b *builder) heldField(in *classfile.Instruction) *Setting {
	if in.Op != classfile.OpGetstatic && in.Op != classfile.OpGetfield {
		return nil
	}
	ref, err := b.c.Pool.MemberRef(uint16(in.Index))
	if err != nil || ref.Owner != b.name || ref.Desc != "Z" {
		return nil
	}
	for _, s := range b.held {
		if s.Field == ref.Name {
			return s
		}
	}
	return nil
}
