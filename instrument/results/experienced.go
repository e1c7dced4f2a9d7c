package results

import (
	"cmp"
	"slices"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file lays the links that runs experienced over those of the analysis.

// Unpredicted is a link that was seen and not predicted.
type Unpredicted struct {
	Catch *snapshot.Catch
	Seen  record.Experienced
	// Experienced tells which tests made it happen. Stale: of each of them the class has changed
	// since, and nothing that runs in the try.
	Experienced
	// Pending: each run that saw it entered methods that the call graph does not reach, or it does
	// not reach the one that threw. The next analysis, which is told of these (record.Observed),
	// may predict the link.
	Pending bool
}

// compareUnpredicted orders the links of a catch by exception and throw site.
func compareUnpredicted(a, b Unpredicted) int {
	x, y := a.Seen.Site, b.Seen.Site
	return cmp.Or(cmp.Compare(a.Seen.Exception, b.Seen.Exception), cmp.Compare(x.Class, y.Class),
		cmp.Compare(x.Method, y.Method),
		cmp.Compare(x.Desc, y.Desc), cmp.Compare(x.Ordinal, y.Ordinal), cmp.Compare(x.Line, y.Line),
		cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Fault, y.Fault))
}

// source is a run that experienced links: of a test, with nothing that matters to the catch changed
// since but what is told.
type source struct {
	test    string
	changed change
	entered []record.MethodID // methods that it entered
	fault   bool              // a fault was made to happen
	// kind is that of the fault; "" for links that a run with a fault experienced and that are not
	// known to come of it.
	kind faults.Kind
}

// add notes one more run that experienced the link.
func (x *Experienced) add(by source) {
	x.Stale = x.Stale && by.changed != changedNothing
	x.Tests = withString(x.Tests, by.test)
	x.Baseline, x.Fault = x.Baseline || !by.fault, x.Fault || by.fault
	if by.kind != "" {
		x.Kinds = withString(x.Kinds, by.kind)
	}
}

// links adds what one run experienced at a catch. Every run counts, also of a test that failed: the
// link did happen. A link that is predicted is shown as long as it is, whatever has changed. One
// that is not, or that was ruled out before an edit, is shown all the same, unless what runs in the
// try has changed: then the analysis of the present code has the say.
func (l *layer) links(c *snapshot.Catch, seen []record.Experienced, by source, s *State, o *Overlay) {
	for _, e := range seen {
		if e.Catch != c.ID {
			continue
		}
		found := matchLinks(c.Links, e)
		if len(found) == 0 && by.changed != changedCode {
			found = matchLinks(c.Withheld, e)
			for _, link := range found {
				if s.Links[link.ID] == nil {
					s.Returned = append(s.Returned, link)
				}
			}
		}
		for _, link := range found {
			x := s.Links[link.ID]
			if x == nil {
				x = &Experienced{Stale: true}
				s.Links[link.ID] = x
			}
			x.add(by)
		}
		if len(found) == 0 && by.changed != changedCode && l.studies(e) {
			l.unpredicted(c, e, by, o)
		}
	}
}

// studies tells whether a throw site that a run saw is in the studied set, or would be if the call
// graph reached its method.
func (l *layer) studies(e record.Experienced) bool {
	at := e.Site
	return l.snap.Studies(at.Class, at.Method, at.Desc, at.Ordinal, at.Kind, e.Exception) ||
		l.snap.Unreached(at.Class, at.Method, at.Desc, at.Ordinal, at.Kind, e.Exception)
}

// unpredicted adds a link that was not predicted. Those of a catch are added one after the other.
func (l *layer) unpredicted(c *snapshot.Catch, e record.Experienced, by source, o *Overlay) {
	i := len(o.Unpredicted) - 1
	for i >= 0 && o.Unpredicted[i].Catch == c && o.Unpredicted[i].Seen != e {
		i--
	}
	if i < 0 || o.Unpredicted[i].Catch != c {
		i = len(o.Unpredicted)
		o.Unpredicted = append(o.Unpredicted,
			Unpredicted{Catch: c, Seen: e, Experienced: Experienced{Stale: true}, Pending: true})
	}
	u := &o.Unpredicted[i]
	u.add(by)
	at := e.Site
	u.Pending = u.Pending && (l.snap.UnreachedMethods(at.Class, at.Method, at.Desc, at.Ordinal, at.Kind,
		e.Exception) != nil || slices.ContainsFunc(by.entered, l.unknown) || l.boundThrow(at))
}

// boundThrow tells whether what a site throws is stated alone of catches in which runs observed it,
// as they have when they end.
func (l *layer) boundThrow(at record.SiteRef) bool {
	return at.Kind == exceptions.Explicit.String() && l.snap.Generated(at.Class)
}

// unknown tells whether a method that a run entered is one of the snapshot that its call graph does
// not reach.
func (l *layer) unknown(id record.MethodID) bool {
	k := l.store.Method(id)
	if k.Method == snapshot.Dispatch {
		return false
	}
	ref := snapshot.MethodRef{Class: k.Class, Method: k.Method}
	d, found := l.snap.MethodDigest(ref)
	return found && d == k.Digest && !l.snap.Reaches(ref)
}
