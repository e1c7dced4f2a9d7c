package maven

// This file builds effective Maven models: lineage, profiles, inheritance,
// interpolation, dependency management. The order of steps is that of Maven 3's
// model builder.

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/filetree"
)

// Bounds of model building.
const (
	maxParents     = 40
	maxImportDepth = 30
)

// noPom is what is said of an artifact whose pom is missing, before the folder.
const noPom = "its pom is not in the local repository "

// model is an effective model: inherited, interpolated and managed.
type model struct {
	gav
	file, dir string // dir is the project's folder; repository poms have none that counts
	packaging string
	body      modelBody
	info      information
	lineage   []string // files of this pom and its parents, nearest first
	props     *interpolator
	relocated *gav
	managedBy map[string]dependency // effective dependency management by key
	order     []string              // its keys in order
	missing   []missingItem         // what could not be read on the way
}

// reader holds what is shared while the poms of one workspace are read.
type reader struct {
	repo      string // local repository
	userProps map[string]string
	// arguedProps are those of them that are arguments of Maven itself, which tests see as well.
	arguedProps map[string]string
	sysProps    map[string]string
	env         func(string) string
	profiles    map[string]bool   // by id: true chosen, false deselected (maven.config, settings.xml)
	settings    modelBody         // properties of active settings profiles
	reactor     map[string]*model // "group:artifact" of the workspace's projects
	raw         map[string]*rawModel
	rawErr      map[string]error
	repoModel   map[string]*model // effective models of repository poms by gav
	building    map[string]bool   // gavs under construction: import and parent cycles
	problem     func(workspace.Problem)
	jdk         string // version that profile activation sees

	alternative func(g gav, ext, classifier string) (string, bool) // looked at before repo, may be nil
	// told of each declared dependency while resolving, may be nil
	seen func(*dependency)
}

// load reads a pom once.
func (c *reader) load(file string) (*rawModel, error) {
	if m, ok := c.raw[file]; ok {
		return m, c.rawErr[file]
	}
	m, err := readPom(file)
	c.raw[file], c.rawErr[file] = m, err
	return m, err
}

// lineage returns the raw models from file up to its last parent. What is
// missing is said in the second result.
func (c *reader) lineage(m *rawModel, local bool) (chain []*rawModel, missing []missingItem) {
	seen := map[string]bool{}
	for m != nil {
		if seen[m.file] {
			c.problem(workspace.Problem{Severity: workspace.Error,
				Message: fmt.Sprintf("the parents of %s form a cycle", m.artifact),
				File:    m.file})
			return chain, missing
		}
		if len(chain) >= maxParents {
			c.problem(workspace.Problem{Severity: workspace.Error, Message: fmt.Sprintf("more than %d parents",
				maxParents), File: m.file})
			return chain, missing
		}
		seen[m.file] = true
		chain = append(chain, m)
		if m.parent == nil {
			break
		}
		next, err := c.parentOf(m, local)
		if err != nil {
			missing = append(missing, missingItem{artifact: pomOf(m.parent.gav, c.rawInterpolator(m)),
				what: err.Error()})
		}
		local = local && next != nil && !filetree.Holds(c.repo, next.file)
		m = next
	}
	return chain, missing
}

// pomOf names a project's pom as an artifact.
func pomOf(g gav, i *interpolator) workspace.MissingArtifact {
	if i != nil {
		g.version = i.expand(g.version)
	}
	return workspace.MissingArtifact{Group: g.group, Artifact: g.artifact, Version: g.version, Type: "pom"}
}

// parentOf finds the parent model: by relativePath where that leads to the
// named project, else in the local repository.
func (c *reader) parentOf(m *rawModel, local bool) (*rawModel, error) {
	want := m.parent.gav
	interp := c.rawInterpolator(m)
	want.version = interp.expand(want.version)
	if local {
		if f := m.parentFile(); f != "" {
			p, err := c.load(f)
			if err != nil {
				return nil, fmt.Errorf("the parent pom %s cannot be read: %s", f, filetree.Reason(err))
			}
			g := p.gav
			if g.group == "" && p.parent != nil {
				g.group = p.parent.group
			}
			if p.artifact == want.artifact && (want.group == "" || g.group == want.group) {
				return p, nil
			}
		}
	}
	if want.version == "" || want.group == "" {
		return nil, fmt.Errorf("the parent %s of %s is not at %q and has no version", want.artifact, m.artifact,
			m.parent.relativePath)
	}
	file, ok := c.find(want, "pom", "")
	if !ok {
		return nil, fmt.Errorf("the parent pom %s of %s is not in the local repository %s", want, m.artifact, c.repo)
	}
	p, err := c.load(file)
	if err != nil {
		return nil, fmt.Errorf("the parent pom %s cannot be read: %s", file, filetree.Reason(err))
	}
	return p, nil
}

