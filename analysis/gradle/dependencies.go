package gradle

// This file reads Gradle dependencies and resolves them, as far as Gradle's
// own cache on disk allows.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/catchlens/catchlens/analysis/maven"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/filetree"
)

// configurations says which class paths a configuration feeds: c compile main,
// r run main, t tests, p annotation processors.
var configurations = map[string]string{
	"implementation": "crt", "api": "crt", "compile": "crt", "compileOnly": "c", "compileOnlyApi": "c",
	"providedCompile": "ct",
	"runtimeOnly":     "rt", "runtime": "rt", "testImplementation": "t", "testCompile": "t", "testRuntimeOnly": "t",
	"testRuntime": "t", "testCompileOnly": "t", "annotationProcessor": "p",
}

// dependencies reads a dependencies block.
func (b *build) dependencies(p *project, names []string, rest []token, s *stmt) {
	if len(names) == 0 {
		for i := range s.block {
			n, r := s.block[i].path()
			if len(n) > 0 {
				b.dependencies(p, n, r, &s.block[i])
			}
		}
		return
	}
	config := names[0]
	if configurations[config] == "" {
		return
	}
	// The path may have swallowed the argument's first names: implementation(libs.x)
	// keeps them in rest, implementation libs.x does too.
	for _, arg := range splitTopLevel(rest) {
		b.dependency(p, config, arg)
	}
}

// splitTopLevel splits arguments at commas outside brackets; maps
// (group: 'g', name: 'a') stay together.
func splitTopLevel(toks []token) [][]token {
	for len(toks) >= 2 && isPunct(toks[0], "(") && isPunct(toks[len(toks)-1], ")") {
		toks = toks[1 : len(toks)-1]
	}
	if hasColon(toks) && len(toks) > 1 && toks[0].kind == tokIdent && isPunct(toks[1], ":") {
		return [][]token{toks}
	}
	var out [][]token
	depth, start := 0, 0
	for i, t := range toks {
		if t.kind != tokPunct {
			continue
		}
		switch t.text {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case ",":
			if depth == 0 {
				out = append(out, toks[start:i])
				start = i + 1
			}
		}
	}
	return append(out, toks[start:])
}

func (b *build) dependency(p *project, config string, arg []token) {
	if len(arg) == 0 {
		return
	}
	d := dependency{config: config}
	v := strs(p, arg)
	add := func() { p.deps = append(p.deps, d) }
	first := arg[0]
	switch {
	case first.kind == tokString && len(v) > 0:
		d.notation = v[0]
		add()
	case first.kind != tokIdent:
	case first.text == "platform" || first.text == "enforcedPlatform":
		d.platform = true
		inner := arg[1:]
		if len(inner) > 2 && isPunct(inner[0], "(") {
			inner = inner[1 : len(inner)-1]
		}
		n := len(p.deps)
		b.dependency(p, config, inner)
		for i := n; i < len(p.deps); i++ {
			p.deps[i].platform = true
		}
	case first.text == "project" && len(v) > 0:
		d.project = ":" + strings.Trim(v[0], ":")
		add()
	case first.text == "projects": // type-safe accessors: projects.fooBar
		var segs []string
		for _, t := range arg[1:] {
			if t.kind == tokIdent {
				segs = append(segs, t.text)
			}
		}
		d.project = b.accessor(segs)
		add()
	case first.text == "files" || first.text == "fileTree":
		b.fileDependency(p, &d, first.text, arg, v)
		add()
	case first.text == "testFixtures", first.text == "kotlin", first.text == "gradleApi", first.text == "localGroovy":
	case len(arg) > 1 && isPunct(arg[1], ":"): // group: 'g', name: 'a', version: 'v'
		m := map[string]string{}
		b.keyValue(p, arg, m, false)
		d.notation = m["group"] + ":" + m["name"] + ":" + m["version"]
		add()
	default: // libs.foo.bar
		var segs []string
		for _, t := range arg[1:] {
			if t.kind == tokIdent && t.text != "get" {
				segs = append(segs, t.text)
			}
		}
		name, named := pathOf(arg)
		found := b.catalog.lookup(segs)
		if value, ok := p.variableValue(name); named && ok && strings.Contains(value, ":") &&
			(len(found) == 0 || first.text != "libs") {
			d.notation = value
			add()
			return
		}
		for _, n := range found {
			d.notation = n
			add()
		}
		own := strings.TrimPrefix(name, "project.") // what the project has itself is no dependency
		if len(found) == 0 && named && !strings.HasPrefix(own, "sourceSets.") &&
			!strings.HasPrefix(own, "configurations.") {
			d.unknown = name
			add()
		}
	}
}

