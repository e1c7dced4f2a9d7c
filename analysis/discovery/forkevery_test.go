package discovery

import (
	"testing"

	"github.com/catchlens/catchlens/internal/testfiles"
)

// Each class has a JVM of its own where Gradle forks after every one, however that is written; not
// where it forks after more, or never.
func TestForkEvery(t *testing.T) {
	for line, want := range map[string]bool{
		"forkEvery = 1": true, "forkEvery = 1L": true, "forkEvery 1l": true, "forkEvery(1L)": true,
		"setForkEvery(1)": true, "forkEvery.set(1)": true,
		"forkEvery = 0": false, "forkEvery = 2": false, "forkEvery = 10L": false, "setForkEvery(11)": false,
	} {
		m := openModule(t, testOptions(t), testfiles.Files{"src/main/java/p/A.java": "",
			"settings.gradle": "rootProject.name='p'",
			"build.gradle":    "apply plugin: 'java'\ntest { " + line + " }\n"}.In(t, t.TempDir()), "p")
		if m.Test.ForkPerClass != want {
			t.Errorf("%s: %v", line, m.Test.ForkPerClass)
		}
	}
}