// rawInterpolator resolves what may stand in a parent's version.
func (c *reader) rawInterpolator(m *rawModel) *interpolator {
	return &interpolator{ctx: c, props: m.body.props, own: m.gav, dir: filepath.Dir(m.file)}
}

// effective builds the model of a pom file, up to dependency management (see
// manage). local says that relativePath counts (workspace projects), not for
// poms of the repository.
func (c *reader) effective(raw *rawModel, local bool) *model {
	chain, missing := c.lineage(raw, local)
	m := &model{file: raw.file, dir: filepath.Dir(raw.file), packaging: raw.packaging, relocated: raw.relocation,
		missing: missing}
	if m.packaging == "" {
		m.packaging = "jar"
	}
	m.gav = raw.gav
	body := modelBody{props: map[string]string{}}
	var modules []string // of the parent
	built := builtProject{packaging: m.packaging}
	if local {
		built.dir = m.dir
	}
	for i := len(chain) - 1; i >= 0; i-- {
		r := chain[i]
		own := c.withProfiles(r, built)
		m.info, modules = inheritInformation(r, m.info, modules), own.modules
		body = inherit(own, body)
		m.lineage = append([]string{r.file}, m.lineage...)
	}
	for _, r := range chain { // group and version come from the nearest that has them
		if m.group == "" {
			m.group = r.group
		}
		if m.version == "" {
			m.version = r.version
		}
		if r.parent != nil {
			if m.group == "" {
				m.group = r.parent.group
			}
			if m.version == "" {
				m.version = r.parent.version
			}
		}
	}
	m.body = body
	m.props = &interpolator{ctx: c, props: body.props, own: m.gav, dir: m.dir, m: m}
	if raw.parent != nil {
		m.props.parent = raw.parent.gav
	}
	m.group, m.version = m.props.expand(m.group), m.props.expand(m.version)
	m.artifact = m.props.expand(m.artifact)
	m.props.own = m.gav
	m.body.deps = m.expandDeps(m.body.deps)
	m.body.managed = m.expandDeps(m.body.managed)
	return m
}

func (m *model) expandDeps(list []dependency) []dependency {
	out := make([]dependency, 0, len(list))
	index := map[string]int{}
	for _, d := range list {
		e := m.props.expand
		d.group, d.artifact, d.version = e(d.group), e(d.artifact), e(d.version)
		d.typ, d.classifier, d.scope, d.optional = e(d.typ), e(d.classifier), e(d.scope), e(d.optional)
		d.systemPath = e(d.systemPath)
		if d.typ == "" {
			d.typ = "jar"
		}
		if len(d.exclusions) > 0 {
			d.exclusions = slices.Clone(d.exclusions)
			for i, x := range d.exclusions {
				d.exclusions[i] = exclusion{e(x.group), e(x.artifact)}
			}
		}
		if i, ok := index[d.key()]; ok && d.scope != "import" {
			out[i] = d // as Maven's normalizer: the last wins, in the first's place
			continue
		}
		index[d.key()] = len(out)
		out = append(out, d)
	}
	return out
}

// withProfiles is the body of one pom, of the project that is built or a parent of it, with its
// active profiles laid over it.
func (c *reader) withProfiles(r *rawModel, of builtProject) modelBody {
	body := r.body
	for _, p := range c.activeProfiles(r, of) {
		body = overlay(body, p.body)
	}
	return body
}

// inherit lays a child's body over its parent's.
func inherit(child, parent modelBody) modelBody {
	out := modelBody{props: map[string]string{}, modules: child.modules}
	for k, v := range parent.props {
		out.props[k] = v
	}
	for k, v := range child.props {
		out.props[k] = v
	}
	out.deps = mergeDeps(child.deps, parent.deps, false)
	out.managed = mergeDeps(child.managed, parent.managed, false)
	out.build = mergeBuild(child.build, parent.build, true)
	return out
}