// pathOf is an argument that only leads to a value: libs.junit, deps['junit']. Whether it is one.
func pathOf(arg []token) (path string, ok bool) {
	var names []string
	for _, t := range arg {
		switch {
		case t.kind == tokIdent || t.kind == tokString:
			names = append(names, t.text)
		case !isPunct(t, ".") && !isPunct(t, "[") && !isPunct(t, "]"):
			return "", false
		}
	}
	return strings.Join(names, "."), true
}

// accessor finds the project of projects.fooBar.baz.
func (b *build) accessor(segs []string) string {
	want := strings.ToLower(strings.Join(segs, ":"))
	for path := range b.byPath {
		have := strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.TrimPrefix(path, ":")))
		if have == want {
			return path
		}
	}
	return ""
}

func (b *build) fileDependency(p *project, d *dependency, kind string, arg []token, v []string) {
	if kind == "files" {
		for _, f := range v {
			d.files = append(d.files, filetree.Abs(p.dir, f))
		}
		return
	}
	for _, f := range v { // fileTree(dir: 'libs', include: ['*.jar'])
		if dir := filetree.Abs(p.dir, f); filetree.IsDir(dir) {
			d.files = append(d.files, filetree.Jars(dir)...)
		}
	}
}

// versionCatalog is gradle/libs.versions.toml.
type versionCatalog struct {
	Versions  map[string]any      `toml:"versions"`
	Libraries map[string]any      `toml:"libraries"`
	Bundles   map[string][]string `toml:"bundles"`
}

func readCatalog(file string, problem func(workspace.Problem)) *versionCatalog {
	c := &versionCatalog{}
	data, err := bounded.Read(file, bounded.Text)
	if err != nil {
		return c
	}
	if err := toml.Unmarshal(data, c); err != nil {
		problem(workspace.Problem{Severity: workspace.Warning, Message: "not a valid version catalog: " + err.Error(),
			File: file})
	}
	return c
}

// lookup resolves an accessor (without "libs") to notations.
func (c *versionCatalog) lookup(segs []string) []string {
	same := func(alias string, segs []string) bool {
		f := func(r rune) bool { return r == '-' || r == '_' || r == '.' }
		return slices.EqualFunc(strings.FieldsFunc(alias, f), segs, strings.EqualFold)
	}
	if len(segs) > 1 && segs[0] == "bundles" {
		for alias, libs := range c.Bundles {
			if same(alias, segs[1:]) {
				var out []string
				for _, l := range libs {
					out = append(out, c.notation(c.Libraries[l]))
				}
				return out
			}
		}
		return nil
	}
	for alias, lib := range c.Libraries {
		if same(alias, segs) {
			return []string{c.notation(lib)}
		}
	}
	return nil
}

func (c *versionCatalog) notation(lib any) string {
	switch l := lib.(type) {
	case string:
		return l
	case map[string]any:
		mod, _ := l["module"].(string)
		if mod == "" {
			g, _ := l["group"].(string)
			n, _ := l["name"].(string)
			mod = g + ":" + n
		}
		if v := c.version(l["version"]); v != "" {
			mod += ":" + v
		}
		return mod
	}
	return ""
}

func (c *versionCatalog) version(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case map[string]any:
		if ref, ok := x["ref"].(string); ok {
			if _, nested := c.Versions[ref].(map[string]any); nested {
				return richVersion(c.Versions[ref].(map[string]any))
			}
			s, _ := c.Versions[ref].(string)
			return s
		}
		return richVersion(x)
	}
	return ""
}

