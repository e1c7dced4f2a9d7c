package session

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/workspace"
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
