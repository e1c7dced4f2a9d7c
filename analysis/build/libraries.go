package build

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/factcache"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file finds classes: those of the workspace, of its libraries and of the
// JDK, as facts.

// libraries is the union of the modules' class paths with the JDK behind it.
// It implements snapshot.Code. Safe for concurrent use.
type libraries struct {
	path        *classpath.Path
	jdk         *classpath.JDK
	jdkVersion  string
	feature     int
	problems    []classpath.Problem
	services    func() map[string][]string
	jdkServices func() map[string][]string // of these, the JDK's
	cache       *factcache.Cache
	provider    *factcache.Provider
	options     facts.Options
	kind        string                     // of analysis, for which classes are read ahead
	generated   map[string]*generatedClass // by name; see addGenerated
	root        string                     // of the workspace
	asked       map[string]bool            // settings of the JDK that libraries set: see askedByLibraries
	left        leftFacts                  // of the snapshot before, until classes are read
}

// generatedClass is an observed class; its facts are made when first asked for.
type generatedClass struct {
	data []byte
	once defect.Once
	fact *facts.Class // nil if data is no class file
}

// openLibraries opens the class path of a workspace. What has not changed since
// prev, which may be nil, is taken over.
//
// asked are the settings of the JDK that libraries are known to set.
func openLibraries(ws *workspace.Workspace, cfg snapshot.Config, cache *factcache.Cache, digests *classpath.DigestCache,
	prev *builder, asked map[string]bool) (*libraries, error) {
	if cache == nil {
		cache = factcache.OpenCache("")
	}
	before := &libraries{}
	if prev != nil && prev.made.libs != nil {
		before = prev.made.libs
	}
	l := &libraries{cache: cache, root: ws.Root, asked: asked, kind: cfg.CallGraph + " from " + cfg.EntryPoints}
	var paths []string
	seen := map[string]bool{}
	add := func(list []string) {
		for _, p := range list {
			if p = filepath.Clean(p); !seen[p] {
				seen[p] = true
				paths = append(paths, p)
			}
		}
	}
	home := ""
	for _, m := range ws.Modules {
		if home == "" {
			home = m.JDKHome
		}
		add(m.MainOutputs)
		add(m.TestOutputs)
	}
	for _, m := range ws.Modules {
		add(m.TestClassPath)
		add(m.RuntimeClassPath)
		add(m.ClassPath)
		add(m.Test.AdditionalClassPath)
	}
	if home == "" && len(ws.JDKs) > 0 {
		home = ws.JDKs[0].Home
	}
	feature := 0
	if home == "" {
		l.problems = append(l.problems, classpath.Problem{Severity: classpath.SeverityError, File: ws.Root,
			Message: "no JDK was found: set JAVA_HOME, or jdk in catchlens.toml; the JDK's own classes are missing " +
				"from the analysis"})
	} else if jdk, err := openJDK(home, digests, before.jdk); err != nil {
		l.problems = append(l.problems, classpath.Problem{Severity: classpath.SeverityError, File: home,
			Message: err.Error()})
	} else {
		l.jdk, l.jdkVersion, feature = jdk, jdk.Version, jdk.Feature
		l.problems = append(l.problems, jdk.Problems...)
	}
	opts := classpath.Options{Feature: feature, Digests: digests}
	if before.path != nil && before.feature == feature {
		opts.Before = before.path.Entries
	}
	l.feature, l.path = feature, classpath.Open(paths, opts)
	l.problems = append(l.problems, l.path.Problems...)
	l.jdkServices = sync.OnceValue(func() map[string][]string {
		if l.jdk != nil {
			if found, err := l.jdk.Entry().Services(); err == nil {
				return found
			}
		}
		return nil
	})
	l.services = sync.OnceValue(func() map[string][]string {
		found, _ := l.path.Services()
		for k, v := range l.jdkServices() {
			found[k] = append(found[k], v...)
		}
		return found
	})
	l.left = before.left
	l.options = facts.Options{Implicit: cfg.Studied.Sites.Has(exceptions.Implicit), Set: before.options.Set,
		Feature: feature}
	l.open()
	if l.jdk == nil && len(l.path.Entries) == 0 {
		return l, errors.New("nothing to analyse: there is neither a JDK nor a class file")
	}
	return l, nil
}

