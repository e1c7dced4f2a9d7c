package session

import (
	"context"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/buildtool"
	"github.com/catchlens/catchlens/instrument/campaign"
	"github.com/catchlens/catchlens/instrument/lab"
)

// This file prepares test JVMs while the workspace is compiled and analysed.

// tellFound has test JVMs prepared for a workspace, once: what is missing later, a campaign makes.
func (p *pipeline) tellFound(ws *workspace.Workspace) {
	if !p.host.trusted() {
		return
	}
	select {
	case p.found <- ws:
	default:
	}
}

// prepareJVMs prepares test JVMs for the first workspace that is found. It runs no code of that,
// nor its build tool.
func (s *Session) prepareJVMs() {
	defer s.work.Done()
	select {
	case <-s.life.Done():
	case ws := <-s.pipe.found:
		s.guard.Run("preparing test JVMs", func() {
			campaign.Prepare(s.life, ws, lab.Options{CacheDir: s.cache,
				Launcher: func(_ context.Context, m *workspace.Module) ([]string, string, error) {
					jars, err := buildtool.LocalLauncher(m)
					return jars, "", err
				}})
		})
	}
}
