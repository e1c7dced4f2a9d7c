// Package programtest gives the tests of the call graphs and of exception-flow the
// facts of real class files: a JDK with folders and jars before it. Facts are
// made when first asked for and kept.
package programtest

import (
	"io/fs"
	"slices"
	"sync"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
)

// Program is a class path, workspace classes first.
type Program struct {
	Workspace []string // classes of the first entries, sorted
	Main      []string // those of the very first entry, sorted
	Problems  []facts.Problem

	path     *classpath.Path
	jdk      *library
	opts     facts.Options
	mu       sync.Mutex
	known    map[string]*facts.Class
	services map[string][]string
}

// library is the class library of a JDK, with the facts made so far. The tests
// of one process share it.
type library struct {
	jdk   *classpath.JDK
	mu    sync.Mutex
	known map[string]*facts.Class
}

// libraryKey tells libraries apart.
type libraryKey struct {
	home string
	opts facts.Options
}

var (
	librariesMu sync.Mutex
	libraries   = map[libraryKey]*library{}
)

// openLibrary opens the JDK at home, once per process.
func openLibrary(t testing.TB, home string, opts facts.Options) *library {
	librariesMu.Lock()
	defer librariesMu.Unlock()
	k := libraryKey{home, opts}
	if l := libraries[k]; l != nil {
		return l
	}
	jdk, err := classpath.OpenJDK(home, classpath.Options{})
	if err != nil {
		t.Fatal(err)
	}
	libraries[k] = &library{jdk: jdk, known: map[string]*facts.Class{}}
	return libraries[k]
}

// Open opens the JDK at home and the class path; the classes of its first own
// entries are the workspace's.
func Open(t testing.TB, home string, opts facts.Options, own int, paths ...string) *Program {
	t.Helper()
	l := openLibrary(t, home, opts)
	p := &Program{jdk: l, path: classpath.Open(paths, classpath.Options{Feature: l.jdk.Feature}), opts: opts,
		known: map[string]*facts.Class{}, services: map[string][]string{}}
	t.Cleanup(func() { p.path.Close() })
	for _, pr := range p.path.Problems {
		t.Fatal(pr.Message)
	}
	for i, e := range p.path.Entries {
		if i < own {
			if err := e.Each(func(name string) error {
				p.Workspace = append(p.Workspace,
					name)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				p.Main = slices.Clone(p.Workspace)
			}
		}
		if j, ok := e.(*classpath.Jar); ok {
			if release, err := j.Hold(); err == nil {
				t.Cleanup(release)
			}
		}
		p.addServices(e)
	}
	p.addServices(l.jdk.Entry())
	slices.Sort(p.Workspace)
	slices.Sort(p.Main)
	return p
}

func (p *Program) addServices(e classpath.Entry) {
	s, err := e.Services()
	if err != nil {
		return
	}
	for k, v := range s {
		p.services[k] = append(p.services[k], v...)
	}
}

// Providers lists the implementations of a service.
func (p *Program) Providers(service string) []string { return p.services[service] }

// Own tells whether a class belongs to the workspace.
func (p *Program) Own(class string) bool {
	_, ok := slices.BinarySearch(p.Workspace, class)
	return ok
}

// Class returns the facts of a class.
func (p *Program) Class(name string) (*facts.Class, bool) {
	p.mu.Lock()
	c, ok := p.known[name]
	p.mu.Unlock()
	if ok {
		return c, c != nil
	}
	c, problems := p.read(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Problems = append(p.Problems, problems...)
	p.known[name] = c
	return c, c != nil
}

// read makes the facts of a class; the JDK's classes come first, as in the JVM.
func (p *Program) read(name string) (*facts.Class, []facts.Problem) {
	p.jdk.mu.Lock()
	c := p.jdk.known[name]
	p.jdk.mu.Unlock()
	if c != nil {
		return c, nil
	}
	data, ok, err := p.jdk.jdk.Entry().Find(name)
	if !ok || err != nil {
		data, _, err := p.path.Find(name)
		if data == nil || err != nil {
			return nil, nil
		}
		return p.parse(name, data)
	}
	c, problems := p.parse(name, data)
	p.jdk.mu.Lock()
	p.jdk.known[name] = c
	p.jdk.mu.Unlock()
	return c, problems
}

// Bytes reads a class file; the JDK's come first, as in the JVM.
func (p *Program) Bytes(name string) ([]byte, error) {
	data, ok, err := p.jdk.jdk.Entry().Find(name)
	if err == nil && !ok {
		data, _, err = p.path.Find(name)
		ok = data != nil
	}
	if err == nil && !ok {
		err = fs.ErrNotExist
	}
	return data, err
}

func (p *Program) parse(name string, data []byte) (*facts.Class, []facts.Problem) {
	c, err := classfile.Parse(data)
	if err != nil {
		return nil, []facts.Problem{{Class: name, Message: err.Error()}}
	}
	return facts.FromClass(c, data, p.opts)
}
