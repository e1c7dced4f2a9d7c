package testjdk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseFeature(t *testing.T) {
	for version, want := range map[string]int{
		"17.0.15": 17, "25": 25, "25-ea": 25, "1.8.0_402": 8, "9.0.1": 9, "1.5.0": 5,
	} {
		if got, err := parseFeature(version); err != nil || got != want {
			t.Errorf("parseFeature(%q) = %d, %v; want %d", version, got, err, want)
		}
	}
	for _, version := range []string{"", "x", "-1"} {
		if got, err := parseFeature(version); err == nil {
			t.Errorf("parseFeature(%q) = %d, want an error", version, got)
		}
	}
}

// fakeJDK makes a folder that looks like a JDK of the given version.
func fakeJDK(t *testing.T, version string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(Tool(home, "javac"), nil, 0o777); err != nil {
		t.Fatal(err)
	}
	if version != "" {
		text := "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n"
		if err := os.WriteFile(filepath.Join(home, "release"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func TestDiscover(t *testing.T) {
	newer, older := fakeJDK(t, "21.0.1"), fakeJDK(t, "1.8.0_402")
	link := filepath.Join(t.TempDir(), "default-java")
	if err := os.Symlink(newer, link); err != nil {
		t.Fatal(err)
	}
	noRelease, noVersion := fakeJDK(t, ""), fakeJDK(t, "none")
	got := discover([]string{newer, link, noRelease, noVersion, t.TempDir(), older, "/no/such/folder"})
	if len(got) != 2 || got[0].Feature != 8 || got[1].Feature != 21 {
		t.Fatalf("discover = %+v, want the JDKs 8 and 21, each once", got)
	}
	if got[0].Version != "1.8.0_402" {
		t.Errorf("version %q, want 1.8.0_402", got[0].Version)
	}
}

func TestCompilers(t *testing.T) {
	src := filepath.Join(t.TempDir(), "A.java")
	if err := os.WriteFile(src, []byte("class A { int f(int x) { return x; } }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for name, compiler := range map[string]Compiler{"javac": Javac, "ecj": ECJCompile} {
		t.Run(name, func(t *testing.T) {
			home := JDK(t, 17)
			for _, round := range []string{"fresh", "cached"} {
				out := filepath.Join(t.TempDir(), "new", "folder")
				compiler(t, home, 11, nil, out, src)
				class, err := os.ReadFile(filepath.Join(out, "A.class"))
				if err != nil {
					t.Fatal(round, err)
				}
				if major := int(class[6])<<8 | int(class[7]); major != 55 {
					t.Errorf("%s: class file version %d, want 55 (Java 11)", round, major)
				}
			}
		})
	}
}

func TestCompilationKeySeesItsInputs(t *testing.T) {
	home := fakeJDK(t, "17")
	dir := t.TempDir()
	src := filepath.Join(dir, "A.java")
	class := filepath.Join(t.TempDir(), "B.class")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(src, "class A {}")
	write(class, "1")
	key := func(options ...string) string {
		t.Helper()
		k, err := compilationKey([]string{"javac"}, home, options, []string{filepath.Dir(class), "/absent"},
			[]string{src})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first := key("-g")
	if key("-g") != first {
		t.Error("the same inputs give different keys")
	}
	if key("-g:none") == first {
		t.Error("options are not part of the key")
	}
	write(class, "2")
	second := key("-g")
	if second == first {
		t.Error("the class path's contents are not part of the key")
	}
	write(src, "class A { }")
	if key("-g") == second {
		t.Error("the sources are not part of the key")
	}
}

func TestArtifactPath(t *testing.T) {
	t.Setenv("M2_REPO", "repo")
	got, err := ArtifactPath("org.joda:joda-time:2.12.7:tests")
	want := filepath.FromSlash("repo/org/joda/joda-time/2.12.7/joda-time-2.12.7-tests.jar")
	if err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	for _, bad := range []string{"", "a:b", "a:b:c:d:e", "a::c"} {
		if _, err := ArtifactPath(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("ArtifactPath(%q): %v, want an error that names it", bad, err)
		}
	}
}

func TestListedArtifacts(t *testing.T) {
	list, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	if !list[ECJArtifact] {
		t.Errorf("%s does not list %s", ArtifactList, ECJArtifact)
	}
	for coordinates := range list {
		if _, err := ArtifactPath(coordinates); err != nil {
			t.Errorf("%s: %v", ArtifactList, err)
		}
	}
}
