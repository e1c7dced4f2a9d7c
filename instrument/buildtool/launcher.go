package buildtool

import (
	"archive/zip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
)

// This file finds what a test class path lacks of the JUnit Platform: what build tools add
// themselves when they run tests.

// platformJar is an artifact of JUnit's, and a jar of the class path in whose repository, or
// folder, it may be.
type platformJar struct {
	group, artifact, version string
	beside                   foundJar
	spare                    bool // an engine, and another one can run tests
}

// foundJar is an artifact that is on a class path.
type foundJar struct{ path, group, version string }

const (
	platformGroup = "org.junit.platform"
	jupiterGroup  = "org.junit.jupiter"
	vintageGroup  = "org.junit.vintage"
)

// versionOf is the version in the name of an artifact's jar: a digit follows the artifact.
var versionOf = regexp.MustCompile(`^(.+?)-([0-9].*)\.jar$`)

// PlatformLauncher returns the jars of the JUnit Platform that the module's test class path lacks:
// the launcher of the version that it has the engine of, and, where it has the API of JUnit Jupiter
// without its engine, that engine, with what it needs. Surefire adds the same (its
// JUnitPlatformProviderInfo): also the engine of JUnit 4's tests, if JUnit 4 is there. Gradle adds
// no engine, and a module of its gets none. They are looked for in the local Maven repository and
// in Gradle's cache, beside what is there; what is in neither is fetched by Maven. The error names
// the artifact and the way out. Where another engine is there to run tests, an engine that is not
// found is told in the note instead.
func PlatformLauncher(ctx context.Context, m *workspace.Module) (jars []string, note string, err error) {
	lacking := lackingJars(m)
	if lacking == nil {
		return nil, "", fmt.Errorf("module %s has no JUnit Platform on its test class path", m.Name)
	}
	for _, a := range lacking {
		switch jar, err := a.fetch(ctx, m); {
		case err == nil:
			jars = append(jars, jar)
		case !a.spare:
			return nil, "", err
		case note == "":
			note = "tests of one engine are left out: " + err.Error()
		}
	}
	return jars, note, nil
}

// LocalLauncher is PlatformLauncher without Maven.
func LocalLauncher(m *workspace.Module) (jars []string, err error) {
	lacking := lackingJars(m)
	for _, a := range lacking {
		if jar := firstFile(a.places()); jar != "" {
			jars = append(jars, jar)
		} else if !a.spare {
			return nil, fmt.Errorf("module %s has no %s nearby", m.Name, a.artifact)
		}
	}
	if lacking == nil {
		return nil, fmt.Errorf("module %s has no JUnit Platform on its test class path", m.Name)
	}
	return jars, nil
}

// lackingJars are the artifacts that a module's test class path lacks; nil if it has nothing of the
// JUnit Platform.
func lackingJars(m *workspace.Module) []platformJar {
	has := map[string]foundJar{}
	for _, p := range m.FullTestClassPath() {
		g := versionOf.FindStringSubmatch(filepath.Base(p))
		if g == nil {
			continue
		}
		found := foundJar{path: p, group: jupiterGroup, version: g[2]}
		if strings.HasPrefix(g[1], "junit-platform-") {
			found.group = platformGroup
		}
		if _, there := has[g[1]]; !there {
			has[g[1]] = found
		}
	}
	platform, isThere := has["junit-platform-engine"]
	if !isThere {
		platform, isThere = has["junit-platform-commons"]
	}
	if !isThere {
		return nil
	}
	lacking := []platformJar{}
	spare := false
	add := func(group, artifact string, of foundJar) {
		if _, there := has[artifact]; !there {
			lacking = append(lacking, platformJar{group, artifact, of.version, of, spare})
		}
	}
	add(platformGroup, "junit-platform-launcher", platform)
	add(platformGroup, "junit-platform-engine", platform)
	_, engineIsThere := has["junit-jupiter-engine"]
	if api, there := has["junit-jupiter-api"]; there && !engineIsThere && m.Kind != workspace.Gradle {
		spare = slices.ContainsFunc(m.FullTestClassPath(), isEngine)
		add(jupiterGroup, "junit-jupiter-engine", api)
		if _, four := has["junit"]; four {
			add(vintageGroup, "junit-vintage-engine", api)
		}
	}
	return lacking
}

// engineService is the file by which a jar offers an engine to the JUnit Platform's launcher.
const engineService = "META-INF/services/org.junit.platform.engine.TestEngine"

// isEngine tells whether a jar or class folder offers the JUnit Platform an engine.
func isEngine(path string) bool {
	if filepath.Ext(path) != ".jar" {
		return firstFile([]string{filepath.Join(path, filepath.FromSlash(engineService))}) != ""
	}
	z, err := bounded.OpenZip(path)
	if err != nil {
		return false
	}
	defer z.Close()
	return slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == engineService })
}

// fetch returns the artifact's jar: one that is there, or one that Maven fetches for a module.
func (a platformJar) fetch(ctx context.Context, m *workspace.Module) (string, error) {
	if jar := firstFile(a.places()); jar != "" {
		return jar, nil
	}
	coordinates := a.group + ":" + a.artifact + ":" + a.version
	tool, err := findTool(m.Dir, m.Dir, "mvnw", "mvn")
	if err == nil {
		err = runTool(ctx, ResolveOptions{}.withDefaults(), m.Dir, nil, tool, "-B", "-q", "dependency:get",
			"-Dartifact="+coordinates, "-Dtransitive=false")
	}
	if err == nil {
		if jar := firstFile(a.places()); jar != "" {
			return jar, nil
		}
	}
	return "", fmt.Errorf("%s is needed to run the tests of %s and was not found (%v); add it to the test dependencies",
		coordinates, m.Name, err)
}

// places are where the artifact may be.
func (a platformJar) places() []string {
	name := a.artifact + "-" + a.version + ".jar"
	folder := filepath.Dir(a.beside.path)
	inMaven := func(repository string) string {
		return filepath.Join(repository, filepath.Join(strings.Split(a.group, ".")...), a.artifact, a.version, name)
	}
	up := strings.Repeat("../", 2+len(strings.Split(a.beside.group, "."))) // of version, artifact and group
	places := []string{filepath.Join(folder, name), inMaven(filepath.Join(folder, up))}
	if found, _ := filepath.Glob(filepath.Join(folder, "../../../..", a.group, a.artifact, a.version, "*",
		name)); len(found) > 0 {
		places = append(places, found...) // Gradle's cache has a folder for each hash
	}
	if home, err := os.UserHomeDir(); err == nil {
		places = append(places, inMaven(filepath.Join(home, ".m2", "repository")))
	}
	return places
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
