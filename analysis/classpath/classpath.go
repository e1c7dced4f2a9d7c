// Package classpath finds class files by name over folders, jars and the
// run-time image of a JDK.
//
// Input is a class path as build tools give it and the home of a JDK; output
// is, for an internal class name, the bytes of its class file and the entry
// they come from, and listings of what there is. Entries are searched in
// order, the first one wins, as the JVM does. What is broken (an entry that
// does not exist, a jar that is no zip, a folder that cannot be read) becomes a
// [Problem] and is left out; nothing here is fatal.
//
// A jar's table of contents is read once, when it is opened; multi-release jars
// (JAR specification, "Multi-release JAR files") are seen as the chosen feature
// version sees them, and Class-Path entries of manifests are followed. Folders
// are read anew at each call. No file but the JDK's image stays open, so build
// tools can replace their outputs at any time; a jar that has changed since it
// was opened gives [ErrChanged] and not another file's bytes.
//
// Known gaps: no module path (a jar's module-info is read for its services
// only; packages are visible to everyone), no class loaders of frameworks, no
// nested jars, no -Xbootclasspath and no --patch-module.
//
// Everything may be used by several goroutines at once.
package classpath

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Kind says what an entry is.
type Kind string

// The kinds of entries.
const (
	KindFolder Kind = "folder"
	KindJar    Kind = "jar"
	KindImage  Kind = "image" // lib/modules of JDK 9 and newer
	KindJDK8   Kind = "jdk8"  // rt.jar and its companions, as one entry
)

// Entry is one place where class files are.
//
// Names of classes are internal names: "java/lang/Object". A class or resource
// that is not there is no error: the bool is false. Errors name the file. The
// bytes belong to the caller.
type Entry interface {
	// Path is the absolute path of the folder or file; of KindJDK8 the JDK's
	// home.
	Path() string
	Kind() Kind
	// Find returns the class file of a class.
	Find(name string) ([]byte, bool, error)
	// Resource returns any file by its name with slashes.
	Resource(name string) ([]byte, bool, error)
	// Each calls f for each class, in ascending order of names, until f fails.
	// Module and package descriptors (module-info) are left out.
	Each(f func(name string) error) error
	// Services returns the providers that the entry declares for each service,
	// both by internal name: META-INF/services (ServiceLoader) and the provides
	// clauses of modules.
	Services() (map[string][]string, error)
	// Digest is the hash of the content in hexadecimal.
	Digest() (string, error)
	Close() error
}

// NotThere is the message of the problem that an entry does not exist.
const NotThere = "class path entry does not exist"

// ErrChanged is wrapped by errors of a jar whose file is not the one that was
// opened.
var ErrChanged = errors.New("file has changed since it was opened")

// Severity of a problem, as the JSON report spells it.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Problem is a part of the class path that could not be used.
type Problem struct {
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	File     string   `json:"file"`
}

// Options says how to open entries.
type Options struct {
	// Feature is the Java feature version that chooses among the versions in a
	// multi-release jar; 0 takes none of them.
	Feature int
	// Digests remembers hashes of files; nil for one shared by the process.
	Digests *DigestCache
	// Before are entries that were opened with the same Feature: jars among them
	// whose files have not changed are taken over.
	Before []Entry
}

func (o Options) digests() *DigestCache {
	if o.Digests == nil {
		return processDigests
	}
	return o.Digests
}

// Path is a class path. It does not change once opened.
type Path struct {
	Entries  []Entry
	Problems []Problem
}

// Open opens the entries of a class path in their order: folders, jars (with
// any extension), and "folder/*" for all jars of a folder. Repeated entries
// are dropped. Entries that cannot be used are reported in Problems.
func Open(paths []string, opts Options) *Path {
	o := opener{opts: opts, seen: map[string]bool{}, path: &Path{}}
	for _, p := range paths {
		if p == "" { // the JVM's working directory, which an analysis does not have
			continue
		}
		if dir, ok := strings.CutSuffix(p, "*"); ok && (dir == "" || os.IsPathSeparator(dir[len(dir)-1])) {
			o.jarsOf(filepath.Clean(dir))
			continue
		}
		o.open(p, true)
	}
	return o.path
}

type opener struct {
	opts Options
	seen map[string]bool
	path *Path

	byPath map[string]*Jar // of Options.Before
}

func (o *opener) problem(s Severity, file, format string, args ...any) {
	o.path.Problems = append(o.path.Problems, Problem{s, fmt.Sprintf(format, args...), file})
}

