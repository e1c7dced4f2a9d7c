package javasource

// This file completes a parsed file: identities, resolved names and digests.

import (
	"slices"
	"sort"
	"strconv"
	"strings"
)

// finish fills in what needs the whole file.
func (p *parser) finish() {
	f := p.f
	// A clause or statement stands after those in the parts before it, except
	// that a nested one is recorded after the one around it: put all in the
	// order of their keywords.
	sort.SliceStable(f.Catches, func(i, j int) bool { return f.Catches[i].Keyword.Start < f.Catches[j].Keyword.Start })
	p.digests()
	count := make(map[string]int)
	for _, t := range f.Types {
		t.ID = p.typeID(t, count)
	}
	p.identify()
	if len(f.Catches) == 0 {
		return
	}
	type use struct {
		name string
		in   *Type
	}
	resolved, index := make(map[use][]string), newNameIndex(f)
	for _, c := range f.Catches {
		c.Candidates = make([][]string, len(c.Types))
		for i, name := range c.Types {
			key := use{name, c.Member.Type}
			if resolved[key] == nil {
				resolved[key] = index.resolve(name, c.Member.Type)
			}
			c.Candidates[i] = slices.Clip(resolved[key])
			c.ResolvedTypes = append(c.ResolvedTypes, c.Candidates[i]...)
		}
	}
}

// typeID computes Type.ID; those of the types around it are known. count counts
// the local and anonymous types that differ in their number only.
func (p *parser) typeID(t *Type, count map[string]int) string {
	switch {
	case t.Kind == Implicit:
		return "<implicit>"
	case t.Outer == nil || t.Outer.Kind == Implicit && t.Member == nil:
		return internal(p.f.Package, t.Name)
	case t.Kind != Anonymous && t.Kind != EnumConstant && !t.Local:
		return t.Outer.ID + "$" + t.Name
	}
	var b strings.Builder
	b.WriteString(t.Outer.ID)
	b.WriteByte('.')
	b.WriteString(t.Member.Name)
	b.WriteString(erasedParams(t.Member.ParamTypes))
	b.WriteByte('~')
	if t.Local {
		b.WriteByte('~') // its name is its own
	}
	label := t.Name
	if t.Kind == Anonymous {
		label = simpleName(erase(t.Super))
	}
	b.WriteString(label)
	if t.Kind == EnumConstant {
		return b.String()
	}
	key := b.String()
	n := count[key]
	count[key]++
	return key + "~" + strconv.Itoa(n)
}

// identify gives members and catches their identities.
func (p *parser) identify() {
	seen := make(map[string]int)
	for _, t := range p.f.Types {
		for _, m := range t.Members {
			if m.Name == InitName || m.Kind == Method {
				m.ID = t.ID + "." + m.Name + erasedParams(m.ParamTypes)
			} else {
				m.ID = t.ID + "." + m.Name
			}
			seen[m.ID]++
			if n := seen[m.ID]; n > 1 { // the file does not compile
				m.ID += "~" + strconv.Itoa(n)
			}
			sort.SliceStable(m.Catches, func(i, j int) bool {
				return m.Catches[i].Keyword.Start < m.Catches[j].Keyword.Start
			})
			for i, c := range m.Catches {
				c.Ordinal = i
				c.ID = m.ID + "#" + strconv.Itoa(i)
			}
		}
	}
}

// digests computes all digests.
func (p *parser) digests() {
	n := len(p.toks.kinds) - 1
	hash := slices.Grow(p.toks.hash[:0], n)[:n]
	p.toks.hash = hash
	all := newHasher()
	for i := range hash {
		hash[i] = hashText(p.word(i))
		all.add(hash[i])
	}
	p.f.Digest = all.sum()
	states := make(map[*Member]*hasher)
	for _, r := range p.ranges {
		h := states[r.m]
		if h == nil {
			fresh := newHasher()
			h = &fresh
			states[r.m] = h
		}
		p.addTokens(h, r.lo, r.hi)
		r.m.Digest = h.sum()
	}
	for _, tt := range p.tryTokens {
		h := newHasher()
		p.addTokens(&h, tt.lo, tt.bodyEnd)
		for i, c := range tt.t.Catches {
			p.addTokens(&h, tt.catches[i][0], tt.catches[i][1])
			d := h
			if tt.finallyHi > 0 {
				p.addTokens(&d, tt.finally, tt.finallyHi)
			}
			c.Digest = d.sum()
		}
	}
}

func (p *parser) addTokens(h *hasher, lo, hi int) {
	for _, x := range p.toks.hash[lo:min(hi, len(p.toks.hash))] {
		h.add(x)
	}
}
