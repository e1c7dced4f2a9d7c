// Package testjdk gives tests the JDKs, Java compilers and Maven artifacts of
// the machine they run on, and nothing else: it finds, it never downloads.
//
// What a test asks for and the machine lacks is a skip on a developer's
// machine and a failure where the environment says CI=true, so that a
// continuous-integration run cannot lose a test silently. `.ci/run` installs
// everything that the repository's tests ask for.
//
// Where JDKs are looked for, in this order; a JDK seen twice counts once:
//
//  1. CATCHLENS_TEST_JDKS, homes separated by the path list separator
//  2. JAVA_HOME
//  3. the home that `javac` on PATH belongs to
//  4. the folders of /usr/lib/jvm (and of /Library/Java/JavaVirtualMachines,
//     below Contents/Home)
//
// A folder is a JDK when it has bin/javac and a `release` file that states
// JAVA_VERSION.
//
// Compilations are kept in the user's cache folder, keyed by the compiler, the
// options, the class path's contents and the sources, because starting javac
// is what most tests that need Java would otherwise spend their time on.
// CATCHLENS_TEST_CACHE=off turns that off.
package testjdk

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// An Installation is one JDK of this machine.
type Installation struct {
	Home    string // its folder, symbolic links resolved
	Feature int    // 8, 17, 25, ...
	Version string // JAVA_VERSION of its release file, such as 17.0.15 or 1.8.0_402
}

// JDK returns the home of a JDK with the given feature number. Without one it
// fails the test when CI=true, and skips it otherwise.
func JDK(t testing.TB, feature int) string {
	t.Helper()
	for _, j := range installations() {
		if j.Feature == feature {
			return j.Home
		}
	}
	Missing(t, "a JDK %d (looked in CATCHLENS_TEST_JDKS, JAVA_HOME, PATH and /usr/lib/jvm; found %s)", feature, found())
	return ""
}

// AtLeast returns the home of the oldest JDK whose feature number is at least
// the given one, under the same rule as JDK when there is none.
func AtLeast(t testing.TB, feature int) string {
	t.Helper()
	for _, j := range installations() {
		if j.Feature >= feature {
			return j.Home
		}
	}
	Missing(t, "a JDK of at least %d (found %s)", feature, found())
	return ""
}

// All returns the homes of all JDKs found, oldest first. None at all fails the
// test when CI=true, and skips it otherwise.
func All(t testing.TB) []string {
	t.Helper()
	var homes []string
	for _, j := range installations() {
		homes = append(homes, j.Home)
	}
	if len(homes) == 0 {
		Missing(t, "a JDK")
	}
	return homes
}

// Feature returns the feature number of the JDK at home: 8, 17, 25.
func Feature(t testing.TB, home string) int {
	t.Helper()
	j, err := inspect(home)
	if err != nil {
		t.Fatal(err)
	}
	return j.Feature
}

// Missing ends a test that needs what this machine does not have: it fails the
// test when CI=true, and skips it otherwise.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	what := fmt.Sprintf(format, args...)
	if os.Getenv("CI") == "true" {
		t.Fatalf("this machine lacks %s; make test sets up what tests need", what)
	}
	t.Skipf("needs %s; make test sets up what tests need", what)
}

// Tool returns the path of a program in a JDK's bin folder.
func Tool(home, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(home, "bin", name)
}

// installations finds the JDKs once per process, oldest feature first; JDKs of
// the same feature stay in the order in which they were found.
var installations = sync.OnceValue(func() []Installation {
	return discover(candidates())
})

// discover keeps the JDKs among the candidate folders, each once.
func discover(candidates []string) []Installation {
	seen := make(map[string]bool)
	var all []Installation
	for _, c := range candidates {
		j, err := inspect(c)
		if err != nil || seen[j.Home] {
			continue
		}
		seen[j.Home] = true
		all = append(all, j)
	}
	sort.SliceStable(all, func(i, k int) bool { return all[i].Feature < all[k].Feature })
	return all
}

// candidates lists the folders that may be JDK homes, most preferred first.
func candidates() []string {
	list := filepath.SplitList(os.Getenv("CATCHLENS_TEST_JDKS"))
	if h := os.Getenv("JAVA_HOME"); h != "" {
		list = append(list, h)
	}
	if p, err := exec.LookPath("javac"); err == nil {
		if p, err = filepath.EvalSymlinks(p); err == nil {
			list = append(list, filepath.Dir(filepath.Dir(p)))
		}
	}
	for _, pattern := range []string{"/usr/lib/jvm/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home"} {
		found, _ := filepath.Glob(pattern) // the patterns are well formed
		list = append(list, found...)
	}
	return list
}

// inspect reads what the folder says about itself, and errs when it is no JDK.
func inspect(home string) (Installation, error) {
	real, err := filepath.EvalSymlinks(home)
	if err != nil {
		return Installation{}, err
	}
	if _, err := os.Stat(Tool(real, "javac")); err != nil {
		return Installation{}, fmt.Errorf("%s is no JDK: %w", home, err)
	}
	file := filepath.Join(real, "release")
	text, err := os.ReadFile(file)
	if err != nil {
		return Installation{}, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		value, ok := strings.CutPrefix(line, "JAVA_VERSION=")
		if !ok {
			continue
		}
		version := strings.Trim(strings.TrimSpace(value), `"`)
		feature, err := parseFeature(version)
		if err != nil {
			return Installation{}, fmt.Errorf("%s: %w", file, err)
		}
		return Installation{Home: real, Feature: feature, Version: version}, nil
	}
	return Installation{}, fmt.Errorf("%s states no JAVA_VERSION", file)
}

// parseFeature takes the feature number from a version string of JEP 223
// (17.0.15, 25-ea) or of the older form (1.8.0_402).
func parseFeature(version string) (int, error) {
	rest := strings.TrimPrefix(version, "1.")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		rest = rest[:end]
	}
	n, err := strconv.Atoi(rest)
	if err != nil {
		return 0, fmt.Errorf("no feature number in version %q", version)
	}
	return n, nil
}

// found names the JDKs of this machine, for messages.
func found() string {
	var names []string
	for _, j := range installations() {
		names = append(names, fmt.Sprintf("%d at %s", j.Feature, j.Home))
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
