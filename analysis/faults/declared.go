package faults

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
)

// This file is the part of the universe that users write down: any exception at any
// method ([[fault]] in catchlens.toml).

// Declared is a fault that a user wrote down. It strikes when the method, or one
// that overrides it, is entered: the exception is thrown in place of its code.
type Declared struct {
	Name      Kind
	Class     string // internal name
	Method    string // name, without descriptor
	Desc      string // "": each method of the name
	Exception string // internal name
	Message   string // "": what suits the exception
	File      string // where it is written
	Line      int
}

// Definition says what a fault does: results of another definition say nothing of it.
func (d *Declared) Definition() string {
	return fmt.Sprintf("%s.%s%s %s: %s", d.Class, d.Method, d.Desc, d.Exception, d.Message)
}

// Numbers by which probes name declared faults, beside those of roots: at the start
// of the method, and at calls of one that has no code. MaxDeclared is how many there
// may be.
const (
	DeclaredEntry = 0x4000
	DeclaredCall  = 0x6000
	MaxDeclared   = 0x2000
)

// DeclaredAt is the index of the declared fault that a probe's number means; ok is
// false if it means a root.
func DeclaredAt(number int) (index int, ok bool) {
	switch {
	case number >= DeclaredCall:
		return number - DeclaredCall, true
	case number >= DeclaredEntry:
		return number - DeclaredEntry, true
	}
	return 0, false
}

// DigestOf is a digest of some declared faults, in their order; "" for none.
func DigestOf(list []Declared) string {
	if len(list) == 0 {
		return ""
	}
	h := sha256.New()
	for i := range list {
		fmt.Fprintln(h, list[i].Name, list[i].Definition())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Strikes tells whether the fault is about a method of a class. isA tells whether the
// class is another one, or extends or implements it.
func (d *Declared) Strikes(class, name, desc string, access uint16, isA func(super string) bool) bool {
	if d.Method != name || d.Desc != "" && d.Desc != desc {
		return false
	}
	if class == d.Class {
		return true
	}
	const static, private, synthetic = 0x0008, 0x0002, 0x1000
	return access&(static|private|synthetic) == 0 && name != "<init>" && isA(d.Class)
}

// Supers tells whether a class is another one, or extends or implements it, going by
// facts. One of which there are no facts has no supertypes.
func Supers(class *facts.Class, factsOf func(string) (*facts.Class, bool)) func(super string) bool {
	var all map[string]bool
	return func(super string) bool {
		if all == nil {
			all = map[string]bool{}
			for todo := []*facts.Class{class}; len(todo) > 0; todo = todo[1:] {
				all[todo[0].Name] = true
				for _, n := range append([]string{todo[0].Super}, todo[0].Interfaces...) {
					if f, ok := factsOf(n); n != "" && !all[n] && ok {
						all[n] = true
						todo = append(todo, f)
					}
				}
			}
		}
		return all[super]
	}
}

// ParseMethod reads "com.acme.Client.send" or "com.acme.Client.send(I)V"; a
// constructor is "com.acme.Client.<init>". ok is false for anything else.
func ParseMethod(s string) (class, method, desc string, ok bool) {
	name, rest, hasDesc := strings.Cut(strings.TrimSpace(s), "(")
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || dot == len(name)-1 || strings.ContainsAny(name, " \t#;[") {
		return "", "", "", false
	}
	if hasDesc {
		desc = "(" + rest
		if !strings.Contains(desc, ")") {
			return "", "", "", false
		}
	}
	return strings.ReplaceAll(name[:dot], ".", "/"), name[dot+1:], desc, true
}

// Says is one line on a kind of fault for people: of the universe's kinds, else of a
// declared one.
func Says(k Kind) string {
	info, _ := Info(k)
	return cmp.Or(info.Says, "the fault "+string(k)+" of catchlens.toml")
}
