package buildtool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/catchlens/catchlens/analysis/workspace"
)

// This file finds the JUnit Platform launcher that goes with a class path.

var engineJar = regexp.MustCompile(`^junit-platform-(?:engine|commons)-(.+)\.jar$`)

// PlatformLauncher returns the jar of the JUnit Platform launcher of the version
// that the module's test class path has the engine of: build tools add it
// themselves when they run tests. It is looked for in the local Maven
// repository and in Gradle's cache, beside the engine; what is not there is
// fetched by Maven. The error names the artifact and the way out.
func PlatformLauncher(ctx context.Context, m *workspace.Module) (string, error) {
	version, places := launcherPlaces(m)
	if version == "" {
		return "", fmt.Errorf("module %s has no JUnit Platform on its test class path", m.Name)
	}
	if jar := firstFile(places); jar != "" {
		return jar, nil
	}
	tool, err := findTool(m.Dir, m.Dir, "mvnw", "mvn")
	if err == nil {
		err = runTool(ctx, ResolveOptions{}.withDefaults(), m.Dir, nil, tool, "-B", "-q", "dependency:get",
			"-Dartifact="+launcherGroup+":"+launcherArtifact+":"+version, "-Dtransitive=false")
	}
	if err == nil {
		if jar := firstFile(places); jar != "" {
			return jar, nil
		}
	}
	return "", fmt.Errorf("%s:%s:%s is needed to run the tests of %s and was not found (%v); add it to the test "+
		"dependencies", launcherGroup, launcherArtifact, version, m.Name, err)
}

// LocalLauncher is PlatformLauncher without Maven.
func LocalLauncher(m *workspace.Module) (string, error) {
	_, places := launcherPlaces(m)
	if jar := firstFile(places); jar != "" {
		return jar, nil
	}
	return "", fmt.Errorf("module %s has no JUnit Platform launcher nearby", m.Name)
}

const launcherGroup, launcherArtifact = "org.junit.platform", "junit-platform-launcher"

// launcherPlaces are where the launcher of a module's JUnit Platform may be, and its version; "" if
// the module has none.
func launcherPlaces(m *workspace.Module) (version string, places []string) {
	engine := ""
	for _, p := range m.FullTestClassPath() {
		if g := engineJar.FindStringSubmatch(filepath.Base(p)); g != nil {
			version, engine = g[1], p
			break
		}
	}
	if version == "" {
		return "", nil
	}
	const artifact = launcherArtifact
	name := artifact + "-" + version + ".jar"
	places = []string{
		filepath.Join(filepath.Dir(engine), name),                                // a lib folder
		filepath.Join(filepath.Dir(engine), "..", "..", artifact, version, name), // Maven's repository
	}
	if found, _ := filepath.Glob(filepath.Join(filepath.Dir(engine), "..", "..", "..", artifact, version, "*",
		name)); len(found) > 0 {
		places = append(places, found...) // Gradle's cache has a folder for each hash
	}
	if home, err := os.UserHomeDir(); err == nil {
		places = append(places, filepath.Join(home, ".m2", "repository", "org", "junit", "platform", artifact, version,
			name))
	}
	return version, places
}

// firstFile is the first of some paths that is a file; "" if none is.
func firstFile(paths []string) string {
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			return filepath.Clean(p)
		}
	}
	return ""
}
