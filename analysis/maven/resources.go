package maven

// This file reads which resources a Maven build copies, and what it replaces in them.

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/properties"
	"github.com/catchlens/catchlens/internal/xmltree"
)

// binaryResources are the extensions that Maven never filters.
var binaryResources = []string{"jpg", "jpeg", "gif", "bmp", "png"}

// isWhole tells whether the resource's folder is copied as it is, to where the classes are.
func (r pomResource) isWhole() bool {
	return !r.filtering && r.targetPath == "" && len(r.includes)+len(r.excludes) == 0
}

// resourceSets are the resources of a pom that are not copied as whole folders.
func (m *model) resourceSets(list []pomResource) (sets []workspace.ResourceSet) {
	for _, r := range list {
		dir := filetree.Abs(m.dir, m.props.expand(r.directory))
		filtered := r.filtering
		if r.directory == "" || r.isWhole() {
			continue
		}
		if filetree.Holds(dir, m.dir) && len(r.includes) == 0 || !filetree.IsDir(dir) {
			continue // the module as a whole
		}
		s := workspace.ResourceSet{Dir: dir, Filtered: filtered}
		if t := filepath.ToSlash(filepath.Clean(m.props.expand(r.targetPath))); t != "." {
			s.Target = strings.TrimPrefix(t, "/")
		}
		for _, p := range r.includes {
			s.Includes = append(s.Includes, m.props.expand(p))
		}
		for _, p := range r.excludes {
			s.Excludes = append(s.Excludes, m.props.expand(p))
		}
		if s.Target == "" || filepath.IsLocal(filepath.FromSlash(s.Target)) {
			sets = append(sets, s)
		}
	}
	return sets
}

// resourceFilter reads how Maven filters resources: by the properties of the build, and the files
// of its filters.
func (m *model) resourceFilter() *workspace.ResourceFilter {
	f := &workspace.ResourceFilter{Binary: slices.Clone(binaryResources)}
	var files []map[string]string
	for _, file := range m.body.build.filters {
		files = append(files, properties.Read(filetree.Abs(m.dir, m.props.expand(file))))
	}
	f.Lookup = func(key string) (string, bool) {
		for _, p := range slices.Backward(files) {
			if v, ok := p[key]; ok {
				return m.props.expand(v), true
			}
		}
		v := m.props.expand("${" + key + "}")
		return v, !strings.HasPrefix(v, "${"+key)
	}
	var cfg *xmltree.Node
	if p := m.plugin("org.apache.maven.plugins", "maven-resources-plugin"); p != nil {
		cfg = p.config
	}
	f.Escape = m.props.expand(cfg.TextAt("escapeString"))
	f.Binary = append(f.Binary, m.texts(cfg, "nonFilteredFileExtensions")...)
	for _, d := range m.texts(cfg, "delimiters") {
		begin, end, two := strings.Cut(d, "*")
		if !two {
			end = begin
		}
		f.Delimiters = append(f.Delimiters, [2]string{begin, end})
	}
	if cfg.TextAt("useDefaultDelimiters") != "false" {
		f.Delimiters = append(f.Delimiters, [2]string{"${", "}"}, [2]string{"@", "@"})
	}
	return f
}
