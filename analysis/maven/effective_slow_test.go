//go:build slow

package maven

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/internal/xmltree"
)

// The effective models of public poms are those that Maven makes (mvn help:effective-pom), in all
// that is read of them: coordinates, properties, dependencies, what manages them, folders,
// resources, and the plug-ins that the poms have, with their configurations and executions.
func TestEffectivePoms(t *testing.T) {
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "build", "effective-poms")
	data, err := os.ReadFile(filepath.Join(dir, "effective.xml"))
	if err != nil {
		t.Fatalf("%v: scripts/effective-poms.sh asks Maven for it", err)
	}
	all, err := xmltree.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	jdk, err := workspace.ProbeJDK(testjdk.JDK(t, 17))
	if err != nil {
		t.Fatal(err)
	}
	r := &workspace.Reading{Options: workspace.Options{}.WithDefaults(), JDKs: []workspace.JDK{jdk}}
	c := newReader(r, dir)
	compared := 0
	for _, project := range all.Kids {
		if project.TextAt("artifactId") == "effective-poms" {
			continue
		}
		compared++
		name := project.TextAt("artifactId")
		t.Run(name, func(t *testing.T) {
			compareEffective(t, c, filepath.Join(dir, name, "pom.xml"), project)
		})
	}
	if compared < 20 {
		t.Errorf("%d poms compared", compared)
	}
}

// compareEffective compares the model of a pom with Maven's.
func compareEffective(t *testing.T, c *reader, file string, project *xmltree.Node) {
	raw, err := c.load(file)
	if err != nil {
		t.Fatal(err)
	}
	m := c.effective(raw, true)
	c.manage(m)
	for _, miss := range m.missing {
		t.Errorf("missing: %+v", miss)
	}
	theirs := &rawModel{gav: gav{project.TextAt("groupId"), project.TextAt("artifactId"), project.TextAt("version")},
		packaging: project.TextAt("packaging"), body: parseBody(project)}
	if theirs.packaging == "" {
		theirs.packaging = "jar"
	}
	if m.gav != theirs.gav || m.packaging != theirs.packaging {
		t.Errorf("%v %s, Maven has %v %s", m.gav, m.packaging, theirs.gav, theirs.packaging)
	}
	for k, v := range theirs.body.props { // what Maven leaves for later, of settings and extensions
		theirs.body.props[k] = m.props.expand(v)
	}
	same(t, "property", m.propertyLines(), propertyLines(theirs.body.props))
	same(t, "dependency", dependencyLines(m.body.deps), dependencyLines(theirs.body.deps))
	var managed []dependency
	for _, k := range m.order {
		managed = append(managed, m.managedBy[k])
	}
	same(t, "managed", dependencyLines(managed), dependencyLines(theirs.body.managed))
	same(t, "folder", m.folderLines(), folderLines(m.dir, theirs.body.build))
	m.comparePlugins(t, theirs.body.build)
}

// same compares lines in any order.
func same(t *testing.T, what string, ours, theirs []string) {
	t.Helper()
	slices.Sort(ours)
	slices.Sort(theirs)
	shown := 0
	tell := func(format, line string) {
		if shown++; shown <= 8 {
			t.Errorf(format, what, line)
		}
	}
	for _, l := range ours {
		if _, ok := slices.BinarySearch(theirs, l); !ok {
			tell("%s: ours alone: %s", l)
		}
	}
	for _, l := range theirs {
		if _, ok := slices.BinarySearch(ours, l); !ok {
			tell("%s: Maven's alone: %s", l)
		}
	}
}

func (m *model) propertyLines() []string {
	expanded := map[string]string{}
	for k, v := range m.body.props {
		expanded[k] = m.props.expand(v)
	}
	return propertyLines(expanded)
}

func propertyLines(props map[string]string) (lines []string) {
	for k, v := range props {
		if strings.HasPrefix(k, "os.detected.") {
			continue // a build extension of one of the poms sets these
		}
		lines = append(lines, fmt.Sprintf("%s = %q", k, strings.Join(strings.Fields(v), " ")))
	}
	return lines
}

func dependencyLines(deps []dependency) (lines []string) {
	for _, d := range deps {
		if d.typ == "" {
			d.typ = "jar"
		}
		if d.scope == "" {
			d.scope = "compile"
		}
		if d.optional == "" {
			d.optional = "false"
		}
		var exclusions []string
		for _, x := range d.exclusions {
			exclusions = append(exclusions, x.group+":"+x.artifact)
		}
		slices.Sort(exclusions)
		lines = append(lines, fmt.Sprintf("%s %s %s optional %s, without %q", d.key(), d.version, d.scope, d.optional,
			slices.Compact(exclusions)))
	}
	return lines
}

