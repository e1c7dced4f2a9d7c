package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"catchlens/analysis/classfile"
	"catchlens/analysis/facts"
	"catchlens/analysis/snapshot"
	"catchlens/instrument/record"
	"catchlens/instrument/worker"
)

// This file keeps what runs saw and class files do not tell (DESIGN D7): classes
// that are generated as tests run (proxies of the JDK, mocks), and methods that
// were entered, or out of which exceptions came, although the call graph does not reach them.

// Bounds of the generated classes that one campaign keeps of a module.
const (
	maxGenerated      = 2000
	maxGeneratedBytes = 16 << 20
)

// generatedCode collects the generated classes of a module's JVMs. Names such as
// $Proxy12 vary from run to run, so that a class is named by its content: by a
// digest of what it extends, has and calls, its own name left out.
type generatedCode struct {
	mu      sync.Mutex
	classes map[string]*generatedClass // by name by content
	names   map[string]string          // name in a JVM -> name by content; of the last JVM to have it
	keys    map[worker.Key]string      // bytes -> name by content
	bytes   int
	dropped int
}

type generatedClass struct {
	loaded string // the name in the JVM it came from
	data   []byte
	kept   bool // in the memory already
}

func newGeneratedCode() *generatedCode {
	return &generatedCode{classes: map[string]*generatedClass{}, names: map[string]string{},
		keys: map[worker.Key]string{}}
}

// add keeps a class that a JVM loaded. f are its facts.
func (g *generatedCode) add(data []byte, f *facts.Class) {
	g.mu.Lock()
	defer g.mu.Unlock()
	name := nameByContent(f, func(n string) (string, bool) { c, ok := g.names[n]; return c, ok })
	g.names[f.Name], g.keys[worker.KeyOf(data)] = name, name
	if g.classes[name] != nil {
		return
	}
	if len(g.classes) >= maxGenerated || g.bytes+len(data) > maxGeneratedBytes {
		g.dropped++
		return
	}
	g.bytes += len(data)
	g.classes[name] = &generatedClass{loaded: f.Name, data: slices.Clone(data)}
}

// nameOf is the name by content of a generated class, any other name as it is.
// key, if it is not nil, are the bytes it was made from; without, the last class
// of the name is meant.
func (g *generatedCode) nameOf(name string, key *worker.Key) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if key != nil {
		if n, ok := g.keys[*key]; ok {
			return n
		}
	}
	if n, ok := g.names[name]; ok {
		return n
	}
	return name
}

// left is how many classes were not kept.
func (g *generatedCode) left() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.dropped
}

// take returns what was added since it was last called, as class files with the
// names by content: in them, too, where they name each other.
func (g *generatedCode) take() map[string][]byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := map[string][]byte{}
	for name, c := range g.classes {
		if c.kept {
			continue
		}
		c.kept = true
		data, err := renameClass(c.data, func(n string) (string, bool) {
			if n == c.loaded {
				return name, true
			}
			to, ok := g.names[n]
			return to, ok
		})
		if err == nil {
			out[name] = data
		}
		c.data = nil
	}
	return out
}

// What varies from run to run in the names of generated classes: the number of the package of
// proxies, and a number or random letters behind what tells who generates them. A helper's name has
// both its own and those of the class it was made for.
var (
	proxyPackage  = regexp.MustCompile(`^(jdk/proxy|com/sun/proxy)[0-9]*/`)
	variableParts = regexp.MustCompile(`(\$(?:ByteBuddy|auxiliary|MockitoMock|HibernateProxy|HibernateInstantiator|HibernateBasicProxy|accessor)` +
		`|\$\$[A-Za-z]+By[A-Za-z]+|\$\$SpringCGLIB|\$\$\$?EasyMock|\$\$Lambda|LambdaForm\$[A-Z]+)` +
		`[$/]{1,2}(?:0x)?[A-Za-z0-9]+(?:/(?:0x)?[0-9a-f]+)?`)
	javassistParts = regexp.MustCompile(`(_\$\$_(?:jvst|javassist)|\$\$_javassist)_?[0-9a-f_]*`)
)