// open adds one entry. Entries that a manifest names need not exist.
func (o *opener) open(p string, required bool) {
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	if o.seen[p] {
		return
	}
	o.seen[p] = true
	info, err := os.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if required {
			o.problem(SeverityWarning, p, NotThere)
		}
	case err != nil:
		o.problem(SeverityError, p, "class path entry cannot be read: %v", cause(err))
	case info.IsDir():
		if _, err := os.ReadDir(p); err != nil {
			o.problem(SeverityError, p, "class folder cannot be read: %v", cause(err))
			return
		}
		o.path.Entries = append(o.path.Entries, &Folder{path: p, digests: o.opts.digests()})
	default:
		jar := o.before(p, info)
		if jar == nil {
			jar, err = OpenJar(p, o.opts)
		}
		if err != nil {
			o.problem(SeverityError, p, "jar cannot be read: %v", cause(err))
			return
		}
		o.path.Entries = append(o.path.Entries, jar)
		for _, next := range jar.classPath {
			o.open(next, false)
		}
	}
}

// before is the jar that was opened before, if its file is still the same.
func (o *opener) before(p string, now fs.FileInfo) *Jar {
	if o.byPath == nil {
		o.byPath = map[string]*Jar{}
		for _, e := range o.opts.Before {
			if jar, ok := e.(*Jar); ok {
				o.byPath[jar.path] = jar
			}
		}
	}
	if jar := o.byPath[p]; jar != nil && jar.digests == o.opts.digests() && sameFile(jar.src.info, now) {
		return jar
	}
	return nil
}

// sameFile tells whether a file looks as it did.
func sameFile(before, now fs.FileInfo) bool {
	return before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// jarsOf adds the jars of a folder, sorted by name: the JVM leaves their order
// open.
func (o *opener) jarsOf(dir string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		o.problem(SeverityError, dir, "folder of jars cannot be read: %v", cause(err))
		return
	}
	for _, e := range list {
		if ext := filepath.Ext(e.Name()); ext == ".jar" || ext == ".JAR" {
			o.open(filepath.Join(dir, e.Name()), true)
		}
	}
}

// cause strips the path that file system errors repeat.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// manifestPath turns an element of a jar's Class-Path into a path, "" when it
// is not one.
func manifestPath(jar, element string) string {
	u, err := url.Parse(element)
	if err != nil || u.Scheme != "" && u.Scheme != "file" || u.Host != "" {
		return ""
	}
	p := filepath.FromSlash(u.Path)
	if p == "" {
		return ""
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(filepath.Dir(jar), p)
	}
	return p
}

// Find returns the class file of a class and its entry; nil where no entry has
// it. An entry that fails ends the search, as a class that is there but
// unreadable is not found elsewhere by the JVM either.
func (p *Path) Find(name string) ([]byte, Entry, error) {
	for _, e := range p.Entries {
		if b, ok, err := e.Find(name); ok || err != nil {
			return b, e, err
		}
	}
	return nil, nil, nil
}

// Resource returns the first resource of that name and its entry.
func (p *Path) Resource(name string) ([]byte, Entry, error) {
	for _, e := range p.Entries {
		if b, ok, err := e.Resource(name); ok || err != nil {
			return b, e, err
		}
	}
	return nil, nil, nil
}

// Each calls f for each class with the entry that Find takes it from, entry by
// entry, until f fails.
func (p *Path) Each(f func(name string, e Entry) error) error {
	seen := map[string]bool{}
	for _, e := range p.Entries {
		err := e.Each(func(name string) error {
			if seen[name] {
				return nil
			}
			seen[name] = true
			return f(name, e)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Services merges the services of all entries, providers in class path order
// without repetition. An entry whose services cannot be read becomes a problem.
func (p *Path) Services() (map[string][]string, []Problem) {
	all := map[string][]string{}
	var problems []Problem
	for _, e := range p.Entries {
		services, err := e.Services()
		if err != nil {
			problems = append(problems, Problem{SeverityWarning, "services cannot be read: " + err.Error(), e.Path()})
		}
		for s, providers := range services {
			all[s] = appendNew(all[s], providers...)
		}
	}
	return all, problems
}

// appendNew appends those of more that list does not hold.
func appendNew(list []string, more ...string) []string {
next:
	for _, m := range more {
		for _, l := range list {
			if l == m {
				continue next
			}
		}
		list = append(list, m)
	}
	return list
}

// Close closes all entries.
func (p *Path) Close() error {
	var errs []error
	for _, e := range p.Entries {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}

// className returns the class that a file of an entry holds: false for files
// that hold none, and for META-INF, whose classes are not on the class path.
func className(file string) (string, bool) {
	name, ok := strings.CutSuffix(file, ".class")
	if !ok || name == "" || isDescriptor(name) || strings.HasPrefix(name, "META-INF/") {
		return "", false
	}
	return name, true
}

func isDescriptor(name string) bool { return name == "module-info" }

// sortedKeys returns the keys of m in ascending order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
