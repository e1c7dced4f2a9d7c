package session

import (
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/sealed"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// trusting is a host that trusts or does not.
type trusting struct {
	host
	is bool
}

func (t trusting) trusted() bool { return t.is }

// Test JVMs are prepared for a workspace once it is trusted, once, and where a run follows alone.
func TestPreparesOnlyForRuns(t *testing.T) {
	ws := &workspace.Workspace{}
	p := &pipeline{host: trusting{}, found: make(chan *workspace.Workspace, 1)}
	if p.tellFound(ws); len(p.found) != 0 {
		t.Error("JVMs are prepared for a workspace that is not trusted")
	}
	p.host = trusting{is: true}
	p.tellFound(ws)
	p.tellFound(ws) // does not wait
	if len(p.found) != 1 || <-p.found != ws {
		t.Error("no JVM is prepared for a workspace that is trusted")
	}
	p.found = nil
	p.tellFound(ws) // does not wait for anybody
}

// What test JVMs need is there before any test was asked to run, where one is said to follow.
func TestPreparesBesideAnalysis(t *testing.T) {
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	other, _, _ := opened(t, true)
	cache := t.TempDir() // that of other tests has everything
	s, err := Open(other.roots, Options{CacheDir: cache, Trusted: true, RunFollows: true, Once: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Reload(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, files := range []string{"agent/agent-*.jar", "probed/*/base/java.base.bundle"} {
		eventually(t, files+" is made", func() bool {
			made, _ := filepath.Glob(filepath.Join(cache, filepath.FromSlash(files)))
			return len(made) == 1 && sealed.CheckFile(made[0]) == nil
		})
	}
}