func (m *model) folderLines() []string {
	e, b := m.props.expand, m.body.build
	b.sourceDir, b.testSourceDir = e("${project.build.sourceDirectory}"), e("${project.build.testSourceDirectory}")
	b.directory, b.finalName = m.target(), e("${project.build.finalName}")
	b.outputDir, b.testOutputDir = m.output(), m.testOutput()
	for _, list := range []*[]pomResource{&b.resources, &b.testResources} {
		*list = slices.Clone(*list)
		for i := range *list {
			x := &(*list)[i]
			x.directory, x.targetPath = e(x.directory), e(x.targetPath)
			x.includes, x.excludes = slices.Clone(x.includes), slices.Clone(x.excludes)
			for _, l := range [][]string{x.includes, x.excludes} {
				for k := range l {
					l[k] = e(l[k])
				}
			}
		}
	}
	if !b.hasResources {
		b.resources = []pomResource{{directory: "src/main/resources"}}
	}
	if !b.hasTestResources {
		b.testResources = []pomResource{{directory: "src/test/resources"}}
	}
	return folderLines(m.dir, b)
}

func folderLines(dir string, b buildModel) []string {
	abs := func(p string) string { return filetree.Abs(dir, p) }
	lines := []string{"source " + abs(b.sourceDir), "test source " + abs(b.testSourceDir), "target " + abs(b.directory),
		"classes " + abs(b.outputDir), "test classes " + abs(b.testOutputDir), "name " + b.finalName}
	for kind, list := range map[string][]pomResource{"resource": b.resources, "test resource": b.testResources} {
		for _, r := range list {
			lines = append(lines, fmt.Sprintf("%s %s to %q filtered %v, %q without %q", kind, abs(r.directory),
				r.targetPath, r.filtering, r.includes, r.excludes))
		}
	}
	return lines
}

// comparePlugins compares the plug-ins that the poms have. Maven adds those of the lifecycle, and
// their executions and phases: these are not asked for.
func (m *model) comparePlugins(t *testing.T, theirs buildModel) {
	for _, own := range mergeOwnPlugins(m.body.build.plugins) {
		p := m.plugin(own.group, own.artifact)
		name := m.props.expand(p.group) + ":" + m.props.expand(p.artifact)
		i := slices.IndexFunc(theirs.plugins, func(q plugin) bool { return q.group+":"+q.artifact == name })
		if i < 0 {
			t.Errorf("plug-in %s: Maven has none", name)
			continue
		}
		q := theirs.plugins[i]
		if v := m.props.expand(p.version); v != "" && v != q.version {
			t.Errorf("plug-in %s: version %s, Maven has %s", name, v, q.version)
		}
		if p.artifact == "maven-site-plugin" {
			continue // Maven turns <reporting> into its configuration
		}
		m.sameConfig(t, "plug-in "+name, p.config, q.config)
		for _, x := range p.executions {
			id := m.props.expand(x.id)
			k := slices.IndexFunc(q.executions, func(y execution) bool { return y.id == id })
			if k < 0 {
				t.Errorf("plug-in %s: Maven has no execution %s", name, id)
				continue
			}
			y := q.executions[k]
			if phase := m.props.expand(x.phase); phase != "" && phase != y.phase {
				t.Errorf("plug-in %s, %s: phase %s, Maven has %s", name, id, phase, y.phase)
			}
			ours := slices.Clone(x.goals)
			for i := range ours {
				ours[i] = m.props.expand(ours[i])
			}
			for _, g := range ours {
				if !slices.Contains(y.goals, g) {
					t.Errorf("plug-in %s, %s: goals %q, Maven has %q", name, id, ours, y.goals)
				}
			}
			m.sameConfig(t, "plug-in "+name+", "+id, mergeConfig(x.config, p.config), y.config)
		}
	}
}

func (m *model) sameConfig(t *testing.T, what string, ours, theirs *xmltree.Node) {
	t.Helper()
	var a, b bytes.Buffer
	writeConfig(&a, ours, m.props.expand)
	writeConfig(&b, theirs, m.props.expand)
	if a.String() != b.String() {
		t.Errorf("%s: configuration\n%s\nMaven has\n%s", what, a.String(), b.String())
	}
}

// writeConfig writes a configuration on a line for each element, without what merging is told.
func writeConfig(b *bytes.Buffer, n *xmltree.Node, expand func(string) string) {
	if n == nil {
		return
	}
	var write func(n *xmltree.Node, indent string)
	write = func(n *xmltree.Node, indent string) {
		fmt.Fprintf(b, "%s%s %q\n", indent, n.Name, strings.Join(strings.Fields(expand(n.Text)), " "))
		for _, k := range n.Kids {
			write(k, indent+"  ")
		}
	}
	kids := slices.Clone(n.Kids)
	slices.SortStableFunc(kids, func(x, y *xmltree.Node) int { return strings.Compare(x.Name, y.Name) })
	for _, k := range kids {
		write(k, "")
	}
}
