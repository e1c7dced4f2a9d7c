package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Filtered resources have the values of the build; what has none stays as it is.
func TestFilter(t *testing.T) {
	pom := func(more, config string) files {
		return files{"pom.xml": `<project><groupId>g</groupId><artifactId>p</artifactId><version>7</version>
<properties><a>${b}</a><b>x y</b></properties><build>` + more + `
<plugins><plugin><artifactId>maven-resources-plugin</artifactId><configuration>` + config +
			`</configuration></plugin></plugins></build></project>`,
			"src/main/java/p/A.java": "", "own.properties": "c = of file\nb = not the pom's\nd = ${project.version}\n"}
	}
	filters := "<filters><filter>own.properties</filter></filters>"
	for name, c := range map[string]struct {
		build            files
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
		m := openModule(t, testOptions(t), c.build.in(t, t.TempDir()), "p")
		if got := string(m.Filter(c.file, []byte(c.text))); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := string((&Module{}).Filter("v.txt", []byte("${b}"))); got != "${b}" {
		t.Errorf("without a build: %q", got)
	}
}

func TestResourceSets(t *testing.T) {
	m := openModule(t, testOptions(t), files{"src/main/java/p/A.java": "", "src/main/resources/a.xml": "", "more/x.txt": "", "LICENSE": "", "pom.xml": `<project><groupId>g</groupId><artifactId>p</artifactId><version>7</version><build><resources>
<resource><directory>src/main/resources</directory><filtering>true</filtering><includes><include>**/*.properties</include></includes></resource>
<resource><directory>src/main/resources</directory><excludes><exclude>**/*.properties</exclude><exclude>drafts/</exclude></excludes></resource>
<resource><directory>${basedir}</directory><targetPath>META-INF</targetPath><includes><include>LICENSE*</include></includes></resource>
<resource><directory>more</directory></resource><resource><directory>gone</directory><filtering>true</filtering></resource>
<resource><directory>more</directory><targetPath>../out</targetPath></resource>
</resources></build></project>`}.in(t, t.TempDir()), "p")
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

// A resource that the build has not copied as it is now makes its class folder stale.
func TestResourcesChanged(t *testing.T) {
	dir := files{"res/a.txt": "a", "res/.hidden": "", "res/b.properties": "${x}", "out/a.txt": "a",
		"out/b.properties": "value"}.in(t, t.TempDir())
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	built := time.Now().Add(-time.Hour)
	for _, f := range []string{"res/a.txt", "res/b.properties"} {
		if err := os.Chtimes(in(f), built.Add(-time.Hour), built.Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(in("out/"+filepath.Base(f)), built, built); err != nil {
			t.Fatal(err)
		}
	}
	sets := []ResourceSet{{Dir: in("res"), Includes: []string{"*.properties"}, Filtered: true},
		{Dir: in("res"), Excludes: []string{"*.properties"}}}
	changed := func() bool { return resourcesChanged([]string{in("res")}, sets, []string{in("out")}) }
	if changed() {
		t.Error("nothing has changed")
	}
	touch := func(f, text string) {
		if err := os.WriteFile(in(f), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if touch("res/a.txt", "a"); changed() {
		t.Error("a file that was written anew, as it was, has changed")
	}
	if touch("res/a.txt", "b"); !changed() {
		t.Error("another text of the same size has not changed")
	}
	if touch("out/a.txt", "b"); changed() {
		t.Error("it is stale after the build")
	}
	if touch("res/b.properties", "${x}"); !changed() {
		t.Error("a filtered file that is newer than its copy is not stale")
	}
	if touch("out/b.properties", "w"); changed() {
		t.Error("a filtered file is stale after the build")
	}
	if touch("res/c.txt", "c"); !changed() {
		t.Error("a file that is not in the class folder is not stale")
	}
}

func FuzzFilter(f *testing.F) {
	f.Add([]byte("a=${b}\n@b@ \\${b} [[b]] ${${b}} @"), "b")
	f.Fuzz(func(t *testing.T, text []byte, value string) {
		filter := &ResourceFilter{Delimiters: [][2]string{{"${", "}"}, {"@", "@"}, {"[[", "]]"}}, Escape: `\`,
			Lookup: func(key string) (string, bool) { return value, key == "b" }}
		m := &Module{ResourceFolders: ResourceFolders{ResourceFilter: filter}}
		if got := m.Filter("a.txt", text); value == "${b}" && len(got) > 8*len(text)+8 {
			t.Errorf("%d bytes of %d", len(got), len(text))
		}
	})
}
