package snapshot

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file tells when calls on objects of a class may go elsewhere than before, although no
// method that ran has changed: one that overrides was added, or a supertype.

// Dispatch is the Method of a MethodRef that names no method, but which methods calls on
// objects of its class run.
const Dispatch = "<dispatch>"

// mostTypes is how many supertypes of one class are told apart, as a mask.
const mostTypes = 1<<10 - 1

// dispatchDigest is a digest of a workspace class's supertypes and of those of its and their
// virtual methods that several of them declare, with the declaring classes of the workspace (JVMS
// 5.4.6 chooses among these). A method that nobody else declares changes nothing of it: what calls
// that has changed itself. Missing supertypes count by their names; libraries by those of their
// methods. It takes some 15 microseconds (joda-time: 8 ms for 532 classes).
func (s *Snapshot) dispatchDigest(class string) [16]byte {
	if d, ok := s.Program.dispatch.Load(class); ok {
		return d.([16]byte)
	}
	types := s.supertypes(class)
	var declared []uint64 // a hash of the method, and behind it which of types
	for by, name := range types {
		for _, m := range s.virtualMethods(name) {
			declared = append(declared, m&^mostTypes|uint64(min(by, mostTypes)))
		}
	}
	slices.Sort(declared)
	text := fmt.Appendf(nil, "%q", types)
	for len(declared) > 0 {
		n := 1
		for n < len(declared) && declared[n]&^mostTypes == declared[0]&^mostTypes {
			n++
		}
		for _, d := range declared[:n] {
			if n > 1 && s.Program.ByName[types[d&mostTypes]] != nil {
				text = binary.LittleEndian.AppendUint64(text, d)
			}
		}
		declared = declared[n:]
	}
	sum := sha256.Sum256(text)
	d := [16]byte(sum[:16])
	s.Program.dispatch.Store(class, d)
	return d
}

// supertypes are a class and all its supertypes, ordered by name.
func (s *Snapshot) supertypes(class string) (types []string) {
	seen := map[string]bool{}
	for work := []string{class}; len(work) > 0; {
		name := work[len(work)-1]
		if work = work[:len(work)-1]; name == "" || seen[name] {
			continue
		}
		seen[name] = true
		types = append(types, name)
		if f, ok := s.Facts(name); ok {
			work = append(append(work, f.Super), f.Interfaces...)
		}
	}
	slices.Sort(types)
	return types
}

// virtualMethods are hashes (FNV-1a) of names and descriptors of those methods that a class
// declares and that may override others.
func (s *Snapshot) virtualMethods(class string) []uint64 {
	if list, ok := s.Program.virtual.Load(class); ok {
		return list.([]uint64)
	}
	var list []uint64
	if f, ok := s.Facts(class); ok {
		for i := range f.Methods {
			if m := &f.Methods[i]; m.Access&(classfile.AccStatic|classfile.AccPrivate) == 0 &&
				!strings.HasPrefix(m.Name, "<") {
				h := fnv.New64a()
				io.WriteString(h, m.Name)
				io.WriteString(h, m.Desc)
				list = append(list, h.Sum64())
			}
		}
	}
	s.Program.virtual.Store(class, list)
	return list
}
