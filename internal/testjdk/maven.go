package testjdk

// This file finds artifacts in the local Maven repository.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Artifact returns the path of a jar in the local Maven repository, named by
// its coordinates group:artifact:version or group:artifact:version:classifier.
// Without it the test fails when CI=true, and is skipped otherwise.
func Artifact(t testing.TB, coordinates string) string {
	t.Helper()
	path, err := ArtifactPath(coordinates)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		Missing(t, "the Maven artifact %s in %s (scripts/maven-artifacts.sh fetches it)", coordinates, LocalRepository())
	}
	return path
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
