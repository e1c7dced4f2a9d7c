package lab

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/rewrite"
	"github.com/catchlens/catchlens/instrument/testshape"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/sealed"
)

// This file rewrites classes for test JVMs and remembers the plan of each, so
// that what its probes report can be read.

// probed is a class as some JVM loaded it, with the plan of its probes.
type probed struct {
	facts *facts.Class
	plan  *plan.Class
	// sites stands for both where a library class came from a bundle in a form
	// that cannot be read again: JVMs hand agents the classes that they loaded
	// before in a form of their own making.
	sites *librarySites
	// late: a class of the workspace that a JVM has loaded in another form than its class file.
	late   bool
	covers covers // nil: it has no coverage probes
	others others // those of its methods that have other ones than usual
}

// librarySites are the throw sites of a library class by probe number.
type librarySites struct {
	Class string
	Sites []librarySite
}

type librarySite struct {
	Method, Desc  string
	Ordinal, Line int
}

// throwSite names the throw with a probe number.
func (p *probed) throwSite(n uint16) (class string, s librarySite, ok bool) {
	if p.sites != nil {
		if int(n) >= len(p.sites.Sites) {
			return "", s, false
		}
		return p.sites.Class, p.sites.Sites[n], true
	}
	if int(n) >= len(p.plan.Throws) {
		return "", s, false
	}
	t := p.plan.Throws[n]
	m := &p.facts.Methods[t.Method]
	return p.facts.Name, librarySite{m.Name, m.Desc, int(t.Ordinal), throwLine(m, t)}, true
}

// allSites lists the throw sites of a class.
func (p *probed) allSites() librarySites {
	l := librarySites{Class: p.facts.Name}
	for n := range p.plan.Throws {
		_, s, _ := p.throwSite(uint16(n))
		l.Sites = append(l.Sites, s)
	}
	return l
}

// Probes serves the JVMs of one module. Classes of the workspace carry
// all probes and are rewritten ahead of the run. Those of libraries and of the
// JDK carry throw sites and native operations only. The base module's are rewritten once for a JDK,
// because a JVM has loaded many of them before its agent starts; the others when
// a JVM first asks for them. Both are kept in bundles in the cache folder, for
// all workspaces and later JVMs.
type Probes struct {
	snap    *snapshot.Snapshot
	cache   string // folder of bundles of library classes, for one JDK
	dir     string // folder of the others
	bundles []string
	faults  []faults.Declared // of the user's own, that classes are rewritten for

	coverage     bool // classes of the workspace have coverage probes
	planning     coverage.Planning
	methodShapes map[snapshot.MethodRef]uint32
	conditional  map[string]map[string]bool // see snapshot.Snapshot.Conditional
	executions   *executions                // nil: none are counted
	chains       *chains                    // nil: no class tells of call chains

	execution string // of the build that runs the tests; "": the first
	// test classes that another execution runs, too: their tests are named after this one (named)
	elsewhere map[string]bool

	shapes *testshape.Shapes

	mu      sync.Mutex
	plans   map[worker.Key]*probed // by original bytes; nil: unknown
	library []worker.BundleEntry   // rewritten since the bundles were written
	skipped map[string]string      // "Class.method" -> why it carries no probes
	asked   map[string]string      // by method: its coverage technique, where one was asked for
	late    map[string]bool        // workspace classes that arrived different from the class file

	generated *generatedCode
	foreign   *classpath.Path // what is on the class path of the JVMs and not on the snapshot's
}

// maxBundles is how many bundles of library classes are kept before those are made anew that no
// campaign has begun with for unusedBundle: another process may start JVMs with the others.
const (
	maxBundles   = 24
	unusedBundle = 24 * time.Hour
)

// Shape is what a test class (binary name) declares, as a digest.
func (in *Probes) Shape(class string) string { return in.shapes.Of(class) }

