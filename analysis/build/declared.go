package build

import (
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
)

// This file finds the methods and exceptions that the faults of catchlens.toml name.

// declareFaults adds the faults that can be made to happen to the studied set. The
// others are problems.
func (s *builder) declareFaults() {
	s.Config.Studied.Faults = nil
	cfg := s.Workspace.Config
	if cfg == nil {
		return
	}
	for i := range cfg.Faults {
		f := &cfg.Faults[i]
		d, err := s.declare(f)
		if err == nil && len(s.Config.Studied.Faults) == faults.MaxDeclared {
			err = fmt.Errorf("there are more than %d", faults.MaxDeclared)
		}
		if err != nil {
			s.problemAt("warning", fmt.Sprintf("the fault %s is left out: %v", f.Name, err), cfg.File, f.Line)
			continue
		}
		d.File, d.Line = cfg.File, f.Line
		s.Config.Studied.Faults = append(s.Config.Studied.Faults, d)
	}
}

// declare finds what one fault names. The error says what is wrong with it.
func (s *builder) declare(f *workspace.FaultConfig) (d faults.Declared, err error) {
	if _, taken := faults.Info(faults.Kind(f.Name)); taken {
		return d, fmt.Errorf("%s is the name of a kind of fault already", f.Name)
	}
	class, method, desc, ok := faults.ParseMethod(f.Method)
	if !ok {
		return d, fmt.Errorf("method is %q; it has the form com.acme.Client.send, or com.acme.Client.send(I)V",
			f.Method)
	}
	c, ok := s.Facts(class)
	if !ok {
		return d, fmt.Errorf("there is no class %s", snapshot.Dotted(class))
	}
	declares, found := s.methodsNamed(c, method, desc)
	if !found {
		return d, fmt.Errorf("%s has no method %s%s", snapshot.Dotted(class), method, desc)
	}
	exception := strings.ReplaceAll(f.Exception, ".", "/")
	x, ok := s.Facts(exception)
	if !ok {
		return d, fmt.Errorf("there is no class %s", f.Exception)
	}
	isA := faults.Supers(x, s.Facts)
	switch {
	case !isA("java/lang/Throwable"):
		return d, fmt.Errorf("%s is no Throwable", f.Exception)
	case x.Access&accAbstract != 0:
		return d, fmt.Errorf("%s is abstract: there is no such exception, only of its subclasses", f.Exception)
	}
	if checked := !isA("java/lang/RuntimeException") && !isA("java/lang/Error"); checked &&
		!slices.ContainsFunc(declares, isA) {
		s.problemAt("info", fmt.Sprintf("the fault %s throws %s, which %s.%s does not declare", f.Name, f.Exception,
			snapshot.Dotted(class), method), s.Workspace.Config.File, f.Line)
	}
	return faults.Declared{Name: faults.Kind(f.Name), Class: class, Method: method, Desc: desc, Exception: exception,
		Message: f.Message}, nil
}

const accAbstract = 0x0400 // JVMS 4.1

// methodsNamed looks for methods of a class by name and, "" for any, descriptor, and
// lists the exceptions that they declare.
func (s *builder) methodsNamed(c *facts.Class, name, desc string) (declares []string, found bool) {
	for i := range c.Methods {
		if m := &c.Methods[i]; m.Name == name && (desc == "" || m.Desc == desc) {
			declares, found = append(declares, m.Declared()...), true
		}
	}
	return declares, found
}

// faultExceptions are the classes that instances of come to be by faults.
func (s *builder) faultExceptions() (names []string) {
	for i := range s.Config.Studied.Faults {
		names = append(names, s.Config.Studied.Faults[i].Exception)
	}
	return names
}
