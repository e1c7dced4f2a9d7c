package classpath

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
)

// This file tells which entries of a class path are Java modules, and which of them a module needs:
// what build tools put on the module path.

const (
	moduleInfo     = "module-info.class"
	requiresStatic = 0x0040 // JVMS 4.7.25, ACC_STATIC_PHASE: needed to compile only
)

// Module is what an entry of a class path would be on the module path.
type Module struct {
	*classfile.Module        // of an automatic module the name alone is known
	Path              string // of the entry
	Automatic         bool   // a jar without a module-info.class
}

// ModuleOf reads the descriptor of a folder or jar, of a multi-release jar the one for a feature
// version of Java, as java.lang.module.ModuleFinder.of does. nil: it is no module, as folders
// without module-info.class.
func ModuleOf(path string, feature int) (*Module, error) {
	p := Open([]string{path}, Options{Feature: feature})
	defer p.Close()
	if len(p.Entries) == 0 {
		return nil, nil // what is missing is told where the class path is read
	}
	e := p.Entries[0] // others are those of its manifest
	b, ok, err := e.Resource(moduleInfo)
	if err != nil {
		return nil, err
	}
	if ok {
		m, err := parseModule(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %s cannot be read: %w", path, moduleInfo, err)
		}
		if m == nil {
			return nil, fmt.Errorf("%s: %s describes no module", path, moduleInfo)
		}
		return &Module{Module: m, Path: path}, nil
	}
	jar, ok := e.(*Jar)
	if !ok {
		return nil, nil
	}
	name := jar.Manifest("Automatic-Module-Name")
	if name == "" {
		name = automaticName(path)
	}
	if name == "" {
		return nil, nil
	}
	return &Module{Module: &classfile.Module{Name: name}, Path: path, Automatic: true}, nil
}

var (
	versionInName = regexp.MustCompile(`-(\d+(\.|$))`)
	notInName     = regexp.MustCompile(`[^A-Za-z0-9]+`)
)

// automaticName is the name of an automatic module that a jar's own name gives
// (java.lang.module.ModuleFinder.of); "": it gives none.
func automaticName(jar string) string {
	name := strings.TrimSuffix(filepath.Base(jar), ".jar")
	if at := versionInName.FindStringIndex(name); at != nil {
		name = name[:at[0]]
	}
	name = strings.Trim(notInName.ReplaceAllString(name, "."), ".")
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || part[0] >= '0' && part[0] <= '9' {
			return ""
		}
	}
	return name
}

// Needed are those entries of a class path that a module needs as modules, in their order: what it
// requires, what that requires, and those that provide a service which one of these uses. Of
// several with one name the first counts. static: what is needed to compile alone, too. This is
// what Surefire puts on the module path (plexus-java, LocationManager.resolvePaths).
func Needed(root *classfile.Module, classPath []string, feature int, static bool) (paths []string, err error) {
	var there []*Module
	named := map[string]*Module{}
	for _, p := range classPath {
		m, err := ModuleOf(p, feature)
		if err != nil {
			return nil, err
		}
		if m != nil && named[m.Name] == nil && m.Name != root.Name {
			named[m.Name] = m
			there = append(there, m)
		}
	}
	needed, uses := map[*Module]bool{}, map[string]bool{}
	var add func(m *classfile.Module)
	add = func(m *classfile.Module) {
		for _, s := range m.Uses {
			uses[s] = true
		}
		for _, r := range m.Requires {
			if q := named[r.Name]; q != nil && !needed[q] && (static || r.Flags&requiresStatic == 0) {
				needed[q] = true
				add(q.Module)
			}
		}
	}
	add(root)
	for more := true; more; {
		more = false
		for _, m := range there {
			if !needed[m] && slices.ContainsFunc(m.Provides,
				func(p classfile.ModuleProvides) bool { return uses[p.Service] }) {
				needed[m], more = true, true
				add(m.Module)
			}
		}
	}
	for _, m := range there {
		if needed[m] {
			paths = append(paths, m.Path)
		}
	}
	return paths, nil
}
