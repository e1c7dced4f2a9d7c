package maven

// This file mediates Maven dependencies: which artifact, in which version and
// scope, is on the class path, and in which order.
//
// The rules are those of Maven 3's resolver: the declaration nearest to the
// project wins, the first one among equally near; only the winner's
// dependencies count; its scope is the widest that any path gives it, unless
// the project declares it itself; test, provided and optional dependencies of
// dependencies are left out; the project's dependency management overrides
// versions and scopes below its own dependencies; exclusions hold for
// everything below them. The class path is the preorder of the resulting tree.

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/mavenversion"
)

// Bounds of a dependency graph.
const (
	maxGraphNodes = 20_000
	maxGraphDepth = 60
)

// artifact is a resolved dependency.
type artifact struct {
	dep    dependency
	scope  string // final: compile, runtime, provided, system, test
	file   string // jar, or the folder of a workspace module; "" if missing
	module *model // the workspace module that makes it
	onPath bool   // its type belongs on class paths
	kids   []*artifact

	direct     bool
	depth      int
	exclusions []exclusion
	edges      []graphEdge // every way that leads here from a winner
}

type graphEdge struct {
	from         *artifact
	scope        string // as declared
	managedScope bool
}

// resolution is the outcome for one project.
type resolution struct {
	roots   []*artifact
	missing []missingItem
}

// missingItem is an artifact or pom that could not be found.
type missingItem struct {
	artifact workspace.MissingArtifact // may be incomplete: what has no version cannot be fetched
	what     string                    // a sentence without the way out
}

// resolver walks one project's dependency graph.
type resolver struct {
	c       *reader
	root    *model
	byKey   map[string]*artifact
	missing []missingItem
	nodes   int
}

// resolve mediates the dependencies of a project.
func (c *reader) resolve(m *model) resolution {
	return c.resolveDeps(m, m.body.deps)
}

// resolveDeps mediates deps as if m declared just them.
func (c *reader) resolveDeps(m *model, deps []dependency) resolution {
	r := &resolver{c: c, root: m, byKey: map[string]*artifact{}}
	var roots []*artifact
	for _, d := range deps {
		if d.scope == "" {
			d.scope = "compile"
		}
		if d.group == "" || d.artifact == "" {
			continue
		}
		a := &artifact{dep: d, direct: true, depth: 1, exclusions: d.exclusions}
		if old := r.byKey[r.conflictKey(&d)]; old != nil {
			continue
		}
		r.byKey[r.conflictKey(&d)] = a
		roots = append(roots, a)
	}
	for level := roots; len(level) > 0; {
		var next []*artifact
		for _, a := range level {
			next = append(next, r.expand(a)...)
		}
		level = next
	}
	r.assignScopes(roots)
	r.locate(roots)
	return resolution{roots: roots, missing: r.missing}
}

// conflictKey names what mediation chooses one of: type by file extension.
func (r *resolver) conflictKey(d *dependency) string {
	ext, cl := typeInfo(d)
	return d.group + ":" + d.artifact + ":" + ext + ":" + cl
}

// typeInfo is a dependency's file extension and effective classifier.
func typeInfo(d *dependency) (ext, classifier string) {
	ext, classifier = d.typ, d.classifier
	switch d.typ {
	case "", "jar", "maven-plugin", "ejb", "bundle", "eclipse-plugin", "maven-extension", "hk2-jar", "classpath-jar",
		"module-jar", "processor", "modular-processor", "classpath-processor":
		ext = "jar"
	case "test-jar":
		ext = "jar"
		if classifier == "" {
			classifier = "tests"
		}
	case "java-source":
		ext = "jar"
		if classifier == "" {
			classifier = "sources"
		}
	case "javadoc":
		ext = "jar"
		if classifier == "" {
			classifier = "javadoc"
		}
	case "ejb-client":
		ext = "jar"
		if classifier == "" {
			classifier = "client"
		}
	}
	return ext, classifier
}