// newProbes rewrites the classes of a snapshot's workspace into a bundle in the folder dir. cache
// is a folder for rewritten classes of libraries and of one JDK; it has those of the base module.
// The error says what could not be written.
func newProbes(snap *snapshot.Snapshot, cache, dir string, o Options) (*Probes, error) {
	in := &Probes{snap: snap, shapes: testshape.New(snap), cache: cache, dir: dir, plans: map[worker.Key]*probed{},
		coverage: o.Coverage, planning: o.Planning, methodShapes: map[snapshot.MethodRef]uint32{},
		skipped: map[string]string{}, asked: map[string]string{}, late: map[string]bool{},
		generated: newGeneratedCode(), foreign: &classpath.Path{}}
	if !o.Coverage {
		in.conditional = snap.Conditional()
	}
	if o.Count {
		in.executions = &executions{byMethod: map[snapshot.MethodRef]*Executions{}}
	}
	if o.Chains {
		in.chains = newChains(snap)
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, fmt.Errorf("cache of rewritten classes: %w", err)
	}
	if err := in.declare(dir); err != nil {
		return nil, fmt.Errorf("bundle of classes with faults: %w", err)
	}
	var entries []worker.BundleEntry
	for _, c := range snap.Classes() {
		data, err := snap.ClassBytes(c.Name)
		if err != nil {
			continue // gone since: the JVM will ask for what it loads
		}
		e := worker.BundleEntry{Name: c.Name, Original: worker.KeyOf(data)}
		if out, meta, ok := in.rewrite(c.Name, data, plan.Full, c.Facts); ok {
			e.Rewritten, e.Meta = out, meta
		} // else it needs no probes, or carries none: the JVM need not ask
		entries = append(entries, e)
	}
	path := filepath.Join(dir, "workspace.bundle")
	if err := worker.WriteBundle(path, entries); err != nil {
		return nil, fmt.Errorf("bundle of rewritten classes: %w", err)
	}
	in.bundles = slices.Concat([]string{path}, in.bundles, []string{baseBundle(cache)}, in.keptBundles(time.Now()))
	return in, nil
}

// nameAfter has tests of some classes named after an execution of the build: another one runs these
// classes, too.
func (in *Probes) nameAfter(execution string, classes map[string]bool) {
	in.execution, in.elsewhere = execution, classes
}

// addJars says that the JVMs have jars on their class path that are not on the snapshot's.
func (in *Probes) addJars(jars []string) {
	in.foreign = classpath.Open(jars, classpath.Options{})
}

// close closes the jars that were added.
func (in *Probes) close() error { return in.foreign.Close() }

// Declared are the faults of the user's own that classes are rewritten for.
func (in *Probes) Declared() []faults.Declared { return in.faults }

// PutFirst has JVMs that start from now on look for classes in a bundle before all others.
func (in *Probes) PutFirst(b Bundle) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.bundles = append([]string{b.path}, in.bundles...)
}

// TakeGenerated returns the classes that JVMs have generated and loaded since it was last called:
// class files by their names by content.
func (in *Probes) TakeGenerated() map[string][]byte { return in.generated.take() }

// HasGenerated tells whether a name is the name by content of a class that JVMs have generated,
// proxies of the JDK left out.
func (in *Probes) HasGenerated(name string) bool { return in.generated.has(name) }

// keptBundles are the bundles of library classes in the cache, which are in use from now on.
func (in *Probes) keptBundles(now time.Time) []string {
	bundles, _ := filepath.Glob(filepath.Join(in.cache, "*.bundle"))
	many := len(bundles) > maxBundles
	return slices.DeleteFunc(bundles, func(f string) bool {
		if info, err := os.Stat(f); err != nil || many && now.Sub(info.ModTime()) > unusedBundle {
			dropBundle(f)
			return true
		}
		if sealed.CheckFile(f) != nil || !in.readSites(f+sitesSuffix) {
			dropBundle(f) // its classes are rewritten again when they are met
			return true
		}
		os.Chtimes(f, now, now)
		return false
	})
}

// sitesSuffix ends the name of the file with the throw sites of a bundle's classes.
const sitesSuffix = ".sites"

// dropBundle removes a bundle and what is beside it.
func dropBundle(path string) {
	sealed.Remove(path)
	os.RemoveAll(path + sitesSuffix)
}

