package build

import (
	"maps"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/test/scratch"
)

// Classes that text files of the resources name are found, whatever the files look like; what
// people read names none.
func TestNamedClasses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.properties":            "handler=p.InProperties\nother=p.Missing",
		"b.xml":                   `<bean class="p.InXML"/><bean class="p.Outer$Inner"/>`,
		"META-INF/services/p.Spi": "# p.InComment, too\np.InService # text",
		"c.factories":             "p.Key=\\\np.First,p.Second",
		"package.html":            "see p.InDocument",
		"d.class":                 "p.InClass",
		"e.bin":                   "\x00p.InBinary",
		"f.txt":                   "Ends with p.AtEnd.",
	} {
		scratch.Write(t, dir+"/"+name, text)
	}
	s := newBuilder(&snapshot.Snapshot{})
	p := s.Program
	p.ByName = map[string]*snapshot.Class{}
	for _, n := range []string{"InProperties", "InXML", "Outer$Inner", "InComment", "InService", "First",
		"InSet", "Second", "InDocument", "InClass", "InBinary", "AtEnd", "Unnamed"} {
		p.ByName["p/"+n] = &snapshot.Class{}
	}
	filtered := t.TempDir()
	scratch.Write(t, filtered+"/g.properties", "handler=p.InSet")
	m := &workspace.Module{Dir: t.TempDir()}
	m.Resources = []string{dir, dir + "/gone"}
	m.TestResourceSets = []workspace.ResourceSet{{Dir: filtered, Filtered: true}}
	s.Workspace = &workspace.Workspace{Modules: []*workspace.Module{m}}
	want := []string{
		"p/AtEnd",
		"p/First",
		"p/InComment",
		"p/InProperties",
		"p/InService",
		"p/InSet",
		"p/InXML",
		"p/Outer$Inner",
		"p/Second",
	}
	if got := s.namedClasses(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v of %v", got, want, slices.Sorted(maps.Keys(p.ByName)))
	}
}
