package javasource

// This file carries catches from one version of a file to the next.

import "slices"

// Carry finds the catches of the old version of a file in the new one. Not
// every old catch is a key. A pair whose digests differ is one whose try
// statement or clause was edited: what is known about it is stale.
//
// Unchanged ones are found first: in their member, in order, then anywhere in
// the file (code that moved). Of the others, those of a member stay in it as
// long as its identity stays; types and order decide. What is left is sought in
// members that are new in the same type (one whose name or parameters changed).
func Carry(old, new *File) map[*Catch]*Catch {
	c := carrier{result: make(map[*Catch]*Catch, len(old.Catches)), taken: make(map[*Catch]bool)}
	members := make(map[string]*Member)
	for _, t := range new.Types {
		for _, m := range t.Members {
			members[m.ID] = m
		}
	}
	for _, t := range old.Types {
		for _, m := range t.Members {
			if n := members[m.ID]; n != nil {
				c.lists(m.Catches, n.Catches, true)
			}
		}
	}
	c.moved(old, new)
	for _, t := range old.Types {
		for _, m := range t.Members {
			if n := members[m.ID]; n != nil {
				c.rest(m.Catches, n.Catches)
			}
		}
	}
	c.renamed(old, new, members)
	return c.result
}

type carrier struct {
	result map[*Catch]*Catch
	taken  map[*Catch]bool // of the new version
}

func (c *carrier) set(old, new *Catch) {
	c.result[old], c.taken[new] = new, true
}

// lists pairs the catches of two versions of a member: the unchanged ones only,
// or all.
func (c *carrier) lists(old, new []*Catch, unchanged bool) {
	same := 0 // the common case: nothing changed before
	for same < len(old) && same < len(new) && old[same].Digest == new[same].Digest {
		c.set(old[same], new[same])
		same++
	}
	old, new = old[same:], new[same:]
	a := aligner{n: len(old), m: len(new), leaveOther: func(int) int { return 0 },
		score: func(i, j int) int {
			switch x, y := old[i], new[j]; {
			case x.Digest == y.Digest:
				return 1000
			case unchanged:
				return impossible
			case slices.Equal(x.Types, y.Types) && x.Param == y.Param:
				return 21
			case slices.Equal(x.Types, y.Types):
				return 20
			}
			return 1
		}}
	for j, i := range a.run() {
		if i >= 0 {
			c.set(old[i], new[j])
		}
	}
}

// rest pairs what is left of two versions of a member.
func (c *carrier) rest(old, new []*Catch) {
	var a, b []*Catch
	for _, o := range old {
		if c.result[o] == nil {
			a = append(a, o)
		}
	}
	if len(a) == 0 {
		return
	}
	for _, n := range new {
		if !c.taken[n] {
			b = append(b, n)
		}
	}
	c.lists(a, b, false)
}

// moved pairs what is left by digests.
func (c *carrier) moved(old, new *File) {
	byDigest := make(map[Digest][]*Catch)
	for _, n := range new.Catches {
		if !c.taken[n] {
			byDigest[n.Digest] = append(byDigest[n.Digest], n)
		}
	}
	for _, o := range old.Catches {
		if list := byDigest[o.Digest]; c.result[o] == nil && len(list) > 0 {
			c.set(o, list[0])
			byDigest[o.Digest] = list[1:]
		}
	}
}

// renamed pairs the catches left in members that are gone with those left in
// members that are new in the same type, in order.
func (c *carrier) renamed(old, new *File, members map[string]*Member) {
	known := make(map[string]bool)
	gone := make(map[string][]*Catch) // by type
	for _, o := range old.Catches {
		known[o.Member.ID] = true
		if c.result[o] == nil && members[o.Member.ID] == nil {
			gone[o.Member.Type.ID] = append(gone[o.Member.Type.ID], o)
		}
	}
	if len(gone) == 0 {
		return
	}
	fresh := make(map[string][]*Catch)
	for _, n := range new.Catches {
		if !c.taken[n] && !known[n.Member.ID] {
			fresh[n.Member.Type.ID] = append(fresh[n.Member.Type.ID], n)
		}
	}
	for id, list := range gone {
		c.lists(list, fresh[id], false)
	}
}
