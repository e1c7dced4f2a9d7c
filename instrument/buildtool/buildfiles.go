package buildtool

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
)

// This file knows the files that decide class paths.

// decidingGlobs are the files of a project's folder, beside its build files,
// that a build tool reads before it answers: version catalogs, locks, options
// and extensions of Maven, the wrapper's version.
var decidingGlobs = []string{
	"gradle/*.versions.toml", "gradle.lockfile", "*-gradle.lockfile", "gradle/dependency-locks/*.lockfile",
	"gradle/wrapper/gradle-wrapper.properties", "gradle/verification-metadata.xml",
	".mvn/*", ".mvn/wrapper/maven-wrapper.properties",
}

// IsBuildFile tells whether a change of a file can change what a build tool says
// of class paths, by its name and folder.
func IsBuildFile(path string) bool {
	name := filepath.Base(path)
	switch name {
	case "pom.xml", ".classpath", "build.xml", "gradle.properties", workspace.ConfigName:
		return true
	}
	switch filepath.Ext(name) {
	case ".gradle", ".iml":
		return true
	case ".kts":
		return strings.HasSuffix(name, ".gradle.kts")
	}
	parts := strings.Split(filepath.ToSlash(path), "/")
	for _, g := range decidingGlobs {
		n := strings.Count(g, "/") + 1
		if len(parts) < n {
			continue
		}
		if ok, _ := filepath.Match(g, strings.Join(parts[len(parts)-n:], "/")); ok {
			return true
		}
	}
	return false
}

// DecidingFiles are the files that decide the class paths of some modules: their
// build files, and what stands in their folders and in root. They are sorted and
// exist, build files aside.
func DecidingFiles(root string, modules []*workspace.Module) []string {
	files := map[string]bool{}
	dirs := map[string]bool{root: true}
	for _, m := range modules {
		dirs[m.Dir] = true
		for _, f := range m.BuildFiles {
			files[f] = true
			dirs[filepath.Dir(f)] = true // of a parent's
		}
	}
	for dir := range dirs {
		for _, g := range decidingGlobs {
			found, _ := filepath.Glob(filepath.Join(globQuote(dir), filepath.FromSlash(g)))
			for _, f := range found {
				if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() {
					files[f] = true
				}
			}
		}
	}
	return sortedKeys(files)
}

// globQuote makes a path a pattern that matches that path only. Windows has no
// escapes in patterns.
func globQuote(path string) string {
	if os.PathSeparator == '\\' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
