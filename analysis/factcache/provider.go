package factcache

// This file gives the records of the classes of a class path.

import (
	"runtime"
	"slices"
	"sync"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/internal/defect"
)

// EntryIndex is a position in the list of entries that a Provider was made for.
type EntryIndex int

// NoEntry is the origin of a class that no entry has.
const NoEntry EntryIndex = -1

// FileProblem is a class that could not be read or understood, with the entry
// that holds it.
type FileProblem struct {
	File    string // path of the entry
	Class   string // internal name
	Message string
}

// Provider gives the record of any class of a class path. It sees jars and JDKs
// as their digests say they were when it was made, and class files in folders
// as they are when first asked for, in packages whose first part was there when the
// folder was first asked; each name is looked up once. It may be used by several
// goroutines at once.
type Provider struct {
	cache   *Cache
	opts    facts.Options
	entries []providerEntry

	mu       sync.Mutex
	loaded   map[string]*lookup
	asked    []string // found in jars or the JDK, in the order of asking
	problems []FileProblem
	stats    Stats

	ahead lookahead
}

type providerEntry struct {
	classpath.Entry
	container *container // nil for folders
	folder    *folder    // nil for others
	mayHold   func() func(name string) bool
}

// lookup is the answer for one name.
type lookup struct {
	once     sync.Once
	searched bool // it has come to an end, and not by a panic
	record   *facts.Class
	computed bool // not from a store
	origin   EntryIndex
	err      error
}

// NewProvider returns a provider for entries in search order (a JVM searches
// the JDK first). feature is the Java version that the entries were opened for.
// Digests of jars and JDKs are computed here, in parallel, unless their entries
// remember them.
func NewProvider(cache *Cache, entries []classpath.Entry, feature int, o facts.Options) *Provider {
	p := &Provider{cache: cache, opts: o, loaded: make(map[string]*lookup),
		entries: make([]providerEntry, len(entries))}
	p.opts.Set = "" // of folders: settings are the JDK's
	var opening defect.Group
	for i, e := range entries {
		p.entries[i].Entry = e
		if e.Kind() == classpath.KindFolder {
			p.entries[i].folder = cache.folder(e, p.opts)
			p.entries[i].mayHold = sync.OnceValue(func() func(string) bool { return mayHold(e) })
			continue
		}
		opening.Go(func() { p.entries[i].container = cache.container(e, feature, o) })
	}
	opening.Wait()
	return p
}

// mayHold is the test of a folder for the classes that it may have.
func mayHold(e classpath.Entry) func(name string) bool {
	if f, ok := e.(*classpath.Folder); ok {
		return f.MayHold()
	}
	return func(string) bool { return true }
}

// Load returns the record of a class and the entry that holds it. Where no
// entry has the class, the record is nil, the origin NoEntry and the error nil.
// An error means that the class is there and cannot be read.
func (p *Provider) Load(name string) (*facts.Class, EntryIndex, error) {
	l, first := p.lookup(name)
	if first && l.computed && l.record != nil {
		p.lookAhead(l.record)
	}
	return l.record, l.origin, l.err
}

// Class returns the record of a class, false where there is none. Errors are
// among Problems.
func (p *Provider) Class(name string) (*facts.Class, bool) {
	r, _, _ := p.Load(name)
	return r, r != nil
}

// Problems returns what was found wrong with the classes asked for so far,
// ordered by file and class.
func (p *Provider) Problems() []FileProblem {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := slices.Clone(p.problems)
	slices.SortFunc(list, func(a, b FileProblem) int {
		return cmpStrings(a.File, b.File, a.Class, b.Class, a.Message, b.Message)
	})
	return list
}

