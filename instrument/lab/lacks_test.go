package lab

import (
	"context"
	"errors"
	"slices"
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

// What is found is put on the class path, and what is done without is noted; without what tests
// need to run there is an error.
func TestFindLauncher(t *testing.T) {
	const has, found = "/r/junit-jupiter-api-5.13.4.jar", "/r/junit-platform-launcher-1.13.4.jar"
	gone := errors.New("gone")
	for _, x := range []struct {
		note string
		err  error
		want []string // notes
	}{{"", nil, nil}, {"one engine is left out", nil, []string{"m: one engine is left out"}}, {"", gone, nil}} {
		l := &Lab{Execution: Execution{Module: &workspace.Module{Name: "m"}}, adapter: agent.JUnitPlatform,
			classPath: []string{has}, Probes: &Probes{generated: newGeneratedCode()},
			options: Options{Launcher: func(context.Context, *workspace.Module) ([]string, string, error) {
				return []string{found}, x.note, x.err
			}}}
		err := l.findLauncher(t.Context())
		if notes := l.Notes(); !errors.Is(err, x.err) || !slices.Equal(notes, x.want) {
			t.Errorf("%+v: %v, notes %q", x, err, notes)
		}
		if added := slices.Equal(l.classPath, []string{has, found}); added != (x.err == nil) {
			t.Errorf("%+v: class path %q", x, l.classPath)
		}
	}
}
