package testjdk

// This file finds artifacts in the local Maven repository.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// ArtifactList is the file, relative to the repository, of what tests may ask
// Artifact for; .ci/run fetches what it lists.
const ArtifactList = "scripts/maven-artifacts.txt"

// Artifact returns the path of a jar in the local Maven repository, named by
// its coordinates group:artifact:version or group:artifact:version:classifier.
// They must stand in ArtifactList, so that a fresh machine gets them. Without
// the jar the test fails when CI=true, and is skipped otherwise.
func Artifact(t testing.TB, coordinates string) string {
	t.Helper()
	path, err := ArtifactPath(coordinates)
	if err != nil {
		t.Fatal(err)
	}
	list, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	if !list[coordinates] {
		t.Fatalf("%s is not in %s", coordinates, ArtifactList)
	}
	if _, err := os.Stat(path); err != nil {
		Missing(t, "the Maven artifact %s in %s (scripts/maven-artifacts.sh fetches it)", coordinates,
			LocalRepository())
	}
	return path
}

// listed reads ArtifactList once per process.
var listed = sync.OnceValues(func() (map[string]bool, error) {
	root, err := RepositoryRoot()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(ArtifactList)))
	if err != nil {
		return nil, err
	}
	list := make(map[string]bool)
	for _, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list[line] = true
		}
	}
	return list, nil
})

// RepositoryRoot returns the folder of go.mod, looked for upwards from the
// working folder, which in a test is its package's.
func RepositoryRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod above %s", start)
		}
	}
}

// ArtifactPath returns where a jar stands in the local Maven repository,
// whether or not it is there.
func ArtifactPath(coordinates string) (string, error) {
	parts := strings.Split(coordinates, ":")
	if len(parts) < 3 || len(parts) > 4 {
		return "", fmt.Errorf("%q is not group:artifact:version[:classifier]", coordinates)
	}
	for _, p := range parts {
		if p == "" {
			return "", fmt.Errorf("%q has an empty part", coordinates)
		}
	}
	group, artifact, version := parts[0], parts[1], parts[2]
	name := artifact + "-" + version
	if len(parts) == 4 {
		name += "-" + parts[3]
	}
	groupPath := filepath.FromSlash(strings.ReplaceAll(group, ".", "/"))
	return filepath.Join(LocalRepository(), groupPath, artifact, version, name+".jar"), nil
}

// LocalRepository is the folder of the local Maven repository: M2_REPO, or
// Maven's default in the user's home.
func LocalRepository() string {
	if dir := os.Getenv("M2_REPO"); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return filepath.Join(".m2", "repository")
	}
	return filepath.Join(home, ".m2", "repository")
}