func cmpStrings(pairs ...string) int {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] != pairs[i+1] {
			if pairs[i] < pairs[i+1] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// lookup returns the completed answer for a name, and whether it is asked for
// the first time.
func (p *Provider) lookup(name string) (l *lookup, first bool) {
	p.mu.Lock()
	l = p.loaded[name]
	if l == nil {
		l = &lookup{origin: NoEntry}
		p.loaded[name] = l
		p.stats.Asked++
	}
	p.mu.Unlock()
	l.once.Do(func() {
		defer func() {
			if !l.searched { // nor is it an answer that there is no such class
				p.mu.Lock()
				defer p.mu.Unlock()
				delete(p.loaded, name)
			}
		}()
		first = true
		p.search(l, name)
		l.searched = true
	})
	if !l.searched {
		panic("looking for class " + name + " failed on another goroutine")
	}
	return l, first
}

// search asks the entries in order.
func (p *Provider) search(l *lookup, name string) {
	for i := range p.entries {
		e := &p.entries[i]
		var s *slot
		stored := false
		if e.container != nil {
			s, stored = e.container.get(e.Entry, name)
		} else {
			if s = p.fromFolder(e, name); s != nil {
				stored = s.stored
			}
		}
		if s == nil {
			continue
		}
		l.record, l.origin, l.err, l.computed = s.record, EntryIndex(i), s.err, !stored && !s.recalled
		p.count(name, e.container != nil, stored)
		if s.err != nil || len(s.problems) > 0 {
			p.report(e.Path(), name, s)
		}
		return
	}
}

func (p *Provider) count(name string, contained, stored bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if contained {
		p.asked = append(p.asked, name)
	}
	p.stats.Found++
	if !stored {
		p.stats.Computed++
	}
}

func (p *Provider) report(path, name string, s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.err != nil {
		p.problems = append(p.problems, FileProblem{path, name, s.err.Error()})
	}
	for _, x := range s.problems {
		p.problems = append(p.problems, FileProblem{path, name, x.String()})
	}
}

// lookahead computes, on processors that would idle, what an analysis is going
// to ask for: the classes that a record names, as soon as it is asked for
// itself. Only records that had to be computed are looked into: what a store
// has is quickly decoded when asked for.
type lookahead struct {
	mu      sync.Mutex
	closed  bool
	queue   []string
	queued  map[string]bool
	workers int
	running defect.Group
}

// lookAhead queues the classes that r names.
func (p *Provider) lookAhead(r *facts.Class) {
	a := &p.ahead
	limit := runtime.GOMAXPROCS(0) - 1
	a.mu.Lock()
	defer a.mu.Unlock()
	if limit == 0 || a.closed {
		return
	}
	if a.queued == nil {
		a.queued = make(map[string]bool)
	}
	add := func(name string) {
		if name != "" && name[0] != '[' && !a.queued[name] {
			a.queued[name] = true
			a.queue = append(a.queue, name)
		}
	}
	a.queued[r.Name] = true
	add(r.Super)
	for _, n := range r.Interfaces {
		add(n)
	}
	for i := range r.Methods {
		m := &r.Methods[i]
		for j := range m.Calls {
			add(m.Calls[j].Owner)
		}
		for j := range m.Allocs {
			add(m.Allocs[j].Type)
		}
	}
	for ; a.workers < limit && len(a.queue) > 0; a.workers++ {
		a.running.Go(p.work)
	}
}

// work empties the queue.
func (p *Provider) work() {
	a := &p.ahead
	for {
		a.mu.Lock()
		if len(a.queue) == 0 {
			a.workers--
			a.mu.Unlock()
			return
		}
		name := a.queue[0]
		a.queue = a.queue[1:]
		a.mu.Unlock()
		p.preload(name)
	}
}

// preload makes the record of a class known to its container, without counting it
// as asked for. Folders are left alone: a provider's answer for them is what
// they hold when it is asked.
func (p *Provider) preload(name string) {
	for i := range p.entries {
		if e := &p.entries[i]; e.container != nil {
			if s, _ := e.container.get(e.Entry, name); s != nil {
				return
			}
		}
	}
}

// Close ends computing ahead. When it returns, no entry is in use any more. The
// provider still answers.
func (p *Provider) Close() {
	a := &p.ahead
	a.mu.Lock()
	a.closed, a.queue = true, nil
	a.mu.Unlock()
	a.running.Wait()
}

// Stats are figures of a Provider for the log and the benchmarks.
type Stats struct {
	Asked    int // names asked for
	Found    int // of them the ones that some entry has
	Computed int // of those the ones that no store had
}

// Stats counts what was asked for so far.
func (p *Provider) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}
