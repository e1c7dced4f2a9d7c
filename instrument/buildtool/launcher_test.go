package buildtool

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
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
		{api, []string{launcher, jupiter, platform}},
		{append(api, "junit-4.13.2.jar"), []string{launcher, jupiter, vintage, platform}},
		{append(api, "junit-4.13.2.jar", vintage, platform), []string{launcher, jupiter}},
		{append(api, "junit-4.13.2.jar", jupiter, platform), []string{launcher}},
		{append(api, launcher), []string{jupiter, platform}},
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
