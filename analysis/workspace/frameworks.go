package workspace

// This file says what the names of jars and of agents tell about how tests run.

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// FrameworksOn lists the test frameworks on a class path, by jar name.
func FrameworksOn(classPath []string) []Framework {
	var out []Framework
	add := func(f Framework) {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	for _, p := range classPath {
		name := filepath.Base(p)
		switch {
		case strings.HasPrefix(name, "junit-jupiter"), strings.HasPrefix(name, "junit-platform"),
			strings.HasPrefix(name, "junit-vintage"):
			add(JUnitPlatform)
		case strings.HasPrefix(name, "testng"):
			add(TestNG)
		case strings.HasPrefix(name, "junit-dep-"), strings.HasPrefix(name, "junit-"), name == "junit.jar":
			v := versionInName(strings.TrimPrefix(strings.TrimPrefix(name, "junit-dep"), "junit"))
			switch {
			case strings.HasPrefix(v, "3"):
				add(JUnit3)
			default:
				add(JUnit4)
			}
		case strings.HasPrefix(name, "junit4"):
			add(JUnit4)
		}
	}
	return out
}

// ChooseFramework is the framework that Surefire takes of those that are there: TestNG first,
// then the JUnit Platform, JUnit 4, JUnit 3.
func ChooseFramework(have []Framework) Framework {
	for _, f := range []Framework{TestNG, JUnitPlatform, JUnit4, JUnit3} {
		if slices.Contains(have, f) {
			return f
		}
	}
	return NoFramework
}

var (
	agentArg      = regexp.MustCompile(`^-(javaagent|agentpath|agentlib):`)
	coverageAgent = regexp.MustCompile(`(?i)jacoco|cobertura|openclover|clover|emma|intellij-coverage|opencover|pitest|kover|scoverage`)
)

// NamesCoverage tells whether a property or an argument names a coverage recorder.
func NamesCoverage(text string) bool { return coverageAgent.MatchString(text) }

// IsCoverageAgent says whether a JVM argument starts a coverage recorder: it
// would instrument the same classes as catchlens.
func IsCoverageAgent(arg string) bool {
	return agentArg.MatchString(arg) && NamesCoverage(arg)
}
