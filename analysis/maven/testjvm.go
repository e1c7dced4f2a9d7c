package maven

// This file reads which JDK Surefire starts tests with, and says what it does that is not done
// here.

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/catchlens/catchlens/internal/filetree"
)

// testJDK is the JDK that an execution of Surefire asks for: the version of a toolchain
// (jdkToolchain), or the folder of the java that it names (jvm, an element or a property); "" where
// it leaves it open.
func (m *model) testJDK(x execution) (version, home string) {
	java := m.props.expand(cmp.Or(x.config.TextAt("jvm"), "${jvm}"))
	if strings.ContainsAny(java, `/\`) && !strings.Contains(java, "${") {
		bin := filepath.Dir(filetree.Abs(m.dir, java))
		if home = filepath.Dir(bin); filepath.Base(home) == "jre" {
			home = filepath.Dir(home)
		}
		return "", home
	}
	return m.props.expand(x.config.TextAt("jdkToolchain", "version")), ""
}

// notFollowed says what an execution of Surefire asks for and does not get here, a sentence each;
// first is the one whose JDK all of them run with.
func (m *model) notFollowed(x, first execution) (said []string) {
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	version, home := m.testJDK(x)
	if v, h := m.testJDK(first); v != version || h != home {
		jdk := "the JDK " + version
		if home != "" {
			jdk = "the Java of " + home
		} else if version == "" {
			jdk = "the JDK that it runs in"
		}
		say("the build runs the tests of %s with %s, and here they run with that of %s", x.id, jdk, first.id)
	}
	if deps := m.texts(x.config, "dependenciesToScan"); len(deps) > 0 {
		say("the build also runs tests that are in libraries (dependenciesToScan: %s), which are not run here",
			strings.Join(deps, ", "))
	}
	for _, element := range []string{"includeJUnit5Engines", "excludeJUnit5Engines"} {
		if engines := m.texts(x.config, element); len(engines) > 0 {
			say("the build picks engines of the JUnit Platform (%s: %s), and here all of them run", element,
				strings.Join(engines, ", "))
		}
	}
	for _, p := range x.config.KidsAt("properties") {
		if name := m.props.expand(p.TextAt("name")); name == "listener" {
			say("the build has its tests reported to %s, which does not happen here: a test that needs it may fail",
				m.props.expand(p.TextAt("value")))
		}
	}
	return said
}