// open opens the facts of all classes, with the options.
func (l *libraries) open() {
	if l.provider != nil {
		l.provider.Close()
	}
	var entries []classpath.Entry
	if l.jdk != nil {
		entries = append(entries, l.jdk.Entry())
	}
	l.provider = factcache.NewProvider(l.cache, append(entries, l.path.Entries...), l.feature, l.options)
	l.provider.ReadAhead(l.kind)
}

// openJDK opens a JDK, unless it is the one before.
func openJDK(home string, digests *classpath.DigestCache, before *classpath.JDK) (*classpath.JDK, error) {
	if before != nil && before.Current(home) {
		return before, nil
	}
	return classpath.OpenJDK(home, classpath.Options{Digests: digests})
}

func (l *libraries) providers(service string) []string { return l.services()[service] }

// entry finds the class path entry of a folder or jar.
func (l *libraries) entry(path string) classpath.Entry {
	path = filepath.Clean(path)
	for _, e := range l.path.Entries {
		if e.Path() == path {
			return e
		}
	}
	return nil
}

// find reads a class file. The JDK's own packages win, as in the JVM.
func (l *libraries) find(name string) ([]byte, classpath.Entry, error) {
	if l.jdk != nil {
		if data, ok, err := l.jdk.Entry().Find(name); ok || err != nil {
			return data, l.jdk.Entry(), err
		}
	}
	return l.path.Find(name)
}

// Class returns the facts of a class.
func (l *libraries) Class(name string) (*facts.Class, bool) {
	if f, ok := l.provider.Class(name); ok {
		return f, true
	}
	g := l.generated[name]
	if g == nil {
		return nil, false
	}
	g.once.Do(func() {
		if c, err := classfile.Parse(g.data); err == nil && c.Name() == name {
			g.fact, _ = facts.FromClass(c, g.data, l.options)
		}
	})
	return g.fact, g.fact != nil
}

// jdkHome is the folder of the JDK whose classes are analysed, "" where there is none.
func (l *libraries) jdkHome() string {
	if l.jdk == nil {
		return ""
	}
	return l.jdk.Home
}

// readFrom reads classes that are going to be asked for from the last one on, on another
// processor, until the returned function is called.
func (l *libraries) readFrom(names []string) (done func()) {
	var end atomic.Bool
	var ahead defect.Group
	ahead.Go(func() {
		for i := len(names) - 1; i >= 0 && !end.Load(); i-- {
			l.Class(names[i])
		}
	})
	return func() {
		end.Store(true)
		ahead.Wait()
	}
}

// addGenerated adds classes behind all class path entries.
func (l *libraries) addGenerated(classes []snapshot.GeneratedClass) {
	l.generated = make(map[string]*generatedClass, len(classes))
	for _, c := range classes {
		l.generated[c.Name] = &generatedClass{data: c.Data}
	}
}

// generatedNames lists the generated classes.
func (l *libraries) generatedNames() []string { return slices.Sorted(maps.Keys(l.generated)) }

// Bytes implements snapshot.Code.
func (l *libraries) Bytes(name string, digest *[16]byte) ([]byte, error) {
	data, e, err := l.find(name)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, fmt.Errorf("class %s is not on the class path any more", name)
	}
	if digest != nil {
		sum := sha256.Sum256(data)
		if [16]byte(sum[:16]) != *digest {
			return nil, fmt.Errorf("class %s in %s has changed since the analysis", name, e.Path())
		}
	}
	return data, nil
}

// EachBaseClass calls f for every class of the JDK's base module.
func (l *libraries) EachBaseClass(f func(name string, data []byte)) error {
	if l.jdk == nil {
		return nil
	}
	return l.jdk.EachBaseClass(f)
}

// save keeps what was computed for the next process, and, where the program was analysed from
// scratch, which classes that took. It must not be waited for. Errors are of no account: the cache
// saves time and nothing else, and the next process computes again.
func (l *libraries) save(scratch bool) {
	l.provider.Close()
	l.saveRecords()
	if scratch {
		l.provider.NoteAsked(l.kind)
	}
}

// saveRecords is the part of save that takes time. While classes are asked for, it keeps those of
// before.
func (l *libraries) saveRecords() { l.cache.Flush() }

// Settings implements snapshot.Code.
func (l *libraries) Settings() []string { return slices.Sorted(maps.Keys(l.asked)) }

var _ snapshot.Code = (*libraries)(nil)