// overlay lays a profile over the body of its pom.
func overlay(base, prof modelBody) modelBody {
	out := modelBody{props: map[string]string{}}
	for k, v := range base.props {
		out.props[k] = v
	}
	for k, v := range prof.props {
		out.props[k] = v
	}
	out.modules = filetree.Unique(append(slices.Clone(base.modules), prof.modules...))
	out.deps = mergeDeps(base.deps, prof.deps, true)
	out.managed = mergeDeps(base.managed, prof.managed, true)
	out.build = mergeBuild(prof.build, base.build, false)
	return out
}

// mergeDeps keeps the order of target, then what only source has; on equal
// keys source wins if it is dominant.
func mergeDeps(target, source []dependency, sourceWins bool) []dependency {
	if len(source) == 0 {
		return target
	}
	out := slices.Clone(target)
	index := map[string]int{}
	for i := range out {
		index[rawKey(&out[i])] = i
	}
	for _, d := range source {
		i, ok := index[rawKey(&d)]
		switch {
		case !ok:
			index[rawKey(&d)] = len(out)
			out = append(out, d)
		case sourceWins:
			out[i] = d
		}
	}
	return out
}

// rawKey is key before interpolation, with the default type filled in. BOM
// imports of one project in two versions stay apart only by project.
func rawKey(d *dependency) string {
	t := d.typ
	if t == "" {
		t = "jar"
	}
	return d.group + ":" + d.artifact + ":" + t + ":" + d.classifier
}

// mergeBuild lays dominant over recessive. With inheritance, plug-ins and
// executions that say <inherited>false</inherited> are not taken from
// recessive.
func mergeBuild(dominant, recessive buildModel, inheriting bool) buildModel {
	out := dominant
	for _, f := range []struct{ d, r *string }{
		{&out.sourceDir, &recessive.sourceDir}, {&out.testSourceDir, &recessive.testSourceDir},
		{&out.outputDir, &recessive.outputDir}, {&out.testOutputDir, &recessive.testOutputDir},
		{&out.directory, &recessive.directory}, {&out.finalName, &recessive.finalName},
	} {
		if *f.d == "" {
			*f.d = *f.r
		}
	}
	if !out.hasResources {
		out.resources, out.hasResources = recessive.resources, recessive.hasResources
	}
	out.filters = slices.Concat(recessive.filters, dominant.filters)
	if !out.hasTestResources {
		out.testResources, out.hasTestResources = recessive.testResources, recessive.hasTestResources
	}
	out.plugins = mergePlugins(dominant.plugins, recessive.plugins, inheriting)
	out.managed = mergePlugins(dominant.managed, recessive.managed, inheriting)
	return out
}

func mergePlugins(dominant, recessive []plugin, inheriting bool) []plugin {
	out := mergeOwnPlugins(dominant)
	for _, r := range recessive {
		if inheriting && !r.inherited {
			continue
		}
		if inheriting {
			r.executions = slices.DeleteFunc(slices.Clone(r.executions), func(e execution) bool { return !e.inherited })
		}
		i := slices.IndexFunc(out, func(p plugin) bool { return p.is(&r) })
		if i < 0 {
			out = append(out, r)
			continue
		}
		out[i] = mergePlugin(out[i], r)
	}
	return out
}

// mergeOwnPlugins folds repeated declarations of one plug-in in one pom.
func mergeOwnPlugins(list []plugin) []plugin {
	var out []plugin
	for _, p := range list {
		i := slices.IndexFunc(out, func(q plugin) bool { return q.is(&p) })
		if i < 0 {
			out = append(out, p)
		} else {
			out[i] = mergePlugin(p, out[i])
		}
	}
	return out
}

func mergePlugin(dominant, recessive plugin) plugin {
	out := dominant
	if out.version == "" {
		out.version = recessive.version
	}
	out.config = mergeConfig(dominant.config, recessive.config)
	out.executions = slices.Clone(dominant.executions)
	for _, r := range recessive.executions {
		i := slices.IndexFunc(out.executions, func(e execution) bool { return e.id == r.id })
		if i < 0 {
			out.executions = append(out.executions, r)
			continue
		}
		e := &out.executions[i]
		if e.phase == "" {
			e.phase = r.phase
		}
		e.goals = filetree.Unique(append(slices.Clone(e.goals), r.goals...))
		e.config = mergeConfig(e.config, r.config)
	}
	return out
}

