// Package programtest gives the tests of the call graphs and of exception-flow the
// facts of real class files: a JDK with folders and jars before it. Facts are
// made when first asked for and kept.
package programtest

import (
	"slices"
	"sync"
	"testing"

	"catchlens/analysis/classfile"
	"catchlens/analysis/classpath"
	"catchlens/analysis/facts"
)

// Program is a class path, workspace classes first.
type Program struct {
	Workspace []string // classes of the first entries, sorted
	Problems  []facts.Problem

	path     *classpath.Path
	jdk      *classpath.JDK
	opts     facts.Options
	mu       sync.Mutex
	known    map[string]*facts.Class
	services map[string][]string
}

// Open opens the JDK at home and the class path; the classes of its first own
// entries are the workspace's.
func Open(t testing.TB, home string, opts facts.Options, own int, paths ...string) *Program {
	t.Helper()
	jdk, err := classpath.OpenJDK(home, classpath.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &Program{jdk: jdk, path: classpath.Open(paths, classpath.Options{Feature: jdk.Feature}), opts: opts,
		known: map[string]*facts.Class{}, services: map[string][]string{}}
	t.Cleanup(func() { p.path.Close(); p.jdk.Close() })
	for _, pr := range p.path.Problems {
		t.Fatal(pr.Message)
	}
	for i, e := range p.path.Entries {
		if i < own {
			if err := e.Each(func(name string) error { p.Workspace = append(p.Workspace, name); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if j, ok := e.(*classpath.Jar); ok {
			if release, err := j.Hold(); err == nil {
				t.Cleanup(release)
			}
		}
		p.addServices(e)
	}
	p.addServices(jdk.Entry())
	slices.Sort(p.Workspace)
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
	data, ok, err := p.jdk.Entry().Find(name)
	if !ok || err != nil {
		data, _, err = p.path.Find(name)
	}
	if data == nil || err != nil {
		return nil, nil
	}
	c, err := classfile.Parse(data)
	if err != nil {
		return nil, []facts.Problem{{Class: name, Message: err.Error()}}
	}
	return facts.FromClass(c, data, p.opts)
}