func richVersion(m map[string]any) string {
	for _, k := range []string{"strictly", "require", "prefer"} {
		if s, ok := m[k].(string); ok {
			return s
		}
	}
	return ""
}

// classPaths resolves what a module's scripts declare from Gradle's cache.
func (b *build) classPaths(p *project, m *workspace.Module) {
	for _, part := range []struct {
		letter string
		to     *[]string
	}{{"c", &m.ClassPath}, {"r", &m.RuntimeClassPath}, {"t", &m.TestClassPath}, {"p", &m.ProcessorPath}} {
		paths, missing := b.resolvePart(p, part.letter)
		*part.to = paths
		m.Missing = append(m.Missing, missing...)
	}
	if m.Missing = filetree.Unique(m.Missing); len(m.Missing) > 0 {
		b.r.Report(workspace.Problem{Severity: workspace.Warning, File: p.script,
			Message: fmt.Sprintf("%s (%d missing): %s", m.Incomplete(), len(m.Missing), m.Missing[0])})
	}
	m.Missing = append(m.Missing, "the class path was read from the build scripts by pattern: Gradle, which is asked "+
		"in a run and in a trusted workspace, has not told the exact one")
}

// resolvePart resolves the dependencies that feed one class path.
func (b *build) resolvePart(p *project, letter string) (paths, missing []string) {
	if b.poms == nil {
		b.poms = maven.NewPoms(b.r, b.root, b.cached)
	}
	graph := b.poms.Graph(p.dir, p.group)
	seen := map[string]bool{}
	var visit func(q *project, letter string, depth int)
	visit = func(q *project, letter string, depth int) {
		if seen[q.path+letter] || depth > workspace.MaxDepth {
			return
		}
		seen[q.path+letter] = true
		for _, d := range q.deps {
			if !strings.Contains(configurations[d.config], letter) {
				continue
			}
			paths = append(paths, d.files...)
			if d.unknown != "" {
				missing = append(missing, fmt.Sprintf("the dependency %s, whose value the scripts do not say as "+
					"text, is known to Gradle only", d.unknown))
				continue
			}
			if d.project != "" {
				if r := b.byPath[d.project]; r != nil {
					paths = append(paths, filepath.Join(r.buildDir, "classes", "java", "main"))
					if res := filepath.Join(r.buildDir, "resources", "main"); filetree.IsDir(res) {
						paths = append(paths, res)
					}
					visit(r, "r", depth+1) // what the other project needs to run
				}
				continue
			}
			parts := strings.Split(d.notation, ":")
			if len(parts) < 2 {
				continue
			}
			parts = append(parts, "", "")
			version, ext, _ := strings.Cut(parts[2], "@")
			version = strings.TrimSuffix(version, "!!")
			if d.platform {
				if err := graph.AddPlatform(parts[0], parts[1], version); err != nil {
					missing = append(missing, err.Error()+"; run the build once with Gradle")
				}
			} else if ext == "" || ext == "jar" {
				graph.Add(parts[0], parts[1], version, parts[3])
			}
		}
	}
	visit(p, letter, 0)
	found, lacking := graph.Resolve()
	for _, what := range lacking {
		missing = append(missing, what+"; run the build once with Gradle")
	}
	return filetree.Unique(append(paths, found...)), missing
}

// cached finds a file of an artifact in Gradle's cache.
func (b *build) cached(group, artifact, version, ext, classifier string) (string, bool) {
	cache := filepath.Join(b.r.Options.GradleHome, "caches", "modules-2", "files-2.1")
	dir := filepath.Join(cache, group, artifact, version)
	name := artifact + "-" + version
	if classifier != "" {
		name += "-" + classifier
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", false
	}
	for _, e := range entries {
		if f := filepath.Join(dir, e.Name(), name+"."+ext); filetree.IsFile(f) {
			return f, true
		}
	}
	return "", false
}
