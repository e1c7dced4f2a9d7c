package buildtool

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/testfiles"
)

// What a test class path lacks of the JUnit Platform is what Surefire adds: the launcher, and the
// engines for an API that is there without one. It is found in Maven's repository, in Gradle's
// cache, or in the folder of the jar that it goes with.
func TestLocalLauncher(t *testing.T) {
	t.Setenv("HOME", t.TempDir()) // which has no repository
	dir := t.TempDir()
	maven := func(group, artifact, version string) string {
		return filepath.Join("repository", filepath.Join(strings.Split(group, ".")...), artifact, version,
			artifact+"-"+version+".jar")
	}
	gradle := func(group, artifact, version string) string {
		return filepath.Join("files-2.1", group, artifact, version, "a"+artifact, artifact+"-"+version+".jar")
	}
	files := map[string]string{}
	for _, place := range []func(group, artifact, version string) string{maven, gradle,
		func(_, artifact, version string) string { return filepath.Join("lib", artifact+"-"+version+".jar") }} {
		for _, artifact := range []string{"commons", "engine", "launcher"} {
			files[place(platformGroup, "junit-platform-"+artifact, "1.13.4")] = ""
		}
		for _, artifact := range []string{"api", "engine", "params"} {
			files[place(jupiterGroup, "junit-jupiter-"+artifact, "5.13.4")] = ""
		}
		files[place(vintageGroup, "junit-vintage-engine", "5.13.4")] = ""
		files[place("junit", "junit", "4.13.2")] = ""
	}
	files[maven(platformGroup, "junit-platform-commons", "1.9.0")] = ""
	writeTree(t, dir, files)

	const launcher, platform = "junit-platform-launcher-1.13.4.jar", "junit-platform-engine-1.13.4.jar"
	const jupiter, vintage = "junit-jupiter-engine-5.13.4.jar", "junit-vintage-engine-5.13.4.jar"
	api := []string{"junit-jupiter-api-5.13.4.jar", "junit-platform-commons-1.13.4.jar"}
	for _, x := range []struct{ has, want []string }{
		{append(api, jupiter, platform), []string{launcher}},
		{api, []string{launcher, platform, jupiter}},
		{append(api, "junit-4.13.2.jar"), []string{launcher, platform, jupiter, vintage}},
		{append(api, "junit-4.13.2.jar", vintage, platform), []string{launcher, jupiter}},
		{append(api, "junit-4.13.2.jar", jupiter, platform), []string{launcher}},
		{append(api, launcher), []string{platform, jupiter}},
		{[]string{"junit-platform-commons-1.9.0.jar"}, nil}, // its launcher is nowhere
		{[]string{"junit-4.13.2.jar"}, nil},
	} {
		for _, root := range []string{"repository", "files-2.1", "lib"} {
			m := &workspace.Module{Name: "m", Dir: dir}
			for _, jar := range x.has {
				for path := range files {
					if strings.HasPrefix(path, root) && filepath.Base(path) == jar {
						m.TestClassPath = append(m.TestClassPath, filepath.Join(dir, path))
					}
				}
			}
			jars, err := LocalLauncher(m)
			var got []string
			for _, jar := range jars {
				if !strings.HasPrefix(jar, filepath.Join(dir, root)) {
					t.Errorf("%v below %s: found %s", x.has, root, jar)
				}
				got = append(got, filepath.Base(jar))
			}
			if !slices.Equal(got, x.want) || (err != nil) != (x.want == nil) {
				t.Errorf("%v below %s: %v, %v; want %v", x.has, root, got, err, x.want)
			}
		}
	}
}

// Gradle adds no engine. Where another engine is on the path, one that is found nowhere leaves the
// tests of the other as they are, and is told.
func TestLackingEngine(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir()) // no Maven
	const offer = "META-INF/services/org.junit.platform.engine.TestEngine"
	module := func(kind workspace.Kind, vintage string) *workspace.Module {
		dir := t.TempDir()
		m := &workspace.Module{Name: "m", Kind: kind, Dir: dir}
		for _, jar := range []string{"junit-4.13.2", "junit-platform-engine-1.10.2", "junit-platform-launcher-1.10.2",
			"junit-jupiter-api-5.10.2", "junit-vintage-engine-5.10.2"} {
			p := filepath.Join(dir, jar+".jar")
			entry := "x"
			if strings.HasPrefix(jar, "junit-vintage") {
				entry = vintage
			}
			testfiles.WriteJar(t, p, entry)
			m.TestClassPath = append(m.TestClassPath, p)
		}
		return m
	}
	jars, note, err := PlatformLauncher(context.Background(), module(workspace.Gradle, offer))
	if len(jars) > 0 || note != "" || err != nil {
		t.Errorf("Gradle: %v, %q, %v", jars, note, err)
	}
	maven := module(workspace.Maven, offer)
	jars, note, err = PlatformLauncher(context.Background(), maven)
	if len(jars) > 0 || !strings.Contains(note, "junit-jupiter-engine:5.10.2") || err != nil {
		t.Errorf("Maven: %v, %q, %v", jars, note, err)
	}
	if jars, err := LocalLauncher(maven); len(jars) > 0 || err != nil {
		t.Errorf("Maven, locally: %v, %v", jars, err)
	}
	none := module(workspace.Maven, "x") // no jar offers an engine
	if _, _, err := PlatformLauncher(context.Background(), none); err == nil {
		t.Error("no engine at all: no error")
	}
	if _, err := LocalLauncher(none); err == nil {
		t.Error("no engine at all, locally: no error")
	}
}