// expand adds a's dependencies to the graph and returns those that won their
// place, to be expanded next.
func (r *resolver) expand(a *artifact) []*artifact {
	if a.dep.scope == "system" || a.depth >= maxGraphDepth {
		return nil
	}
	m := r.project(a)
	if m == nil {
		return nil
	}
	switch a.dep.typ { // archives that carry their dependencies inside
	case "war", "ear", "rar", "par":
		return nil
	}
	var winners []*artifact
	for _, d := range m.body.deps {
		if d.scope == "" {
			d.scope = "compile"
		}
		if d.scope == "test" || d.scope == "provided" || d.optional == "true" || excluded(a.exclusions, &d) ||
			d.group == "" || d.artifact == "" {
			continue
		}
		if r.c.seen != nil {
			r.c.seen(&d)
		}
		managed := false
		if x, ok := r.root.managedBy[d.key()]; ok {
			if x.version != "" {
				d.version = x.version
			}
			if x.scope != "" {
				d.scope, managed = x.scope, true
			}
			if x.systemPath != "" {
				d.systemPath = x.systemPath
			}
			d.exclusions = append(slices.Clone(d.exclusions), x.exclusions...)
		}
		key := r.conflictKey(&d)
		edge := graphEdge{from: a, scope: d.scope, managedScope: managed}
		if won := r.byKey[key]; won != nil {
			if !won.direct {
				won.edges = append(won.edges, edge)
			}
			continue
		}
		if r.nodes++; r.nodes > maxGraphNodes {
			if r.nodes == maxGraphNodes+1 {
				r.missing = append(r.missing,
					missingItem{what: fmt.Sprintf("the dependency graph has more than %d nodes; the rest is left out",
						maxGraphNodes)})
			}
			return winners
		}
		kid := &artifact{dep: d, depth: a.depth + 1, edges: []graphEdge{edge}}
		kid.exclusions = append(slices.Clone(a.exclusions), d.exclusions...)
		r.byKey[key] = kid
		a.kids = append(a.kids, kid)
		winners = append(winners, kid)
	}
	return winners
}

func excluded(list []exclusion, d *dependency) bool {
	for _, x := range list {
		if globMatch(x.group, d.group) && globMatch(x.artifact, d.artifact) {
			return true
		}
	}
	return false
}

// project finds the model of a dependency, following ranges and relocations.
func (r *resolver) project(a *artifact) *model {
	d := &a.dep
	for hop := 0; hop < 10; hop++ {
		if mavenversion.IsRange(d.version) || d.version == "LATEST" || d.version == "RELEASE" {
			v, ok := r.c.pickVersion(d.gav)
			if !ok {
				r.miss(pomOf(d.gav, nil),
					fmt.Sprintf("no version of %s:%s in the local repository fits %s", d.group, d.artifact, d.version))
				return nil
			}
			d.version = v
		}
		if d.version == "" {
			if m := r.c.reactor[d.group+":"+d.artifact]; m != nil {
				d.version = m.version
			} else {
				r.miss(pomOf(d.gav, nil), fmt.Sprintf("%s:%s has no version", d.group, d.artifact))
				return nil
			}
		}
		m, err := r.c.projectModel(d.gav)
		if err != nil {
			r.miss(pomOf(d.gav, nil), fmt.Sprintf("%s: %s", d.gav, err))
			return nil
		}
		if m.relocated == nil {
			for _, w := range m.missing {
				r.miss(w.artifact, fmt.Sprintf("%s: %s", d.gav, w.what))
			}
			return m
		}
		if m.relocated.group != "" {
			d.group = m.props.expand(m.relocated.group)
		}
		if m.relocated.artifact != "" {
			d.artifact = m.props.expand(m.relocated.artifact)
		}
		if m.relocated.version != "" {
			d.version = m.props.expand(m.relocated.version)
		}
	}
	r.miss(pomOf(d.gav, nil), fmt.Sprintf("%s is relocated in a circle", d.gav))
	return nil
}

func (r *resolver) miss(a workspace.MissingArtifact, what string) {
	for _, m := range r.missing {
		if m.what == what {
			return
		}
	}
	r.missing = append(r.missing, missingItem{a, what})
}

// missFile is miss for the file of an artifact; where its pom is missing as well,
// both are said in one.
func (r *resolver) missFile(a workspace.MissingArtifact, g gav, what string) {
	for i, m := range r.missing {
		if m.artifact == pomOf(g, nil) && strings.HasSuffix(m.what, noPom+r.c.repo) {
			r.missing[i].what = what
		}
	}
	r.missing = append(r.missing, missingItem{a, what})
}

