package workspace

// This file turns a pom.xml into a raw model: what the file says, before
// inheritance, profiles and interpolation.

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"catchlens/analysis/classpath"
	"catchlens/internal/bounded"
)

// gav names an artifact's project.
type gav struct{ group, artifact, version string }

func (g gav) String() string { return g.group + ":" + g.artifact + ":" + g.version }

// dependency is one <dependency>, in a model or managed.
type dependency struct {
	gav
	typ, classifier, scope, optional, systemPath string
	exclusions                                   []exclusion
	line                                         int
}

type exclusion struct{ group, artifact string }

// key identifies what dependency management and mediation work on.
func (d *dependency) key() string {
	k := d.group + ":" + d.artifact + ":" + d.typ
	if d.classifier != "" {
		k += ":" + d.classifier
	}
	return k
}

type parentRef struct {
	gav
	relativePath string
	noRelative   bool // <relativePath/>: only from the repository
}

type pomResource struct {
	directory          string
	includes, excludes []string
	filtering          bool
	targetPath         string
}

type execution struct {
	id, phase string
	goals     []string
	inherited bool
	config    *node
}

type plugin struct {
	group, artifact, version string
	inherited                bool
	config                   *node
	executions               []execution
}

// is tells whether two declarations are of one plug-in.
func (p *plugin) is(q *plugin) bool { return p.artifact == q.artifact && p.group == q.group }

// buildModel is a <build>; empty strings are unset.
type buildModel struct {
	sourceDir, testSourceDir, outputDir, testOutputDir, directory, finalName string
	resources, testResources                                                 []pomResource
	hasResources, hasTestResources                                           bool
	// files of properties for filtered resources
	filters          []string
	plugins, managed []plugin
}

// modelBody is what a model and each of its profiles may hold.
type modelBody struct {
	props   map[string]string
	deps    []dependency
	managed []dependency
	modules []string
	build   buildModel
}

type profile struct {
	id         string
	activation *node
	body       modelBody
}

// rawModel is one pom file.
type rawModel struct {
	file       string
	gav        // may be partial: inherited from the parent
	packaging  string
	parent     *parentRef
	body       modelBody
	profiles   []profile
	relocation *gav
}

// poms keeps what was read of pom files, by file: a workspace is opened again after
// each change. What is in it is never written to.
var poms = struct {
	sync.Mutex
	of map[string]keptPom
}{of: map[string]keptPom{}}

type keptPom struct {
	size  int64
	mtime time.Time
	model *rawModel
}

// maxPoms bounds the files in poms.
const maxPoms = 4000

// readPom reads a pom file, unless it looks as it did when it was read before.
func readPom(file string) (*rawModel, error) {
	info, err := os.Stat(file)
	if err == nil {
		poms.Lock()
		kept, ok := poms.of[file]
		poms.Unlock()
		if ok && kept.size == info.Size() && kept.mtime.Equal(info.ModTime()) {
			return kept.model, nil
		}
	}
	data, readErr := bounded.Read(file, bounded.Text)
	if readErr != nil {
		return nil, readErr
	}
	m, parseErr := parsePom(file, data)
	if err == nil && parseErr == nil && int64(len(data)) == info.Size() &&
		time.Since(info.ModTime()) > classpath.RacyInterval {
		poms.Lock()
		if len(poms.of) >= maxPoms {
			clear(poms.of)
		}
		poms.of[file] = keptPom{info.Size(), info.ModTime(), m}
		poms.Unlock()
	}
	return m, parseErr
}

func parsePom(file string, data []byte) (*rawModel, error) {
	root, err := parseXML(data)
	if err != nil {
		return nil, fmt.Errorf("not well-formed XML: %w", err)
	}
	if root.name != "project" {
		return nil, fmt.Errorf("the root element is <%s>, not <project>", root.name)
	}
	m := &rawModel{file: file, packaging: root.str("packaging")}
	m.gav = gav{root.str("groupId"), root.str("artifactId"), root.str("version")}
	if p := root.kid("parent"); p != nil {
		m.parent = &parentRef{gav: gav{p.str("groupId"), p.str("artifactId"), p.str("version")},
			relativePath: "../pom.xml"}
		if r := p.kid("relativePath"); r != nil {
			m.parent.relativePath, m.parent.noRelative = r.text, r.text == ""
		}
	}
	if m.artifact == "" {
		return nil, errors.New("<artifactId> is missing")
	}
	m.body = parseBody(root)
	for _, p := range root.list("profiles") {
		if p.name == "profile" {
			m.profiles = append(m.profiles,
				profile{id: p.str("id"), activation: p.kid("activation"), body: parseBody(p)})
		}
	}
	if r := root.at("distributionManagement", "relocation"); r != nil {
		m.relocation = &gav{r.str("groupId"), r.str("artifactId"), r.str("version")}
	}
	return m, nil
}

