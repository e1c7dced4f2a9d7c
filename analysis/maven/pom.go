package maven

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

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/xmltree"
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
	config    *xmltree.Node
}

type plugin struct {
	group, artifact, version string
	inherited                bool
	config                   *xmltree.Node
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
	activation *xmltree.Node
	body       modelBody
}

// rawModel is one pom file.
type rawModel struct {
	file       string
	gav        // may be partial: inherited from the parent
	packaging  string
	parent     *parentRef
	body       modelBody
	info       information
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
	root, err := xmltree.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("not well-formed XML: %w", err)
	}
	if root.Name != "project" {
		return nil, fmt.Errorf("the root element is <%s>, not <project>", root.Name)
	}
	m := &rawModel{file: file, packaging: root.TextAt("packaging")}
	m.gav = gav{root.TextAt("groupId"), root.TextAt("artifactId"), root.TextAt("version")}
	if p := root.Kid("parent"); p != nil {
		m.parent = &parentRef{gav: gav{p.TextAt("groupId"), p.TextAt("artifactId"), p.TextAt("version")},
			relativePath: "../pom.xml"}
		if r := p.Kid("relativePath"); r != nil {
			m.parent.relativePath, m.parent.noRelative = r.Text, r.Text == ""
		}
	}
	if m.artifact == "" {
		return nil, errors.New("<artifactId> is missing")
	}
	m.body, m.info = parseBody(root), parseInformation(root)
	for _, p := range root.KidsAt("profiles") {
		if p.Name == "profile" {
			m.profiles = append(m.profiles,
				profile{id: p.TextAt("id"), activation: p.Kid("activation"), body: parseBody(p)})
		}
	}
	if r := root.At("distributionManagement", "relocation"); r != nil {
		m.relocation = &gav{r.TextAt("groupId"), r.TextAt("artifactId"), r.TextAt("version")}
	}
	return m, nil
}

func parseBody(n *xmltree.Node) modelBody {
	b := modelBody{
		props:   map[string]string{},
		deps:    parseDeps(n.Kid("dependencies")),
		managed: parseDeps(n.At("dependencyManagement", "dependencies")),
		build:   parseBuild(n.Kid("build")),
	}
	for _, p := range n.KidsAt("properties") {
		b.props[p.Name] = p.Text
	}
	for _, list := range []string{"modules", "subprojects"} {
		for _, k := range n.KidsAt(list) {
			if k.Text != "" {
				b.modules = append(b.modules, k.Text)
			}
		}
	}
	return b
}

func parseDeps(n *xmltree.Node) []dependency {
	if n == nil {
		return nil
	}
	var out []dependency
	for _, k := range n.Kids {
		if k.Name != "dependency" {
			continue
		}
		d := dependency{
			gav: gav{k.TextAt("groupId"), k.TextAt("artifactId"), k.TextAt("version")},
			typ: k.TextAt("type"), classifier: k.TextAt("classifier"), scope: k.TextAt("scope"),
			optional: k.TextAt("optional"), systemPath: k.TextAt("systemPath"), line: k.Line,
		}
		for _, e := range k.KidsAt("exclusions") {
			x := exclusion{e.TextAt("groupId"), e.TextAt("artifactId")}
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

func parseBuild(n *xmltree.Node) buildModel {
	if n == nil {
		return buildModel{}
	}
	b := buildModel{
		sourceDir: n.TextAt("sourceDirectory"), testSourceDir: n.TextAt("testSourceDirectory"),
		outputDir: n.TextAt("outputDirectory"), testOutputDir: n.TextAt("testOutputDirectory"),
		directory: n.TextAt("directory"), finalName: n.TextAt("finalName"),
		plugins: parsePlugins(n.Kid("plugins")), managed: parsePlugins(n.At("pluginManagement", "plugins")),
	}
	for _, f := range n.KidsAt("filters") {
		b.filters = append(b.filters, f.Text)
	}
	if r := n.Kid("resources"); r != nil {
		b.hasResources, b.resources = len(r.Kids) > 0, parseResources(r)
	}
	if r := n.Kid("testResources"); r != nil {
		b.hasTestResources, b.testResources = len(r.Kids) > 0, parseResources(r)
	}
	return b
}

func parseResources(n *xmltree.Node) []pomResource {
	var out []pomResource
	for _, r := range n.Kids {
		res := pomResource{directory: r.TextAt("directory"), targetPath: r.TextAt("targetPath"),
			filtering: r.TextAt("filtering") == "true"}
		for _, i := range r.KidsAt("includes") {
			res.includes = append(res.includes, i.Text)
		}
		for _, e := range r.KidsAt("excludes") {
			res.excludes = append(res.excludes, e.Text)
		}
		out = append(out, res)
	}
	return out
}

func parsePlugins(n *xmltree.Node) []plugin {
	if n == nil {
		return nil
	}
	var out []plugin
	for _, k := range n.Kids {
		if k.Name != "plugin" {
			continue
		}
		p := plugin{group: k.TextAt("groupId"), artifact: k.TextAt("artifactId"), version: k.TextAt("version"),
			inherited: k.TextAt("inherited") != "false", config: k.Kid("configuration")}
		if p.group == "" {
			p.group = "org.apache.maven.plugins"
		}
		for _, e := range k.KidsAt("executions") {
			x := execution{id: e.TextAt("id"), phase: e.TextAt("phase"), inherited: e.TextAt("inherited") != "false",
				config: e.Kid("configuration")}
			if x.id == "" {
				x.id = "default"
			}
			for _, g := range e.KidsAt("goals") {
				x.goals = append(x.goals, g.Text)
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
	f := filetree.Abs(filepath.Dir(m.file), m.parent.relativePath)
	if filetree.IsDir(f) {
		f = filepath.Join(f, "pom.xml")
	}
	if !filetree.IsFile(f) {
		return ""
	}
	return f
}

// Coordinates are group and artifact, as "group:artifact", that a pom.xml states for
// itself or by its parent; "" if it cannot be read or does not state an artifact.
func Coordinates(pom string) string {
	root, err := xmltree.Read(pom)
	if err != nil || root.TextAt("artifactId") == "" {
		return ""
	}
	return cmp.Or(root.TextAt("groupId"), root.TextAt("parent", "groupId")) + ":" + root.TextAt("artifactId")
}