// assignScopes gives every artifact the widest scope over its ways, to a fixed
// point: widening one may widen those below it.
func (r *resolver) assignScopes(roots []*artifact) {
	for _, a := range roots {
		a.scope = a.dep.scope
	}
	for changed, round := true, 0; changed && round < maxGraphDepth; round++ {
		changed = false
		var visit func(a *artifact)
		visit = func(a *artifact) {
			if !a.direct {
				best := ""
				for _, e := range a.edges {
					s := e.scope
					if !e.managedScope {
						s = deriveScope(e.from.scope, s)
					}
					if e.from.scope != "" && scopeRank(s) > scopeRank(best) {
						best = s
					}
				}
				if best != a.scope {
					a.scope, changed = best, true
				}
			}
			for _, k := range a.kids {
				visit(k)
			}
		}
		for _, a := range roots {
			visit(a)
		}
	}
}

// deriveScope is the scope of a dependency's dependency.
func deriveScope(parent, child string) string {
	switch {
	case child == "system" || child == "test":
		return child
	case parent == "" || parent == "compile":
		return child
	case parent == "test" || parent == "runtime":
		return parent
	case parent == "system" || parent == "provided":
		return "provided"
	}
	return "runtime"
}

func scopeRank(s string) int {
	switch s {
	case "compile":
		return 5
	case "runtime":
		return 4
	case "provided":
		return 3
	case "test":
		return 2
	case "system":
		return 1
	}
	return 0
}

// locate finds each artifact's file, in preorder.
func (r *resolver) locate(list []*artifact) {
	for _, a := range list {
		r.locateOne(a)
		r.locate(a.kids)
	}
}

func (r *resolver) locateOne(a *artifact) {
	d := &a.dep
	ext, cl := typeInfo(d)
	a.onPath = ext == "jar" && d.typ != "java-source" && d.typ != "javadoc"
	if d.scope == "system" {
		a.file = filetree.Abs(r.root.dir, d.systemPath)
		if !filetree.IsFile(a.file) {
			r.miss(pomOf(d.gav, nil), fmt.Sprintf("the system dependency %s is not at %s", d.gav, a.file))
			a.file = ""
		}
		return
	}
	if m := r.c.reactorModel(d.gav); m != nil {
		a.module = m
		a.file = m.reactorFile(d.typ, cl)
		if a.file != "" {
			return
		}
		a.module = nil
	}
	if !a.onPath || d.version == "" {
		return
	}
	f, ok := r.c.find(d.gav, ext, cl)
	if !ok {
		name := d.gav.String()
		if cl != "" {
			name += ":" + cl
		}
		r.missFile(workspace.MissingArtifact{Group: d.group, Artifact: d.artifact, Version: d.version, Type: ext,
			Classifier: cl}, d.gav,
			fmt.Sprintf("%s (%s) is not in the local repository %s", name, ext, r.c.repo))
		return
	}
	a.file = f
}

// reactorFile is where a workspace module's artifact is found: its class
// folders, or a file in its build folder for other classifiers; "" if none.
func (m *model) reactorFile(typ, classifier string) string {
	switch {
	case classifier == "tests":
		return m.testOutput()
	case classifier == "":
		return m.output()
	}
	name := m.props.expand("${project.build.finalName}") + "-" + classifier + ".jar"
	if f := filepath.Join(m.target(), name); filetree.IsFile(f) {
		return f
	}
	return ""
}

func (m *model) target() string {
	return filetree.Abs(m.dir, m.props.expand("${project.build.directory}"))
}
func (m *model) output() string {
	return filetree.Abs(m.dir, m.props.expand("${project.build.outputDirectory}"))
}
func (m *model) testOutput() string {
	return filetree.Abs(m.dir, m.props.expand("${project.build.testOutputDirectory}"))
}

// flatten lists the artifacts in class path order.
func (res *resolution) flatten() []*artifact {
	var out []*artifact
	var visit func([]*artifact)
	visit = func(list []*artifact) {
		for _, a := range list {
			out = append(out, a)
			visit(a.kids)
		}
	}
	visit(res.roots)
	return out
}

// paths lists the files of the given scopes.
func (res *resolution) paths(scopes ...string) []string {
	var out []string
	for _, a := range res.flatten() {
		if a.file != "" && a.onPath && slices.Contains(scopes, a.scope) ||
			a.file != "" && a.scope == "system" && slices.Contains(scopes, "system") {
			out = append(out, a.file)
		}
	}
	return filetree.Unique(out)
}

// globMatch matches a whole string against a pattern with '*'.
func globMatch(pattern, s string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == s
	}
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, last)
}
