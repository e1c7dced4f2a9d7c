package ir

// This file caches what the constant pool entries of the current class mean.

import (
	"fmt"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// poolEntry is a resolved member reference or call site.
type poolEntry struct {
	ref    classfile.MemberRef
	params string // of a method: what stands between the parentheses of its descriptor
	kind   Kind   // of the field, or of the result
	err    error
}

// poolCache resolves each entry of a class once.
type poolCache struct {
	class   *classfile.Class
	number  []int32 // by pool index: index into entries plus 1, 0 where not yet resolved
	entries []poolEntry
}

func (p *poolCache) reset(c *classfile.Class) {
	if p.class == c {
		return
	}
	p.class = c
	p.number = resize(p.number, c.Pool.Len())
	clear(p.number)
	p.entries = p.entries[:0]
}

// member resolves a Fieldref, Methodref, InterfaceMethodref or InvokeDynamic
// entry; of the last only Name and Desc are known.
func (p *poolCache) member(i uint16) *poolEntry {
	if int(i) >= len(p.number) { // appended to the pool after the cache was made
		grown := make([]int32, int(i)+1)
		copy(grown, p.number)
		p.number = grown
	}
	if n := p.number[i]; n > 0 {
		return &p.entries[n-1]
	}
	var e poolEntry
	if p.class.Pool.Tag(i) == classfile.TagInvokeDynamic {
		var d classfile.DynamicRef
		d, e.err = p.class.Pool.InvokeDynamic(i)
		e.ref.Name, e.ref.Desc = d.Name, d.Desc
	} else {
		e.ref, e.err = p.class.Pool.MemberRef(i)
	}
	result := e.ref.Desc
	if !e.ref.Field {
		result = returnDesc(e.ref.Desc)
	}
	if e.kind = resultKind(result); e.err == nil && e.kind == NoValue && (result != "V" || e.ref.Field) {
		e.err = fmt.Errorf("constant pool entry %d has descriptor %q", i, e.ref.Desc)
	}
	if e.err == nil && !e.ref.Field {
		e.params = params(e.ref.Desc)
	}
	p.entries = append(p.entries, e)
	p.number[i] = int32(len(p.entries))
	return &p.entries[len(p.entries)-1]
}

// returnDesc returns the return descriptor of a method descriptor, "" where it
// is none.
func returnDesc(desc string) string {
	if desc == "" || desc[0] != '(' {
		return ""
	}
	i := 1
	for i < len(desc) && desc[i] != ')' {
		n := fieldDescLen(desc[i:])
		if n == 0 {
			return ""
		}
		i += n
	}
	if i >= len(desc) {
		return ""
	}
	r := desc[i+1:]
	if r != "V" && (r == "" || fieldDescLen(r) != len(r)) {
		return ""
	}
	return r
}

// fieldDescLen is the length of the field descriptor at the start of s, 0
// where there is none (JVMS 4.3.2).
func fieldDescLen(s string) int {
	dims := 0
	for dims < len(s) && s[dims] == '[' {
		dims++
	}
	if dims == len(s) {
		return 0
	}
	switch s[dims] {
	case 'B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z':
		return dims + 1
	case 'L':
		for i := dims + 1; i < len(s); i++ {
			if s[i] == ';' {
				return i + 1
			}
		}
	}
	return 0
}

// resize returns a slice of length n, of s's memory where it suffices. Its
// contents are arbitrary.
func resize[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]T, n, n+n/2+16)
}