// plugin returns the effective plug-in (its management merged in), nil where
// the model neither has nor manages it.
func (m *model) plugin(group, artifact string) *plugin {
	find := func(list []plugin) *plugin {
		for i := range list {
			if list[i].artifact == artifact && list[i].group == group {
				return &list[i]
			}
		}
		return nil
	}
	p, managed := find(mergeOwnPlugins(m.body.build.plugins)), find(mergeOwnPlugins(m.body.build.managed))
	switch {
	case p == nil:
		return managed
	case managed == nil:
		return p
	}
	merged := mergePlugin(*p, *managed)
	return &merged
}

// hasPlugin says whether the model uses (not only manages) the plug-in.
func (m *model) hasPlugin(group, artifact string) bool {
	return slices.ContainsFunc(m.body.build.plugins,
		func(p plugin) bool { return p.group == group && p.artifact == artifact })
}

// manage computes the effective dependency management (imports included) and
// applies it to the model's own dependencies, once. Workspace projects are
// managed when all of them are known, as one may import another.
func (c *reader) manage(m *model) {
	if m.managedBy != nil {
		return
	}
	m.managedBy = map[string]dependency{}
	put := func(d dependency) {
		if _, ok := m.managedBy[d.key()]; !ok {
			m.managedBy[d.key()] = d
			m.order = append(m.order, d.key())
		}
	}
	var imports []dependency
	for _, d := range m.body.managed {
		if d.scope == "import" && d.typ == "pom" {
			imports = append(imports, d)
		} else {
			put(d)
		}
	}
	for _, d := range imports {
		bom := c.importBOM(m, d)
		if bom == nil {
			continue
		}
		for _, k := range bom.order {
			x := bom.managedBy[k]
			if len(d.exclusions) > 0 {
				x.exclusions = append(slices.Clone(x.exclusions), d.exclusions...)
			}
			put(x)
		}
	}
	for i := range m.body.deps {
		d := &m.body.deps[i]
		x, ok := m.managedBy[d.key()]
		if !ok {
			continue
		}
		if d.version == "" {
			d.version = x.version
		}
		if d.scope == "" {
			d.scope = x.scope
		}
		if d.optional == "" {
			d.optional = x.optional
		}
		if d.systemPath == "" {
			d.systemPath = x.systemPath
		}
		if len(d.exclusions) == 0 {
			d.exclusions = x.exclusions
		}
	}
}

func (c *reader) importBOM(m *model, d dependency) *model {
	bom, err := c.projectModel(d.gav)
	if err != nil {
		m.missing = append(m.missing, missingItem{pomOf(d.gav, nil),
			fmt.Sprintf("the imported BOM %s: %s", d.gav, err)})
		return nil
	}
	c.manage(bom)
	return bom
}

// projectModel returns the effective model of a project: of the workspace
// where it is one of its modules, else from the local repository.
func (c *reader) projectModel(g gav) (*model, error) {
	if m := c.reactorModel(g); m != nil {
		return m, nil
	}
	key := g.String()
	if m, ok := c.repoModel[key]; ok {
		return m, nil
	}
	if g.version == "" {
		return nil, fmt.Errorf("no version is given")
	}
	if c.building[key] || len(c.building) > maxImportDepth {
		return nil, fmt.Errorf("imports form a cycle or are nested deeper than %d", maxImportDepth)
	}
	file, ok := c.find(g, "pom", "")
	if !ok {
		return nil, errors.New(noPom + c.repo)
	}
	raw, err := c.load(file)
	if err != nil {
		c.problem(workspace.Problem{Severity: workspace.Warning, Message: "cannot read the pom: " +
			filetree.Reason(err), File: file})
		return nil, fmt.Errorf("its pom %s cannot be read: %s", file, filetree.Reason(err))
	}
	c.building[key] = true
	m := c.effective(raw, false)
	c.manage(m)
	delete(c.building, key)
	c.repoModel[key] = m
	return m, nil
}

// reactorModel returns the workspace's own project of that name and version.
func (c *reader) reactorModel(g gav) *model {
	m := c.reactor[g.group+":"+g.artifact]
	if m != nil && (g.version == "" || m.version == g.version || strings.Contains(g.version, "${")) {
		return m
	}
	return nil
}