func parseBody(n *node) modelBody {
	b := modelBody{
		props:   map[string]string{},
		deps:    parseDeps(n.kid("dependencies")),
		managed: parseDeps(n.at("dependencyManagement", "dependencies")),
		build:   parseBuild(n.kid("build")),
	}
	for _, p := range n.list("properties") {
		b.props[p.name] = p.text
	}
	for _, list := range []string{"modules", "subprojects"} {
		for _, k := range n.list(list) {
			if k.text != "" {
				b.modules = append(b.modules, k.text)
			}
		}
	}
	return b
}

func parseDeps(n *node) []dependency {
	if n == nil {
		return nil
	}
	var out []dependency
	for _, k := range n.kids {
		if k.name != "dependency" {
			continue
		}
		d := dependency{
			gav: gav{k.str("groupId"), k.str("artifactId"), k.str("version")},
			typ: k.str("type"), classifier: k.str("classifier"), scope: k.str("scope"),
			optional: k.str("optional"), systemPath: k.str("systemPath"), line: k.line,
		}
		for _, e := range k.list("exclusions") {
			x := exclusion{e.str("groupId"), e.str("artifactId")}
			if x.artifact == "" {
				x.artifact = "*"
			}
			if x.group == "" {
				x.group = "*"
			}
			d.exclusions = append(d.exclusions, x)
		}
		out = append(out, d)
	}
	return out
}

func parseBuild(n *node) buildModel {
	if n == nil {
		return buildModel{}
	}
	b := buildModel{
		sourceDir: n.str("sourceDirectory"), testSourceDir: n.str("testSourceDirectory"),
		outputDir: n.str("outputDirectory"), testOutputDir: n.str("testOutputDirectory"),
		directory: n.str("directory"), finalName: n.str("finalName"),
		plugins: parsePlugins(n.kid("plugins")), managed: parsePlugins(n.at("pluginManagement", "plugins")),
	}
	for _, f := range n.list("filters") {
		b.filters = append(b.filters, f.text)
	}
	if r := n.kid("resources"); r != nil {
		b.hasResources, b.resources = len(r.kids) > 0, parseResources(r)
	}
	if r := n.kid("testResources"); r != nil {
		b.hasTestResources, b.testResources = len(r.kids) > 0, parseResources(r)
	}
	return b
}

func parseResources(n *node) []pomResource {
	var out []pomResource
	for _, r := range n.kids {
		res := pomResource{directory: r.str("directory"), targetPath: r.str("targetPath"),
			filtering: r.str("filtering") == "true"}
		for _, i := range r.list("includes") {
			res.includes = append(res.includes, i.text)
		}
		for _, e := range r.list("excludes") {
			res.excludes = append(res.excludes, e.text)
		}
		out = append(out, res)
	}
	return out
}

func parsePlugins(n *node) []plugin {
	if n == nil {
		return nil
	}
	var out []plugin
	for _, k := range n.kids {
		if k.name != "plugin" {
			continue
		}
		p := plugin{group: k.str("groupId"), artifact: k.str("artifactId"), version: k.str("version"),
			inherited: k.str("inherited") != "false", config: k.kid("configuration")}
		if p.group == "" {
			p.group = "org.apache.maven.plugins"
		}
		for _, e := range k.list("executions") {
			x := execution{id: e.str("id"), phase: e.str("phase"), inherited: e.str("inherited") != "false",
				config: e.kid("configuration")}
			if x.id == "" {
				x.id = "default"
			}
			for _, g := range e.list("goals") {
				x.goals = append(x.goals, g.text)
			}
			p.executions = append(p.executions, x)
		}
		out = append(out, p)
	}
	return out
}

// parentFile is where the parent's relativePath leads, "" if nowhere.
func (m *rawModel) parentFile() string {
	if m.parent == nil || m.parent.noRelative || strings.Contains(m.parent.relativePath, "${") {
		return ""
	}
	f := absIn(filepath.Dir(m.file), m.parent.relativePath)
	if isDir(f) {
		f = filepath.Join(f, "pom.xml")
	}
	if !isFile(f) {
		return ""
	}
	return f
}

// Coordinates are group and artifact, as "group:artifact", that a pom.xml states for
// itself or by its parent; "" if it cannot be read or does not state an artifact.
func Coordinates(pom string) string {
	data, err := ReadText(pom)
	if err != nil {
		return ""
	}
	root, err := parseXML(data)
	if err != nil || root.str("artifactId") == "" {
		return ""
	}
	return cmp.Or(root.str("groupId"), root.str("parent", "groupId")) + ":" + root.str("artifactId")
}
