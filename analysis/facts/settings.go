package facts

// This file holds settings of the JDK at what they are where nobody sets them. Code that
// only runs with another value is left out of the record: control does not reach it.

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// Setting is a field of the JDK that is decided once and for all where nobody asks for
// something else, or what a method reads of a property where nobody sets it.
type Setting struct {
	First, Last int    // feature versions of the JDK that have it
	Class       string // internal name, or anyClass
	// Field is a field of Class, or of the class around it, a boolean or, where Value is null or
	// some, a reference; or, with () behind it, a method that reads Property into a local
	// variable; or, with ()Z, a method that Class calls, a static one or on this; or, with
	// ()SecurityManager, one of java.lang.System that it calls; or, with ()Type, a constant of
	// java.net.Proxy.Type that Class compares with; or, with ()Never, a method of Class that
	// nothing calls.
	Field string
	Value HeldValue // where nobody asks for another
	// Property is the system property that decides, or, behind "class:", the class of the JDK that
	// code names which asks for another value, or several of both, see Askers. NoProperty: nobody
	// can.
	Property string
	Source   string // where the JDK's sources set it
}

// anyClass is the Class of a setting that all classes of the JDK read.
const anyClass = "*"

// securityManager ends the Field of a Setting that is a call of java.lang.System.
const securityManager = "()SecurityManager"

// ofSystem tells whether the setting is a call of java.lang.System.
func (s *Setting) ofSystem() bool { return strings.HasSuffix(s.Field, securityManager) }

// proxyType ends the Field of a Setting that is a constant of java.net.Proxy.Type.
const proxyType = "()Type"

// ofProxyType tells whether the setting is a constant of java.net.Proxy.Type.
func (s *Setting) ofProxyType() bool { return strings.HasSuffix(s.Field, proxyType) }

// method is the name of the method that the setting is of.
func (s *Setting) method() string {
	name, _, _ := strings.Cut(s.Field, "(")
	return name
}

// ofJDK tells whether a class belongs to the JDK, by its package.
func ofJDK(class string) bool {
	return slices.ContainsFunc([]string{"java/", "javax/", "jdk/", "sun/", "com/sun/"},
		func(p string) bool { return strings.HasPrefix(class, p) })
}

// never ends the Field of a Setting that is a method that nothing calls.
const never = "()Never"

// ofNever tells whether the setting is a method that nothing calls.
func (s *Setting) ofNever() bool { return strings.HasSuffix(s.Field, never) }

// Askers are the properties, and behind "class:" the classes, each of which asks for another value.
func (s *Setting) Askers() []string { return strings.Split(s.Property, "|") }

// HeldValue is the value of a Setting.
type HeldValue uint8

// The values.
const (
	HeldFalse HeldValue = iota
	HeldTrue
	HeldNull
	HeldSome // not null; only branches depend on it
	HeldNone // of no object: what is compared with it is another one
)

var heldValues = map[string]HeldValue{"false": HeldFalse, "true": HeldTrue, "null": HeldNull, "some": HeldSome,
	"none": HeldNone}

// reference tells whether the value is one of a reference.
func (v HeldValue) reference() bool { return v >= HeldNull }

// constant is the instruction that pushes the value, which is neither HeldSome nor HeldNone.
func (v HeldValue) constant() classfile.Opcode {
	return [...]classfile.Opcode{classfile.OpIconst0, classfile.OpIconst1, classfile.OpAconstNull}[v]
}

// jumps tells whether a branch behind a reading of the value always jumps; ok is false
// where it is no branch on one value alone, or, of HeldNone, no comparison with it.
func (v HeldValue) jumps(op classfile.Opcode) (jumps, ok bool) {
	switch op {
	case classfile.OpIfeq:
		return v == HeldFalse, !v.reference()
	case classfile.OpIfne:
		return v == HeldTrue, !v.reference()
	case classfile.OpIfnull:
		return v == HeldNull, v == HeldNull || v == HeldSome
	case classfile.OpIfnonnull:
		return v == HeldSome, v == HeldNull || v == HeldSome
	case classfile.OpIfAcmpeq, classfile.OpIfAcmpne:
		return op == classfile.OpIfAcmpne, v == HeldNone
	}
	return false, false
}