// Keep writes the library classes that were rewritten since into a bundle of
// their own, for the JVMs that start from now on.
func (in *Probes) Keep() {
	in.mu.Lock()
	entries := in.library
	in.library = nil
	in.mu.Unlock()
	if len(entries) == 0 {
		return
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name })
	h := sha256.New()
	for _, e := range entries {
		fmt.Fprintln(h, e.Name, e.Original)
	}
	path := filepath.Join(in.cache, hex.EncodeToString(h.Sum(nil)[:8])+".bundle")
	if in.writeSites(path+sitesSuffix, entries) == nil && worker.WriteBundle(path, entries) == nil {
		in.mu.Lock()
		in.bundles = append(in.bundles, path)
		in.mu.Unlock()
	}
}

// writeSites keeps the throw sites of a bundle's classes beside it.
func (in *Probes) writeSites(path string, entries []worker.BundleEntry) error {
	sites := map[worker.Key]librarySites{}
	in.mu.Lock()
	for _, e := range entries {
		if p := in.plans[e.Original]; p != nil && p.plan != nil && e.Rewritten != nil {
			sites[e.Original] = p.allSites()
		}
	}
	in.mu.Unlock()
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(sites); err != nil {
		return err
	}
	return sealed.Write(path, filepath.Base(path), text.Bytes())
}

// readSites reads what writeSites kept of a bundle; false if it cannot be read,
// and then the bundle is of no use either. A class of the workspace may be in it: it is a library
// of another one. JVMs take it from the workspace's bundle, with the plan that it has.
func (in *Probes) readSites(path string) bool {
	text, err := sealed.Read(path, filepath.Base(path))
	if err != nil {
		return false
	}
	var sites map[worker.Key]librarySites
	if gob.NewDecoder(bytes.NewReader(text)).Decode(&sites) != nil {
		return false
	}
	for k, s := range sites {
		if in.plans[k] == nil {
			in.plans[k] = &probed{sites: &s}
		}
	}
	return true
}

// bundlePaths are the bundles of a JVM that starts now, in the order in which it looks for classes;
// own leaves those out that have no classes of the workspace.
func (in *Probes) bundlePaths(own bool) (paths []string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, b := range in.bundles {
		if !own || filepath.Dir(b) == in.dir {
			paths = append(paths, b)
		}
	}
	return paths
}

// rewrite rewrites one class and remembers its plan. f may be nil: then the
// facts are computed from data.
func (in *Probes) rewrite(name string, data []byte, kinds plan.Kinds,
	f *facts.Class) ([]byte, worker.Meta, bool) {
	if f == nil {
		c, err := classfile.Parse(data)
		if err != nil {
			return nil, worker.Meta{}, false
		}
		f, _ = facts.FromClass(c, data, facts.Options{})
	}
	p := plan.ForClass(f, kinds)
	p.Declare(f, in.faults, in.snap.Facts)
	var shapes covers
	var probes others
	if kinds == plan.Full {
		shapes, probes = in.addCovers(name, data, p)
		in.addChains(name, data, f, p)
	}
	r, err := rewrite.Rewrite(data, p)
	in.mu.Lock()
	defer in.mu.Unlock()
	if err != nil {
		in.skipped[name] = err.Error()
		return nil, worker.Meta{}, false
	}
	for _, s := range r.Skipped {
		if kinds == plan.Full && s.Method >= 0 {
			in.skipped[name+"."+f.Methods[s.Method].Name] = s.Why
		}
	}
	if r.ClassNumberOffset < 0 {
		return nil, worker.Meta{}, false
	}
	made := &probed{facts: f, plan: p, late: in.late[name], covers: shapes, others: probes}
	in.plans[worker.KeyOf(data)] = made
	if !made.late {
		in.noteShapes(made)
	}
	return r.Bytes, metaOf(r, p), true
}

// BundleEntry is what bundles have of a class (internal name): of its class file, and of what that
// was rewritten to by a plan.
func BundleEntry(name string, classFile []byte, r rewrite.Result, p *plan.Class) worker.BundleEntry {
	return worker.BundleEntry{Name: name, Original: worker.KeyOf(classFile), Rewritten: r.Bytes, Meta: metaOf(r, p)}
}

