package workspace

// This file compares sources with classes and notices changes cheaply: by
// names, sizes and modification times, without reading contents.

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/internal/filetree"
)

// Freshness tells how a module's class folders stand to its sources.
type Freshness struct {
	MainStale, TestStale     bool     // a compilation is due
	MainChanged, TestChanged []string // sources newer than the classes, or without a class (at most 100 each)
	NoMainClasses            bool     // there are sources and no class at all
	NoTestClasses            bool
}

// Stale says whether anything is out of date.
func (f Freshness) Stale() bool { return f.MainStale || f.TestStale }

// SourcesNewerThanClasses compares each source with the class file of its
// name: a source is stale when the class is missing or older than it. Sources
// without a class of their name (package-info, module-info, sources that
// declare other classes) count by the newest class of the folder. Jars as
// outputs are taken as up to date. Sources for later releases of Java count as main
// sources, beside their own classes, where the module's JDK can compile them.
func (m *Module) SourcesNewerThanClasses() Freshness {
	var f Freshness
	f.MainChanged, f.NoMainClasses = staleSources(orGenerated(m.MainSources, m.GeneratedSources), m.MainOutputs,
		m.Taken)
	f.TestChanged, f.NoTestClasses = staleSources(orGenerated(m.TestSources, m.GeneratedTestSources), m.TestOutputs,
		m.TestTaken)
	for _, v := range m.Versions {
		if jdk := FeatureOf(m.JDKVersion); jdk > 0 && v.Release > jdk {
			continue // nobody compiles it
		}
		changed, _ := staleSources(v.Sources, v.Outputs(m.MainOutputs), Taken{})
		f.MainChanged = append(f.MainChanged, changed[:min(len(changed), maxStale-len(f.MainChanged))]...)
	}
	f.MainStale, f.TestStale = len(f.MainChanged) > 0, len(f.TestChanged) > 0
	if m.Kind == Maven { // others may put resources into folders of their own
		f.MainStale = f.MainStale || resourcesChanged(m.Resources, m.ResourceSets, m.MainOutputs)
		f.TestStale = f.TestStale || resourcesChanged(m.TestResources, m.TestResourceSets, m.TestOutputs)
	}
	return f
}

// orGenerated are source folders, those of generated sources where a module has no others: it may
// hold nothing but grammars.
func orGenerated(sources, generated []string) []string {
	if len(sources) == 0 {
		return generated
	}
	return sources
}

const maxStale = 100

func staleSources(roots, outputs []string, taken Taken) (stale []string, noClasses bool) {
	if len(roots) == 0 {
		return nil, false
	}
	for _, o := range outputs {
		if fi, err := os.Stat(o); err == nil && !fi.IsDir() {
			return nil, false // a jar: what is in it is what counts
		}
	}
	newest := sync.OnceValue(func() time.Time { return newestClass(outputs) })
	sources, found := false, false
	for _, r := range roots {
		_ = (&filetree.Walker{}).Walk(r, func(p string, d fs.DirEntry) error {
			if !strings.HasSuffix(p, ".java") || len(stale) >= maxStale || !taken.Takes(r, p) {
				return nil
			}
			sources = true
			fi, err := d.Info()
			if err != nil {
				return nil
			}
			rel, err := filepath.Rel(r, p)
			if err != nil {
				return nil
			}
			class := classTime(outputs, strings.TrimSuffix(rel, ".java")+".class")
			if found = found || !class.IsZero(); class.IsZero() {
				class = newest()
			}
			if fi.ModTime().After(class) {
				stale = append(stale, p)
			}
			return nil
		})
	}
	return stale, sources && !found && newest().IsZero()
}

// newestClass is when the last class file of some folders was written, zero where
// there is none.
func newestClass(outputs []string) (newest time.Time) {
	for _, o := range outputs {
		_ = (&filetree.Walker{}).Walk(o, func(p string, d fs.DirEntry) error {
			if strings.HasSuffix(p, ".class") {
				if fi, err := d.Info(); err == nil && fi.ModTime().After(newest) {
					newest = fi.ModTime()
				}
			}
			return nil
		})
	}
	return newest
}

func classTime(outputs []string, rel string) time.Time {
	for _, o := range outputs {
		if fi, err := os.Stat(filepath.Join(o, rel)); err == nil {
			return fi.ModTime()
		}
	}
	return time.Time{}
}

// Scan is what a workspace's files looked like at one time.
type Scan struct {
	files map[string]fileStamp
}

