package snapshot

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"catchlens/analysis/classfile"
)

// This file tells when calls on objects of a class may go elsewhere than before, although no
// method that ran has changed: one that overrides was added, or a supertype.

// Dispatch is the Method of a MethodRef that names no method, but which methods calls on
// objects of its class run.
const Dispatch = "<dispatch>"

// dispatchDigest is a digest of a workspace class's supertypes and of those of its and their virtual methods that
// several of them declare, with the declaring classes of the workspace (JVMS 5.4.6 chooses among
// these). A method that nobody else declares changes nothing of it: what calls that has changed itself.
// Missing supertypes count by their names; libraries by those of their methods.
func (s *Snapshot) dispatchDigest(class string) [16]byte {
	if d, ok := s.program.dispatch.Load(class); ok {
		return d.([16]byte)
	}
	var types []string
	declared := map[string][]string{} // by name and descriptor: the classes that declare it
	seen := map[string]bool{}
	for work := []string{class}; len(work) > 0; {
		name := work[len(work)-1]
		if work = work[:len(work)-1]; name == "" || seen[name] {
			continue
		}
		seen[name] = true
		types = append(types, name)
		f, ok := s.Facts(name)
		if !ok {
			continue
		}
		work = append(append(work, f.Super), f.Interfaces...)
		for i := range f.Methods {
			if m := &f.Methods[i]; m.Access&(classfile.AccStatic|classfile.AccPrivate) == 0 && !strings.HasPrefix(m.Name, "<") {
				declared[m.Name+m.Desc] = append(declared[m.Name+m.Desc], name)
			}
		}
	}
	rows := slices.Sorted(slices.Values(types))
	for method, by := range declared {
		if len(by) < 2 {
			continue
		}
		by = slices.DeleteFunc(by, func(c string) bool { return s.program.byName[c] == nil })
		if len(by) > 0 {
			slices.Sort(by)
			rows = append(rows, method+" "+strings.Join(by, " "))
		}
	}
	slices.Sort(rows[len(types):])
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", rows))
	d := [16]byte(sum[:16])
	s.program.dispatch.Store(class, d)
	return d
}