func metaOf(r rewrite.Result, p *plan.Class) worker.Meta {
	return worker.Meta{NumberOffset: r.ClassNumberOffset, Tries: len(p.Tries), Handlers: len(p.Catches),
		Sites: len(p.Throws), Methods: p.Methods}
}

// rewriteLoaded is the worker.Rewriter: it rewrites a class (internal name) that a JVM loads and
// no bundle has. false: the class stays as it is.
func (in *Probes) rewriteLoaded(_, name string, original []byte) ([]byte, worker.Meta, bool) {
	if info := in.snap.Class(name); info != nil {
		in.mu.Lock()
		in.late[name] = true
		in.mu.Unlock()
		return in.rewrite(name, original, plan.Full, nil)
	}
	if in.isGenerated(name) {
		return in.rewriteGenerated(name, original)
	}
	out, meta, ok := in.rewrite(name, original, plan.Library, nil)
	e := worker.BundleEntry{Name: name, Original: worker.KeyOf(original), Meta: meta}
	if ok {
		e.Rewritten = out
	}
	in.mu.Lock()
	in.library = append(in.library, e)
	in.mu.Unlock()
	return out, meta, ok
}

// isGenerated tells whether a class is on no class path.
func (in *Probes) isGenerated(name string) bool {
	if _, err := in.snap.LibraryBytes(name); err == nil {
		return false
	}
	data, _, err := in.foreign.Find(name)
	return err != nil || data == nil
}

// rewriteGenerated rewrites a generated class and keeps it. It is in no bundle:
// its name and number are of this run.
func (in *Probes) rewriteGenerated(name string, original []byte) ([]byte, worker.Meta, bool) {
	c, err := classfile.Parse(original)
	if err != nil {
		return nil, worker.Meta{}, false
	}
	f, _ := facts.FromClass(c, original, facts.Options{})
	in.generated.add(original, f, features.Tells(hierarchy.SourceFunc(in.snap.Facts), f))
	return in.rewrite(name, original, plan.Library, f)
}

// of is the plan of the class that a JVM loaded from bytes with this key; nil
// if its original cannot be found. The plan of a library class that came from a
// bundle is computed when it is first asked for.
func (in *Probes) of(c *worker.Class) *probed {
	in.mu.Lock()
	defer in.mu.Unlock()
	p, known := in.plans[c.Key]
	if known {
		return p
	}
	if data, err := in.snap.LibraryBytes(c.Name); err == nil && worker.KeyOf(data) == c.Key {
		if parsed, err := classfile.Parse(data); err == nil {
			f, _ := facts.FromClass(parsed, data, facts.Options{})
			p = &probed{facts: f, plan: plan.ForClass(f, plan.Library)}
		}
	}
	in.plans[c.Key] = p
	return p
}

// askedNotes counts, for people, the methods with each technique, where one was asked for.
func (in *Probes) askedNotes() (out []string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	planned := map[string]int{}
	for _, said := range in.asked {
		planned[said]++
	}
	for said, n := range planned {
		out = append(out, fmt.Sprintf("methods with coverage probes by %s: %d", said, n))
	}
	sort.Strings(out)
	return out
}

// notes says, for people, what carries no probes, what arrived in another form, and how many
// generated classes were not kept.
func (in *Probes) notes() []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	var out []string
	for what, why := range in.skipped {
		out = append(out, fmt.Sprintf("%s carries no probes: %s", what, why))
	}
	sort.Strings(out)
	if n := len(in.late); n > 0 {
		out = append(out, fmt.Sprintf("loaded in another form than their class files (another agent or a mocking "+
			"library), and rewritten as they came: %d of the workspace's classes", n))
	}
	if n := in.generated.countLost(); n > 0 {
		out = append(out, fmt.Sprintf("not kept of the classes that tests generate: %d (beyond %d, or %d MB); calls "+
			"through them are not predicted", n, maxGenerated, maxGeneratedBytes>>20))
	}
	return out
}