type fileStamp struct {
	size  int64
	mtime int64 // ns
}

// Changes are the differences between two scans, absolute paths in order.
type Changes struct {
	Sources   []string // .java files
	Classes   []string // .class files and jars of class folders and class paths
	Resources []string
	Build     []string // build files, catchlens.toml: the workspace is to be opened again
}

// Empty says whether nothing changed.
func (c Changes) Empty() bool {
	return len(c.Sources)+len(c.Classes)+len(c.Resources)+len(c.Build) == 0
}

// ScanFiles notes names, sizes and times of everything that the workspace's
// analysis depends on: about 100,000 files a second when the file system's
// cache is warm.
func (w *Workspace) ScanFiles() *Scan {
	s := &Scan{files: map[string]fileStamp{}}
	for _, r := range w.Roots {
		s.file(filepath.Join(r, ConfigName))
		for _, f := range buildFileNames {
			s.file(filepath.Join(r, f))
		}
	}
	for _, m := range w.Modules {
		inputs := slices.Concat(m.BuildFiles, m.Test.SuiteInputs)
		for i := range m.MoreTests {
			inputs = append(inputs, m.MoreTests[i].SuiteInputs...)
		}
		for _, f := range inputs {
			s.file(f)
		}
		for _, list := range [][]string{m.MainSources, m.TestSources, m.GeneratedSources, m.GeneratedTestSources,
			m.MainOutputs, m.TestOutputs, m.ResourceDirs()} {
			for _, d := range list {
				s.folder(d)
			}
		}
		for _, v := range m.Versions {
			for _, d := range v.Sources {
				s.folder(d)
			}
		}
		for _, list := range [][]string{m.ClassPath, m.TestClassPath} {
			for _, p := range list {
				if strings.HasSuffix(p, ".jar") {
					s.file(p)
				}
			}
		}
	}
	return s
}

// buildFileNames are build descriptions whose appearance counts.
var buildFileNames = []string{"pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts",
	"gradle.properties", "gradle/libs.versions.toml", ".classpath", "build.xml"}

func (s *Scan) file(p string) {
	if _, done := s.files[p]; done {
		return
	}
	if fi, err := os.Stat(p); err == nil {
		s.files[p] = fileStamp{fi.Size(), fi.ModTime().UnixNano()}
	}
}

func (s *Scan) folder(dir string) {
	fi, err := os.Stat(dir)
	if err != nil {
		return
	}
	if !fi.IsDir() {
		s.file(dir)
		return
	}
	_ = (&filetree.Walker{}).Walk(dir, func(p string, d fs.DirEntry) error {
		if fi, err := d.Info(); err == nil {
			s.files[p] = fileStamp{fi.Size(), fi.ModTime().UnixNano()}
		}
		return nil
	})
}

// Changed lists what differs from an older scan.
func (s *Scan) Changed(older *Scan) Changes {
	var all []string
	for p, st := range s.files {
		if old, ok := older.files[p]; !ok || old != st {
			all = append(all, p)
		}
	}
	for p := range older.files {
		if _, ok := s.files[p]; !ok {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	var c Changes
	for _, p := range all {
		base := filepath.Base(p)
		switch ext := filepath.Ext(p); {
		case ext == ".java":
			c.Sources = append(c.Sources, p)
		case ext == ".class" || ext == ".jar":
			c.Classes = append(c.Classes, p)
		case isBuildFile(base):
			c.Build = append(c.Build, p)
		default:
			c.Resources = append(c.Resources, p)
		}
	}
	return c
}

func isBuildFile(base string) bool {
	switch base {
	case ConfigName, "pom.xml", "maven.config", "jvm.config", "extensions.xml", ".classpath", "gradle.properties",
		"build.xml", "libs.versions.toml", "settings.xml":
		return true
	}
	return strings.HasSuffix(base, ".gradle") || strings.HasSuffix(base, ".gradle.kts") ||
		strings.HasSuffix(base, ".iml") || strings.HasSuffix(base, ".pom")
}

// Clone answers a copy that With may change.
func (s *Scan) Clone() *Scan { return &Scan{files: maps.Clone(s.files)} }

// With answers the scan with the given files looked at again (after a save, or
// when a client reports changes): cheaper than a whole scan.
func (s *Scan) With(files []string) *Scan {
	c := s.Clone()
	for _, f := range files {
		f = filepath.Clean(f)
		delete(c.files, f)
		c.file(f)
	}
	return c
}
