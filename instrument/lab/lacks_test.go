package lab

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/agent"
)

// A class path lacks the launcher, or an engine where only its API is there.
func TestLacksLauncher(t *testing.T) {
	const api, engine, launcher = "/r/junit-jupiter-api-5.13.4.jar", "/r/junit-jupiter-engine-5.13.4.jar",
		"/r/junit-platform-launcher-1.13.4.jar"
	for _, x := range []struct {
		adapter agent.Adapter
		kind    workspace.Kind
		path    []string
		want    bool
	}{
		{agent.JUnitPlatform, workspace.Maven, []string{api, engine}, true},
		{agent.JUnitPlatform, workspace.Maven, []string{api, launcher}, true},
		{agent.JUnitPlatform, workspace.Maven, []string{api, engine, launcher}, false},
		{agent.JUnitPlatform, workspace.Maven, []string{"/r/spock-core-2.3.jar", launcher}, false},
		{agent.JUnit4, workspace.Maven, []string{api}, false},
		{agent.JUnitPlatform, workspace.Gradle, []string{api, launcher}, false}, // Gradle adds no engine
		{agent.JUnitPlatform, workspace.Gradle, []string{api, engine}, true},
	} {
		if got := lacksLauncher(x.adapter, x.kind, x.path); got != x.want {
			t.Errorf("%s with %v: %v", x.adapter, x.path, got)
		}
	}
}
