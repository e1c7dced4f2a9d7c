package results

import (
	"regexp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file tells which links tests made happen by faults that they inject themselves
// (docs/reference/fault-api.md): those of an operation that a kind of fault strikes which the test,
// or a method that it ran, injects. Of a fault that an annotation names the source is read.

// The artifact's names.
const (
	apiInject     = "catchlens/fault/Faults"
	apiType       = "catchlens/fault/FaultType"
	apiAnnotation = "catchlens/fault/Fault"
)

// annotatedKind is the kind that the annotation of the artifact names.
var annotatedKind = regexp.MustCompile(`@(?:catchlens\.fault\.)?Fault\s*\([^)]*?\bkind\s*=\s*(?:[\w.]+\.)?([A-Z][A-Z_]*)`)

// injectedKinds are the kinds of faults that a test's run injected, as far as its methods tell;
// known holds those of methods.
func (l *layer) injectedKinds(r *record.TestRun, known map[record.MethodID][]faults.Kind) (kinds []faults.Kind) {
	for _, id := range r.Methods {
		list, done := known[id]
		if !done {
			list = l.kindsOf(l.ref(id))
			known[id] = list
		}
		for _, k := range list {
			kinds = withString(kinds, k)
		}
	}
	return kinds
}

// kindsOf are the kinds of faults that a method injects.
func (l *layer) kindsOf(ref snapshot.MethodRef) (kinds []faults.Kind) {
	c := l.snap.Class(ref.Class)
	if c == nil {
		return nil
	}
	for i := range c.Facts.Methods {
		m := &c.Facts.Methods[i]
		if m.Name+m.Desc != ref.Method {
			continue
		}
		injects := false
		for k := range m.Calls {
			injects = injects || m.Calls[k].Owner == apiInject && m.Calls[k].Name == "inject"
		}
		for k := range m.Inits {
			if f := m.Inits[k].Field; injects && f != nil && f.Owner == apiType {
				kinds = withKind(kinds, f.Name)
			}
		}
		isAnnotation := func(a string) bool { return strings.Trim(a, "L;") == apiAnnotation }
		if c.File == nil || !slices.ContainsFunc(m.Annotations(), isAnnotation) {
			continue
		}
		for _, t := range c.File.Source.Types {
			for _, member := range t.Members {
				if t.BinaryName != c.Name || member.Name != m.Name {
					continue
				}
				head := c.File.Text[member.Span.Start:member.NameSpan.Start]
				for _, found := range annotatedKind.FindAllSubmatch(head, -1) {
					kinds = withKind(kinds, string(found[1]))
				}
			}
		}
	}
	return kinds
}

// withKind adds the kind of a constant of FaultType, if there is such a kind.
func withKind(kinds []faults.Kind, constant string) []faults.Kind {
	k := faults.Kind(strings.ReplaceAll(strings.ToLower(constant), "_", "-"))
	if _, ok := faults.Info(k); !ok {
		return kinds
	}
	return withString(kinds, k)
}

// injected is the kind of an injected fault that what a run experienced at a catch came of; "" if
// it came of none.
func (l *layer) injected(c *snapshot.Catch, e record.Experienced, kinds []faults.Kind) faults.Kind {
	for _, link := range slices.Concat(matchLinks(c.Links, e), matchLinks(c.Withheld, e)) {
		for _, root := range snapshot.FaultRoots(link) {
			for _, k := range kinds {
				if root.Has(k) && snapshot.Brings(l.snap, link, root, k) {
					return k
				}
			}
		}
	}
	return ""
}