// stem is a generated class's name without what varies.
func stem(name string) string {
	name = proxyPackage.ReplaceAllString(name, "$1/")
	name = variableParts.ReplaceAllString(name, "$1")
	name = javassistParts.ReplaceAllString(name, "$1")
	return strings.TrimRight(strings.TrimRight(name, "0123456789"), "$")
}

// varies tells whether a name has something by which those differ that one library gives to
// generated classes.
func varies(name string) bool {
	return proxyPackage.MatchString(name) || variableParts.MatchString(name) || javassistParts.MatchString(name)
}

// nameByContent names a generated class by what an analysis sees of it. known
// gives the names by content of other generated classes.
func nameByContent(f *facts.Class, known func(string) (string, bool)) string {
	same := func(n string) (string, bool) {
		if n == f.Name {
			return "self", true
		}
		if strings.HasPrefix(n, f.Name+"$") {
			return "self$", true
		}
		if is, ok := known(n); ok || !varies(n) {
			return is, ok
		}
		return stem(n), true // it is loaded later
	}
	text := func(s string) string { return renameText(s, same) }
	h := sha256.New()
	fmt.Fprintln(h, stem(f.Name), text(f.Super), f.Access)
	for _, i := range f.Interfaces {
		fmt.Fprintln(h, text(i))
	}
	methods := make([]string, 0, len(f.Methods))
	for i := range f.Methods {
		methods = append(methods, describe(&f.Methods[i], text))
	}
	slices.Sort(methods)
	for _, m := range methods {
		fmt.Fprintln(h, m)
	}
	return stem(f.Name) + "$" + hex.EncodeToString(h.Sum(nil)[:4])
}

// describe says what a method is, catches, calls, makes and throws.
func describe(m *facts.Method, text func(string) string) string {
	var b strings.Builder
	fmt.Fprintln(&b, m.Name, text(m.Desc), m.Access, m.Declared())
	for i := range m.Handlers() {
		fmt.Fprintln(&b, "catch", m.Handlers()[i].Types)
	}
	for i := range m.Calls {
		c := &m.Calls[i]
		fmt.Fprintln(&b, "call", c.Kind, text(c.Owner), c.Name, text(c.Desc))
	}
	for i := range m.Allocs {
		fmt.Fprintln(&b, "new", text(m.Allocs[i].Type))
	}
	for i := range m.Throws() {
		for _, s := range m.Throws()[i].Sources {
			fmt.Fprintln(&b, "throw", s.Kind, text(s.Type))
		}
	}
	return b.String()
}

// renameText replaces class names in a constant: an internal or binary name, or
// the names in a descriptor or signature.
func renameText(s string, to func(string) (string, bool)) string {
	var b strings.Builder
	rest := s
	for len(rest) > 0 {
		n := strings.IndexAny(rest, ";<>()[:")
		if n < 0 {
			n = len(rest)
		}
		b.WriteString(renameToken(rest[:n], to))
		if n < len(rest) {
			b.WriteByte(rest[n])
			n++
		}
		rest = rest[n:]
	}
	return b.String()
}

// renameToken replaces one name, which may stand behind the letters of a
// descriptor.
func renameToken(s string, to func(string) (string, bool)) string {
	if n, ok := to(s); ok {
		return n
	}
	if strings.Contains(s, ".") && !strings.Contains(s, "/") {
		if n, ok := to(strings.ReplaceAll(s, ".", "/")); ok {
			return strings.ReplaceAll(n, "/", ".")
		}
	}
	at := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("BCDFIJSZV", r) })
	if at >= 0 && s[at] == 'L' {
		if n, ok := to(s[at+1:]); ok {
			return s[:at+1] + n
		}
	}
	return s
}

