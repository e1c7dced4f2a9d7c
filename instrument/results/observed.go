package results

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file keeps what runs observed and the analysis does not find by itself
// (DESIGN D7), for the next analysis.

// Bounds of what is kept for a module; what was seen least recently goes first.
const (
	maxObserved      = 4000
	maxObservedBytes = 32 << 20
	// seenAgain is how old a record is before it is said again that it was seen.
	seenAgain = 24 * time.Hour
)

type observedKey struct {
	module, classPath, class, method string
	byClass, byMethod                string
	handler                          int
	code                             [16]byte
}

func keyOfObserved(o *record.Observed) observedKey {
	return observedKey{o.Module, o.ClassPath, o.Class, o.Method, o.ByClass, o.ByMethod, o.Handler, o.ByCode}
}

// PutObserved records what was observed and makes it visible at once. Times are compared by the
// clock that is on the disk, as in putAfter: that of this process stands still while the machine
// sleeps.
func (s *Store) PutObserved(o record.Observed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.At = o.At.Round(0)
	old := s.observed[keyOfObserved(&o)]
	if old != nil && o.At.Sub(old.At) < seenAgain {
		return nil
	}
	if old != nil {
		o.Data = nil // the class is on disk
	}
	s.addObserved(&o)
	return s.appendObserved(&o)
}

func (s *Store) appendObserved(o *record.Observed) error {
	return s.append(kindObserved, func(namer) any { return o })
}

// addObserved adds a record, or the news that what it names was seen again.
func (s *Store) addObserved(o *record.Observed) {
	k := keyOfObserved(o)
	if old := s.observed[k]; old != nil {
		if o.At.After(old.At) {
			again := *old
			again.At = o.At
			s.observed[k] = &again
		}
		return
	}
	if o.Method == "" && len(o.Data) == 0 {
		return // a class that was dropped
	}
	s.observed[k] = o
	s.observedBytes += len(o.Data)
	s.observedVersion++
	s.boundObserved(o.Module)
}

// boundObserved drops what is too much for a module: a tenth more than that, so
// that it is not done for each record.
func (s *Store) boundObserved(module string) {
	if len(s.observed) <= maxObserved && s.observedBytes <= maxObservedBytes {
		return
	}
	var all []*record.Observed
	total := 0
	for _, o := range s.observed {
		if o.Module == module {
			all = append(all, o)
			total += len(o.Data)
		}
	}
	if len(all) <= maxObserved && total <= maxObservedBytes {
		return
	}
	slices.SortFunc(all, func(a, b *record.Observed) int { return cmp.Or(b.At.Compare(a.At), compareObserved(a, b)) })
	kept := 0
	for n, o := range all {
		if kept += len(o.Data); n >= maxObserved/10*9 || kept > maxObservedBytes/10*9 {
			delete(s.observed, keyOfObserved(o))
			s.observedBytes -= len(o.Data)
		}
	}
}

func compareObserved(a, b *record.Observed) int {
	return cmp.Or(strings.Compare(a.Module, b.Module), strings.Compare(a.ClassPath, b.ClassPath),
		strings.Compare(a.Class, b.Class), strings.Compare(a.Method, b.Method), strings.Compare(a.ByClass, b.ByClass),
		strings.Compare(a.ByMethod, b.ByMethod), cmp.Compare(a.Handler, b.Handler),
		bytes.Compare(a.ByCode[:], b.ByCode[:]))
}

func (s *Store) sortedObserved() []*record.Observed {
	out := make([]*record.Observed, 0, len(s.observed))
	for _, o := range s.observed {
		out = append(out, o)
	}
	slices.SortFunc(out, compareObserved)
	return out
}

// Observed is what an analysis should know of earlier runs. Version grows when
// there is more.
type Observed struct {
	Extra     callgraph.Extra
	Generated []snapshot.GeneratedClass
	Version   int64
}

// Observed returns what runs observed. classPath gives the present
// record.ClassPathKey of a module; what was observed with another says nothing.
func (s *Store) Observed(classPath func(module string) string) Observed {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := Observed{Version: s.observedVersion}
	seen := map[observedKey]bool{}
	for _, o := range s.sortedObserved() {
		k := keyOfObserved(o)
		if k.module, k.classPath = "", ""; o.ClassPath != classPath(o.Module) || seen[k] {
			continue
		}
		seen[k] = true
		if o.Method == "" {
			r.Generated = append(r.Generated, snapshot.GeneratedClass{Name: o.Class, Data: o.Data})
			continue
		}
		e := callgraph.ExtraEdge{To: methodRef(o.Class, o.Method), Kind: callgraph.Reflection, Entered: true}
		if o.ByClass != "" {
			e.From, e.Kind, e.Try, e.Code = methodRef(o.ByClass, o.ByMethod), callgraph.Upcall, int32(o.Handler)+
				1, o.ByCode
		}
		r.Extra.Edges = append(r.Extra.Edges, e)
	}
	return r
}

func methodRef(class, method string) features.MethodRef {
	name, desc, _ := strings.Cut(method, "(")
	return features.MethodRef{Class: class, Name: name, Desc: "(" + desc}
}

// ObservedVersion grows when something new was observed.
func (s *Store) ObservedVersion() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.observedVersion
}
