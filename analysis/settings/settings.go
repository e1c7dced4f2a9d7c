// Package settings is a table of settings of the JDK, fields and properties, with what they are
// where nobody sets them. Code that only runs with another value is left out of the records of
// package facts: control does not reach it.
package settings

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
	Class       string // internal name, or AnyClass
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

// AnyClass is the Class of a setting that all classes of the JDK read.
const AnyClass = "*"

// SecurityManager ends the Field of a Setting that is a call of java.lang.System.
const SecurityManager = "()SecurityManager"

// OfSystem tells whether the setting is a call of java.lang.System.
func (s *Setting) OfSystem() bool { return strings.HasSuffix(s.Field, SecurityManager) }

// ProxyType ends the Field of a Setting that is a constant of java.net.Proxy.Type.
const ProxyType = "()Type"

// OfProxyType tells whether the setting is a constant of java.net.Proxy.Type.
func (s *Setting) OfProxyType() bool { return strings.HasSuffix(s.Field, ProxyType) }

// Method is the name of the method that the setting is of.
func (s *Setting) Method() string {
	name, _, _ := strings.Cut(s.Field, "(")
	return name
}

// ofJDK tells whether a class belongs to the JDK, by its package.
func ofJDK(class string) bool {
	return slices.ContainsFunc([]string{"java/", "javax/", "jdk/", "sun/", "com/sun/"},
		func(p string) bool { return strings.HasPrefix(class, p) })
}

// Never ends the Field of a Setting that is a method that nothing calls.
const Never = "()Never"

// OfNever tells whether the setting is a method that nothing calls.
func (s *Setting) OfNever() bool { return strings.HasSuffix(s.Field, Never) }

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

// IsReference tells whether the value is one of a reference.
func (v HeldValue) IsReference() bool { return v >= HeldNull }

// Constant is the instruction that pushes the value, which is neither HeldSome nor HeldNone.
func (v HeldValue) Constant() classfile.Opcode {
	return [...]classfile.Opcode{classfile.OpIconst0, classfile.OpIconst1, classfile.OpAconstNull}[v]
}

// Jumps tells whether a branch behind a reading of the value always jumps; ok is false
// where it is no branch on one value alone, or, of HeldNone, no comparison with it.
func (v HeldValue) Jumps(op classfile.Opcode) (jumps, ok bool) {
	switch op {
	case classfile.OpIfeq:
		return v == HeldFalse, !v.IsReference()
	case classfile.OpIfne:
		return v == HeldTrue, !v.IsReference()
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
var text string

// Key stands for the table: records of another one are others.
var Key = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))

// Table is the table, in the order of the file.
var Table = parse(text)

func parse(text string) (out []Setting) {
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

// Set names properties of the table that a program may set, see SetOf. Its zero
// value is that of a program that sets none.
type Set string

// SetOf is the set of the properties of the table of which a function holds for one of the askers.
func SetOf(isSet func(property string) bool) Set {
	var names []string
	for _, s := range Table {
		if s.Property != NoProperty && !slices.Contains(names, s.Property) && slices.ContainsFunc(s.Askers(), isSet) {
			names = append(names, s.Property)
		}
	}
	slices.Sort(names)
	return Set(strings.Join(names, ","))
}

// Has tells whether a property is in the set.
func (p Set) Has(property string) bool {
	return p != "" && slices.Contains(strings.Split(string(p), ","), property)
}

// NoProperty is the Property of a Setting that nothing changes.
const NoProperty = "-"

// ClassSetting marks the Property of a Setting that is the name of a class.
const ClassSetting = "class:"

// Of are the settings of a class whose value is known. data is its class file. Without a
// feature version of the JDK they are those of any.
func Of(class string, data []byte, set Set, feature int) (out []*Setting) {
	for i := range Table {
		s := &Table[i]
		if set.Has(s.Property) || feature != 0 && (feature < s.First || s.Last < feature) {
			continue
		}
		if s.Class == class || s.Class == AnyClass && ofJDK(class) && bytes.Contains(data, []byte(s.Method())) {
			out = append(out, s)
		}
	}
	return out
}