// renameClass replaces class names in the constants of a class file.
func renameClass(data []byte, to func(string) (string, bool)) ([]byte, error) {
	c, err := classfile.Parse(data)
	if err != nil {
		return nil, err
	}
	const poolStart = 10 // magic, versions, count (JVMS 4.1)
	out := slices.Clone(data[:poolStart])
	end := poolStart
	for i := range c.Pool.Len() {
		raw := c.Pool.Raw(uint16(i))
		end += len(raw)
		if c.Pool.Tag(uint16(i)) == classfile.TagUtf8 {
			text := renameText(string(raw[3:]), to)
			if len(text) > 0xffff {
				return nil, fmt.Errorf("class %s: a constant is too long", c.Name())
			}
			raw = append([]byte{raw[0], byte(len(text) >> 8), byte(len(text))}, text...)
		}
		out = append(out, raw...)
	}
	return append(out, data[end:]...), nil
}

// observe records the generated classes that were met since it was last called, the methods that
// runs entered or whose exceptions they caught and the call graph does not reach, and the
// constructors of classes with tests that other tests entered.
func (r *moduleRun) observe(runs []*record.TestRun) error {
	o := record.Observed{Module: r.m.CodeName(), ClassPath: record.ClassPathKey(r.m, r.c.Options.Digests),
		At: time.Now()}
	for name, data := range r.in.generated.take() {
		o.Class, o.Data = name, data
		if err := r.c.Memory.PutObserved(o); err != nil {
			return err
		}
	}
	o.Data = nil
	for _, m := range slices.Concat(r.unreached(append(setsOf(runs), r.struck.all())), r.madeElsewhere(runs)) {
		o.Class, o.Method = m.Class, m.Method
		if err := r.c.Memory.PutObserved(o); err != nil {
			return err
		}
	}
	for _, t := range r.thrownUnreached(runs) {
		o.Class, o.Method = t.method.Class, t.method.Method
		for _, h := range t.catch.Handlers {
			class := r.c.Snap.Class(h.Class)
			if class == nil || h.Method >= len(class.Facts.Methods) {
				continue
			}
			by := &class.Facts.Methods[h.Method]
			o.ByClass, o.ByMethod, o.Handler, o.ByCode = h.Class, by.Name+by.Desc, h.Handler, by.CodeDigest
			if err := r.c.Memory.PutObserved(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// firstObserved is how long after its begin a first baseline tells what it has observed; the next
// time is twice as long after that, as each has the workspace analysed anew.
const firstObserved = 30 * time.Second

// sightings paces what a baseline that goes on tells of what it has observed.
type sightings struct {
	mu    sync.Mutex
	runs  []*record.TestRun
	since time.Time
	pause time.Duration
}

// add notes runs, and answers those that are to be observed at the given time: all since
// the last answer, or none.
func (s *sightings) add(runs []*record.TestRun, now time.Time) (due []*record.TestRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = append(s.runs, runs...)
	if s.since.IsZero() {
		s.since, s.pause = now, firstObserved
	}
	if now.Sub(s.since) < s.pause {
		return nil
	}
	due, s.runs = s.runs, nil
	s.since, s.pause = now, 2*s.pause
	return due
}

// enteredStruck collects the methods that runs with faults entered, and the links that they
// experienced.
type enteredStruck struct {
	mu      sync.Mutex
	methods map[record.MethodID]bool
	links   map[record.Experienced]bool
}

func (e *enteredStruck) add(set []record.MethodID, links []record.Experienced) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.methods == nil {
		e.methods, e.links = map[record.MethodID]bool{}, map[record.Experienced]bool{}
	}
	for _, id := range set {
		e.methods[id] = true
	}
	for _, l := range links {
		e.links[l] = true
	}
}

// seen returns the links, in no order.
func (e *enteredStruck) seen() []record.Experienced {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Keys(e.links))
}

// all returns the methods, ascending.
func (e *enteredStruck) all() []record.MethodID {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.methods))
}

// setsOf are the methods that each of some runs entered.
func setsOf(runs []*record.TestRun) (sets [][]record.MethodID) {
	for _, run := range runs {
		sets = append(sets, run.Methods)
	}
	return sets
}

