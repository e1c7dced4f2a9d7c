package discovery

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
)

// Filtered resources have the values of the build; what has none stays as it is.
func TestFilter(t *testing.T) {
	pom := func(more, config string) testfiles.Files {
		return testfiles.Files{"pom.xml": `<project><groupId>g</groupId><artifactId>p</artifactId><version>7</version>
<properties><a>${b}</a><b>x y</b></properties><build>` + more + `
<plugins><plugin><artifactId>maven-resources-plugin</artifactId><configuration>` + config +
			`</configuration></plugin></plugins></build></project>`,
			"src/main/java/p/A.java": "", "own.properties": "c = of file\nb = not the pom's\nd = ${project.version}\n"}
	}
	filters := "<filters><filter>own.properties</filter></filters>"
	for name, c := range map[string]struct {
		build            testfiles.Files
		file, text, want string
	}{
		"project":  {pom("", ""), "v.properties", "v=${project.artifactId}-${project.version}\n", "v=p-7\n"},
		"property": {pom("", ""), "v.properties", "${a}@b@", "x yx y"},
		"unknown":  {pom("", ""), "v.properties", "${no.such} @no.such@ ${b}", "${no.such} @no.such@ x y"},
		"no expressions": {pom("", ""), "v.txt", "me@b and you@b, ${, ${}, $b, @ b @",
			"me@b and you@b, ${, ${}, $b, @ b @"},
		"script":      {pom("", ""), "v.sh", "${b:-none} ${#b} ${b}", "${b:-none} ${#b} x y"},
		"filter file": {pom(filters, ""), "v.txt", "${c}/${b}/${d}", "of file/not the pom's/7"},
		"delimiters": {pom("", "<delimiters><delimiter>@</delimiter></delimiters>"+
			"<useDefaultDelimiters>false</useDefaultDelimiters>"), "v.yml", "@b@ ${b}", "x y ${b}"},
		"other delimiters": {pom("", "<delimiters><delimiter>[[*]]</delimiter></delimiters>"), "v.yml", "[[b]] ${b}",
			"x y x y"},
		"escaped": {pom("", `<escapeString>\</escapeString>`), "v.txt", `\${b} ${b}`, "${b} x y"},
		"picture": {pom("", ""), "v.png", "${b}", "${b}"},
		"extension": {pom("", "<nonFilteredFileExtensions><nonFilteredFileExtension>p12</nonFilteredFileExtension>"+
			"</nonFilteredFileExtensions>"), "v.p12", "${b}", "${b}"},
		"binary": {pom("", ""), "v.bin", "\x00${b}", "\x00${b}"},
	} {
		m := openModule(t, testOptions(t), c.build.In(t, t.TempDir()), "p")
		if got := string(m.Filter(c.file, []byte(c.text))); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := string((&workspace.Module{}).Filter("v.txt", []byte("${b}"))); got != "${b}" {
		t.Errorf("without a build: %q", got)
	}
}

// Resources that build-helper-maven-plugin adds are as those of the pom: with a folder of their
// own, patterns and filtering.
func TestAddedResources(t *testing.T) {
	execution := func(goal, resource string) string {
		return `<execution><id>` + goal + `</id><goals><goal>` + goal + `</goal></goals><configuration>` +
			`<resources><resource>` + resource + `</resource></resources></configuration></execution>`
	}
	pom := `<project><groupId>g</groupId><artifactId>p</artifactId><version>7</version><build><plugins><plugin>` +
		`<groupId>org.codehaus.mojo</groupId><artifactId>build-helper-maven-plugin</artifactId><executions>` +
		execution("add-resource", "<directory>conf</directory><targetPath>below</targetPath>") +
		execution("add-test-resource", "<directory>more</directory><filtering>true</filtering>"+
			"<includes><include>**/*.txt</include></includes><excludes><exclude>sub/**</exclude></excludes>") +
		execution("add-test-resource", "<directory>whole</directory>") +
		execution("add-resource", "<directory>src/main/resources</directory><targetPath>META-INF/x</targetPath>") +
		`</executions></plugin></plugins></build></project>`
	// Two executions with one id are one to Maven.
	for _, id := range []string{"add-resource", "add-test-resource"} {
		pom = strings.Replace(pom, "<id>"+id+"</id>", "<id>first "+id+"</id>", 1)
	}
	m := openModule(t, testOptions(t), testfiles.Files{"src/main/java/p/A.java": "", "conf/a": "", "more/a.txt": "",
		"src/main/resources/a.txt": "", "whole/a": "", "pom.xml": pom}.In(t, t.TempDir()), "p")
	// The default folder is copied as it is, and once more to where a set says.
	if len(m.ResourceSets) != 2 || m.ResourceSets[0].Target != "below" || m.ResourceSets[1].Target != "META-INF/x" ||
		len(m.Resources) != 1 || filepath.Base(m.Resources[0]) != "resources" {
		t.Errorf("sets %+v, folders %v", m.ResourceSets, m.Resources)
	}
	if len(m.TestResourceSets) != 1 || !m.TestResourceSets[0].Filtered || !m.TestResourceSets[0].Takes("b/a.txt") ||
		m.TestResourceSets[0].Takes("a.xml") || m.TestResourceSets[0].Takes("sub/a.txt") {
		t.Errorf("sets %+v", m.TestResourceSets)
	}
	if len(m.TestResources) != 1 || filepath.Base(m.TestResources[0]) != "whole" {
		t.Errorf("folders %v: that of a set is none that is copied whole", m.TestResources)
	}
}

func TestResourceSets(t *testing.T) {
	m := openModule(t, testOptions(t), testfiles.Files{"src/main/java/p/A.java": "", "src/main/resources/a.xml": "", "more/x.txt": "", "LICENSE": "", "pom.xml": `<project><groupId>g</groupId><artifactId>p</artifactId><version>7</version><build><resources>
<resource><directory>src/main/resources</directory><filtering>true</filtering><includes><include>**/*.properties</include></includes></resource>
<resource><directory>src/main/resources</directory><excludes><exclude>**/*.properties</exclude><exclude>drafts/</exclude></excludes></resource>
<resource><directory>${basedir}</directory><targetPath>META-INF</targetPath><includes><include>LICENSE*</include></includes></resource>
<resource><directory>more</directory></resource><resource><directory>gone</directory><filtering>true</filtering></resource>
<resource><directory>more</directory><targetPath>../out</targetPath></resource>
</resources></build></project>`}.In(t, t.TempDir()), "p")
	if len(m.ResourceSets) != 3 {
		t.Fatalf("%d sets: %+v", len(m.ResourceSets), m.ResourceSets)
	}
	for n, c := range []struct {
		target     string
		takes, not []string
	}{
		{"", []string{"a.properties", "b/c/a.properties"}, []string{"a.xml"}},
		{"", []string{"a.xml", "b/drafts.txt"}, []string{"b/a.properties", "drafts/a.xml", "drafts/b/c.txt"}},
		{"META-INF", []string{"LICENSE", "LICENSE.txt"}, []string{"pom.xml", "more/LICENSE"}},
	} {
		s := m.ResourceSets[n]
		if s.Target != c.target || s.Filtered != (n == 0) ||
			slices.ContainsFunc(c.takes, func(f string) bool { return !s.Takes(f) }) ||
			slices.ContainsFunc(c.not, s.Takes) {
			t.Errorf("set %d: %+v", n, s)
		}
	}
}
