package classpath

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/internal/testfiles"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// The names are those of the documentation of java.lang.module.ModuleFinder.of.
func TestAutomaticName(t *testing.T) {
	for jar, want := range map[string]string{
		"foo-bar.jar": "foo.bar", "foo-bar-1.2.3-SNAPSHOT.jar": "foo.bar", "foo-1.jar": "foo", "a__b..c-.jar": "a.b.c",
		"guava-33.0.0-jre.jar": "guava",
		"x-2b.jar":             "", "7zip.jar": "", "-1.0.jar": "", // a part of a name does not begin with a digit
	} {
		if got := automaticName(filepath.Join("lib", jar)); got != want {
			t.Errorf("%s: %q, want %q", jar, got, want)
		}
	}
}

// What a module needs on the module path is what it requires, directly or not, and who provides
// what is used.
func TestNeeded(t *testing.T) {
	dir := t.TempDir()
	testfiles.Files{"src/module-info.java": "module provider { provides s.S with s.S; exports s; }",
		"src/S.java": "package s; public class S {}", "plain/x.txt": "no module"}.In(t, dir)
	files := []string{filepath.Join(dir, "src", "module-info.java"), filepath.Join(dir, "src", "S.java")}
	provider := filepath.Join(dir, "provider")
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, provider, files...)
	plain := filepath.Join(dir, "plain")
	named := writeJar(t, filepath.Join(dir, "any-1.0.jar"),
		file{"META-INF/MANIFEST.MF", "Automatic-Module-Name: org.named\r\n\r\n"})
	again := writeJar(t, filepath.Join(dir, "other.jar"),
		file{"META-INF/MANIFEST.MF", "Automatic-Module-Name: org.named\r\n\r\n"})
	optional := writeJar(t, filepath.Join(dir, "optional-2.jar"), file{"a/B.class", class(t, "a/B")})
	path := []string{plain, optional, provider, named, again, filepath.Join(dir, "absent.jar")}
	root := &classfile.Module{Name: "root", Uses: []string{"s/S"}, Requires: []classfile.ModuleRequires{
		{Name: "java.base"}, {Name: "org.named"}, {Name: "optional", Flags: requiresStatic}}}
	for static, want := range map[bool][]string{false: {provider, named}, true: {optional, provider, named}} {
		got, err := Needed(root, path, 17, static)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("static %v: %q %v, want %q", static, got, err, want)
		}
	}
}
