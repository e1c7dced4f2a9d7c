package maven

// This file resolves dependencies that no pom declares, for build tools that read Maven's
// repositories.

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/mavenversion"
)

// Poms are the poms that a build tool other than Maven reads.
type Poms struct{ c *reader }

// NewPoms prepares reading poms for the build at root: find answers the file of an artifact in the
// cache of the build tool; where it has none, Maven's local repository is asked.
func NewPoms(r *workspace.Reading, root string, find func(group, artifact, version, ext, classifier string) (string,
	bool)) *Poms {
	c := newReader(r, root)
	c.alternative = func(g gav, ext, classifier string) (string, bool) {
		return find(g.group, g.artifact, g.version, ext, classifier)
	}
	return &Poms{c}
}

// Graph are the dependencies of one class path.
type Graph struct {
	c    *reader
	root *model
	deps []dependency
}

// Graph begins a class path of the project in a folder, without dependencies.
func (p *Poms) Graph(dir, group string) *Graph {
	root := &model{dir: dir, managedBy: map[string]dependency{}, gav: gav{group, filepath.Base(dir), "0"}}
	root.props = &interpolator{ctx: p.c, props: map[string]string{}, own: root.gav, dir: dir}
	return &Graph{c: p.c, root: root}
}

// AddPlatform lets a pom say which versions dependencies without one have. The error says that the
// pom is missing.
func (g *Graph) AddPlatform(group, artifact, version string) error {
	at := gav{group, artifact, version}
	bom, err := g.c.projectModel(at)
	if err != nil {
		return fmt.Errorf("the platform %s: %s", at, err)
	}
	for _, k := range bom.order {
		if _, have := g.root.managedBy[k]; !have {
			g.root.managedBy[k] = bom.managedBy[k]
		}
	}
	return nil
}

// Add adds a dependency on a jar; version "": as the platforms say.
func (g *Graph) Add(group, artifact, version, classifier string) {
	g.deps = append(g.deps, dependency{gav: gav{group, artifact, version}, typ: "jar", classifier: classifier,
		scope: "compile"})
}

// Resolve answers the files of the dependencies and of what they need to run, and what is missing
// of them, a sentence each.
func (g *Graph) Resolve() (paths, missing []string) {
	for i := range g.deps {
		if d := &g.deps[i]; d.version == "" {
			d.version = g.root.managedBy[d.key()].version
		}
	}
	res := g.c.resolveHighest(g.root, g.deps)
	for _, x := range res.missing {
		missing = append(missing, x.what)
	}
	return res.paths("compile", "runtime"), missing
}

// resolveHighest mediates as Gradle does: of several versions the highest.
func (c *reader) resolveHighest(root *model, deps []dependency) resolution {
	forced := map[string]string{}
	for round := 0; ; round++ {
		m := *root
		m.managedBy = maps.Clone(root.managedBy)
		list := slices.Clone(deps)
		for k, v := range forced {
			x := m.managedBy[k]
			x.version = v
			m.managedBy[k] = x
		}
		for i := range list {
			if v := forced[list[i].key()]; v != "" {
				list[i].version = v
			}
		}
		highest := map[string]string{}
		c.seen = func(d *dependency) {
			if d.version != "" && !mavenversion.IsRange(d.version) &&
				(highest[d.key()] == "" || mavenversion.Compare(d.version, highest[d.key()]) > 0) {
				highest[d.key()] = d.version
			}
		}
		for i := range list {
			c.seen(&list[i])
		}
		res := c.resolveDeps(&m, list)
		c.seen = nil
		changed := false
		for _, a := range res.flatten() {
			k := a.dep.key()
			if h := highest[k]; h != "" && mavenversion.Compare(h, a.dep.version) > 0 {
				forced[k], changed = h, true
			}
		}
		if !changed || round >= 20 {
			return res
		}
	}
}
