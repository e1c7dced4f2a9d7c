package session

import (
	"context"
	"strings"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
)

// This file keeps which settings of the JDK a workspace's libraries set (snapshot.LibrarySettings).
// A process that does not know has to make a call graph to find out, and then another one.

// buildAfter is snapshot.Build after p.built, or after what an earlier process found out of
// libraries with this call graph.
func (p *pipeline) buildAfter(ctx context.Context, ws *workspace.Workspace, cfg snapshot.Config,
	opt build.Options) (*snapshot.Snapshot, error) {
	if p.built != nil {
		return build.Snapshot(ctx, ws, cfg, opt, p.built)
	}
	key := classPathKey(ws, cfg, cfg.CallGraph)
	text, _ := p.kept.read(librarySettings, key)
	opt.LibrarySettings = strings.Fields(string(text))
	snap, err := build.Snapshot(ctx, ws, cfg, opt, nil)
	if err != nil {
		return nil, err
	}
	if now := snap.LibrarySettings(); len(now) > 0 || len(text) > 0 { // written again, it is not old
		p.kept.dropOld(librarySettings)
		p.kept.write(librarySettings, key, []byte(strings.Join(now, "\n")))
	}
	return snap, nil
}