// unreached lists the methods of the snapshot that runs entered and the call
// graph does not reach.
func (r *moduleRun) unreached(sets [][]record.MethodID) []snapshot.MethodRef {
	var out []snapshot.MethodRef
	for k := range r.entered(slices.Values(sets)) {
		ref := snapshot.MethodRef{Class: k.Class, Method: k.Method}
		if d, ok := r.c.Snap.MethodDigest(ref); k.Method != snapshot.Dispatch && ok && d == k.Digest &&
			!r.c.Snap.Reaches(ref) {
			r.c.Options.Log.Debug("entered, not reached", "class", k.Class, "method", k.Method)
			out = append(out, ref)
		}
	}
	return out
}

// thrown is a method out of which an exception came, and the catch that caught it.
type thrown struct {
	method snapshot.MethodRef
	catch  *snapshot.Catch
}

// thrownUnreached lists the methods whose exceptions runs caught and that the call graph does not
// reach, or does so only because of what runs observed, with the catches whose links are not
// predicted. Of the methods of libraries and the JDK, what runs enter is not recorded.
func (r *moduleRun) thrownUnreached(runs []*record.TestRun) (out []thrown) {
	links := r.struck.seen()
	for _, run := range runs {
		links = append(links, run.Links...)
	}
	type seen struct {
		at        record.SiteRef
		catch     string
		exception string
	}
	done := map[seen]bool{}
	listed := map[thrown]bool{}
	for _, l := range links {
		at, c := l.Site, r.c.Snap.ByID[l.Catch]
		if k := (seen{at, l.Catch, l.Exception}); c == nil || done[k] {
			continue
		} else {
			done[k] = true
		}
		methods := r.c.Snap.UnreachedMethods(at.Class, at.Method, at.Desc, at.Ordinal, at.Kind, l.Exception)
		if len(methods) == 0 && r.c.Snap.Studies(at.Class, at.Method, at.Desc, at.Ordinal, at.Kind, l.Exception) {
			methods = r.c.Snap.Lent(c, at.Class, at.Method, at.Desc)
		}
		for _, m := range methods {
			if t := (thrown{m, c}); !listed[t] {
				listed[t] = true
				r.c.Options.Log.Debug("threw, not reached", "class", m.Class, "method", m.Method, "catch", l.Catch)
				out = append(out, t)
			}
		}
	}
	return out
}

// madeElsewhere lists the constructors without parameters of classes with tests that a test of
// another class entered: the call graph reaches them, as the framework calls them, and need not
// have what else makes such an object. That of a class around or above the test's own is entered
// with it.
func (r *moduleRun) madeElsewhere(runs []*record.TestRun) []snapshot.MethodRef {
	const constructor = "<init>()V"
	own := map[record.MethodID]string{} // constructors of classes with tests: the class, "" for all other methods
	found := map[string]bool{}
	for _, run := range runs {
		class := strings.ReplaceAll(run.Class, ".", "/")
		for _, id := range run.Methods {
			made, known := own[id]
			if !known {
				if k := r.c.Memory.Method(id); k.Method == constructor {
					if c := r.c.Snap.Class(k.Class); c != nil && c.InTests && r.c.Snap.HasTests(c) {
						made = k.Class
					}
				}
				own[id] = made
			}
			if made != "" && !found[made] && !strings.HasPrefix(class+"$", made+"$") && !r.c.Snap.Extends(class, made) {
				r.c.Options.Log.Debug("has tests, made by another one", "class", made, "test", run.Test)
				found[made] = true
			}
		}
	}
	var out []snapshot.MethodRef
	for _, class := range slices.Sorted(maps.Keys(found)) {
		out = append(out, snapshot.MethodRef{Class: class, Method: constructor})
	}
	return out
}

// entered are the methods of some sets, each version once. Records share their sets
// of methods, so each set is looked at once.
func (r *moduleRun) entered(sets iter.Seq[[]record.MethodID]) iter.Seq[record.MethodKey] {
	return func(yield func(record.MethodKey) bool) {
		known, seen := map[*record.MethodID]bool{}, map[record.MethodID]bool{}
		for set := range sets {
			if len(set) == 0 || known[&set[0]] {
				continue
			}
			known[&set[0]] = true
			for _, id := range set {
				if seen[id] {
					continue
				}
				seen[id] = true
				if !yield(r.c.Memory.Method(id)) {
					return
				}
			}
		}
	}
}