//go:embed settings.txt
var settingsText string

// settingsKey stands for the table: records of another one are others.
var SettingsKey = fmt.Sprintf("%x", sha256.Sum256([]byte(settingsText)))

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
		initial, known := heldValues[value]
		if err != nil || !known || dot < 0 || source == "" {
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

// SetOf is the set of the properties of Settings of which a function holds for one of the askers.
func SetOf(isSet func(property string) bool) PropertySet {
	var names []string
	for _, s := range Settings {
		if s.Property != NoProperty && !slices.Contains(names, s.Property) && slices.ContainsFunc(s.Askers(), isSet) {
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

// NoProperty is the Property of a Setting that nothing changes.
const NoProperty = "-"

// ClassSetting marks the Property of a Setting that is the name of a class.
const ClassSetting = "class:"

// heldOf are the settings of a class whose value is known. data is its class file. Without a
// feature version of the JDK they are those of any.
func heldOf(class string, data []byte, o Options) (out []*Setting) {
	for i := range Settings {
		s := &Settings[i]
		if o.Set.Has(s.Property) || o.Feature != 0 && (o.Feature < s.First || s.Last < o.Feature) {
			continue
		}
		if s.Class == class || s.Class == anyClass && ofJDK(class) && bytes.Contains(data, []byte(s.method())) {
			out = append(out, s)
		}
	}
	return out
}

// heldRead is a reading of a setting whose value is known, of the field or of the local
// variable that has the property, or a call that returns it.
type heldRead struct {
	from, to int // pcs: of the reading, and behind it
	value    HeldValue
	branches bool // behind it is a branch on it alone
	jumps    bool // always; else never
}

// hold replaces each reading of a setting whose value is known by the value, and a branch
// right behind it, to which nothing else jumps, by one that always or never jumps; and then
// what asks once more whether a variable is null (decided). The result is code, or a copy of it.
func (b *builder) hold(m *classfile.Member, code *classfile.Code) *classfile.Code {
	if len(b.held) == 0 {
		return code
	}
	if slices.ContainsFunc(b.held, func(s *Setting) bool { return s.Field == b.c.MemberName(m)+never }) {
		return uncalled(code)
	}
	reads := b.heldReads(m, code)
	if len(reads) == 0 {
		return code
	}
	copied := *code
	copied.Bytecode = slices.Clone(code.Bytecode)
	for _, r := range reads {
		for pc := r.from; pc < r.to; pc++ {
			copied.Bytecode[pc] = byte(classfile.OpNop)
		}
		if r.value == HeldNone {
			copied.Bytecode[r.from] = byte(classfile.OpPop) // what is compared
		}
		switch {
		case !r.branches:
			copied.Bytecode[r.to-1] = byte(r.value.constant())
		case r.jumps:
			copied.Bytecode[r.to] = byte(classfile.OpGoto) // as long as the branch
		default:
			for pc := r.to; pc < r.to+branchLength; pc++ {
				copied.Bytecode[pc] = byte(classfile.OpNop)
			}
		}
	}
	decided(&copied)
	return &copied
}

// uncalled is the code of a method that nothing calls: it begins with a loop that does nothing.
// Code that cannot be decoded stays.
func uncalled(code *classfile.Code) *classfile.Code {
	list, _, ok := jumps(code)
	end := 0
	for i := 0; ok && i < len(list) && end < branchLength; i++ {
		end = list[i].Next()
	}
	if end < branchLength {
		return code
	}
	copied := *code
	copied.Bytecode = slices.Clone(code.Bytecode)
	for pc := range end {
		copied.Bytecode[pc] = byte(classfile.OpNop)
	}
	copied.Bytecode[0] = byte(classfile.OpGoto) // by 0
	return &copied
}

// decided replaces each branch on whether a local variable is null that is only reached where
// a branch just before it has told, by one that always or never jumps.
func decided(code *classfile.Code) {
	list, targets, ok := jumps(code)
	isNull := func(in *classfile.Instruction) bool {
		return in.Op == classfile.OpIfnull || in.Op == classfile.OpIfnonnull
	}
	for i := 0; ok && i+3 < len(list); i++ {
		first, known := localOf(&list[i], classfile.OpAload, classfile.OpAload0)
		again, same := localOf(&list[i+2], classfile.OpAload, classfile.OpAload0)
		told, asks := &list[i+1], &list[i+3]
		if !known || !same || first != again || !isNull(told) || !isNull(asks) || targets[told.PC] ||
			targets[list[i+2].PC] || targets[asks.PC] {
			continue
		}
		end := asks.Next()
		if told.Op != asks.Op { // the first has not jumped: the second always does
			end = asks.PC
			code.Bytecode[end] = byte(classfile.OpGoto) // as long as the branch
		}
		for pc := list[i+2].PC; pc < end; pc++ {
			code.Bytecode[pc] = byte(classfile.OpNop)
		}
	}
}

// branchLength is the length of branches on one value, and of goto.
const branchLength = 3

// heldReads lists what hold replaces; of an object's field only where the object is
// this. Code that cannot be decoded has nothing of it.
func (b *builder) heldReads(m *classfile.Member, code *classfile.Code) (out []heldRead) {
	list, targets, ok := jumps(code)
	if !ok {
		return nil
	}
	free := func(from, to int) bool { // nothing jumps to between
		for pc := from + 1; pc <= to; pc++ {
			if targets[pc] {
				return false
			}
		}
		return true
	}
	// add adds a reading up to instruction i, if nothing jumps into it.
	add := func(r heldRead, i int) {
		if !free(r.from, list[i].PC) {
			return
		}
		r.to = list[i].Next()
		if i+1 < len(list) && free(r.from, list[i+1].PC) {
			r.jumps, r.branches = r.value.jumps(list[i+1].Op)
		}
		if r.branches || r.value < HeldSome {
			out = append(out, r)
		}
	}
	for i := range list {
		if s := b.heldProperty(m, list, targets, i); s != nil {
			if k := loadOfKept(list, i+1); k > 0 && free(list[i].PC, list[k].PC) {
				add(heldRead{from: list[k].PC, value: s.Value}, k)
			}
			continue
		}
		s := b.heldField(&list[i])
		switch {
		case s == nil:
		case s.ofSystem():
			add(heldRead{from: list[i].PC, value: s.Value}, i)
			if k := loadOfKept(list, i+1); k > 0 && free(list[i].PC, list[k].PC) {
				add(heldRead{from: list[k].PC, value: s.Value}, k)
			}
		case list[i].Op == classfile.OpGetstatic, list[i].Op == classfile.OpInvokestatic:
			add(heldRead{from: list[i].PC, value: s.Value}, i)
		case i > 0 && list[i-1].Op == classfile.OpAload0 && m.Access&classfile.AccStatic == 0:
			add(heldRead{from: list[i-1].PC, value: s.Value}, i)
		}
	}
	return out
}

// jumps lists the instructions of code, and the places that some of them or an exception jump
// to; not ok: it cannot be decoded.
func jumps(code *classfile.Code) (list []classfile.Instruction, targets map[int]bool, ok bool) {
	targets = map[int]bool{}
	for _, e := range code.Exceptions {
		targets[int(e.HandlerPC)] = true
	}
	for in, err := range classfile.Instructions(code.Bytecode) {
		if err != nil {
			return nil, nil, false
		}
		targets[in.Target] = true // 0 of what does not jump: the first instruction may be a target
		for _, t := range in.Targets {
			targets[t] = true
		}
		list = append(list, in)
	}
	return list, targets, true
}

// loadOfKept is the position where a local variable is loaded that the instruction at position
// i stores: the next one but for stores of constants to other variables. 0: there is none.
func loadOfKept(list []classfile.Instruction, i int) int {
	if i >= len(list) {
		return 0
	}
	kept, ok := localOf(&list[i], classfile.OpAstore, classfile.OpAstore0)
	for k := i + 1; ok && k < len(list) && k <= i+3; k++ {
		if at, is := localOf(&list[k], classfile.OpAload, classfile.OpAload0); is && at == kept {
			return k
		}
		if at, stores := localOf(&list[k], classfile.OpIstore, classfile.OpIstore0); stores && at != kept ||
			list[k].Op >= classfile.OpAconstNull && list[k].Op <= classfile.OpSipush {
			continue
		}
		break
	}
	return 0
}

// localOf is the local variable of a load or store: op, or one of the four short forms from
// short on.
func localOf(in *classfile.Instruction, op, short classfile.Opcode) (local int, ok bool) {
	switch {
	case in.Op == op:
		return in.Index, true
	case in.Op >= short && in.Op <= short+3:
		return int(in.Op - short), true
	}
	return 0, false
}

// heldProperty is the setting whose property the call at a position reads, nil for none.
func (b *builder) heldProperty(m *classfile.Member, list []classfile.Instruction, targets map[int]bool,
	i int) *Setting {
	if list[i].Op != classfile.OpInvokestatic {
		return nil
	}
	constant := constantBefore(list, targets, i)
	if constant < 0 {
		return nil
	}
	at := slices.IndexFunc(b.held, func(s *Setting) bool { return s.Field == b.c.MemberName(m)+"()" })
	if at < 0 {
		return nil
	}
	ref, err := b.c.Pool.MemberRef(uint16(list[i].Index))
	if err != nil || ref.Desc != "(Ljava/lang/String;)Ljava/lang/String;" ||
		ref.Name != "getProperty" && ref.Name != "privilegedGetProperty" {
		return nil
	}
	if name, err := b.c.Pool.String(uint16(list[constant].Index)); err != nil || name != b.held[at].Property {
		return nil
	}
	return b.held[at]
}

// constantBefore is the position of the instruction that pushes the constant which is on the stack
// at position i: the one before, or, where that loads a local variable, the one whose constant was
// stored there right before. -1: there is none.
func constantBefore(list []classfile.Instruction, targets map[int]bool, i int) int {
	if i > 2 {
		from, stored := localOf(&list[i-2], classfile.OpAstore, classfile.OpAstore0)
		to, loaded := localOf(&list[i-1], classfile.OpAload, classfile.OpAload0)
		if stored && loaded && from == to && !targets[list[i-1].PC] && !targets[list[i-2].PC] {
			i -= 2
		}
	}
	if i > 0 && (list[i-1].Op == classfile.OpLdc || list[i-1].Op == classfile.OpLdcW) {
		return i - 1
	}
	return -1
}

// heldField is the setting that an instruction reads or calls, nil for none.
func (b *builder) heldField(in *classfile.Instruction) *Setting {
	called := in.Op == classfile.OpInvokestatic || in.Op == classfile.OpInvokevirtual
	if in.Op != classfile.OpGetstatic && in.Op != classfile.OpGetfield && !called {
		return nil
	}
	ref, err := b.c.Pool.MemberRef(uint16(in.Index))
	if err != nil {
		return nil
	}
	if ref.Owner != b.name && !strings.HasPrefix(b.name, ref.Owner+"$") {
		k := slices.IndexFunc(b.held, func(s *Setting) bool {
			return ref.Owner == "java/lang/System" && in.Op == classfile.OpInvokestatic &&
				s.Field == ref.Name+securityManager ||
				ref.Owner == "java/net/Proxy$Type" && in.Op == classfile.OpGetstatic && s.Field == ref.Name+proxyType
		})
		if k < 0 {
			return nil
		}
		return b.held[k]
	}
	for _, s := range b.held {
		if called && s.Field == ref.Name+ref.Desc && !s.Value.reference() {
			return s
		} else if !called && s.Field == ref.Name && (ref.Desc == "Z") != s.Value.reference() {
			return s
		}
	}
	return nil
}
