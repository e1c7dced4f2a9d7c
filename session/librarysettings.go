package session

import (
	"context"
	"path/filepath"
	"strings"

	"catchlens/analysis/snapshot"
	"catchlens/analysis/workspace"
	"catchlens/internal/sealed"
)

// This file keeps which settings of the JDK a workspace's libraries set (snapshot.LibrarySettings).
// A process that does not know has to make a call graph to find out, and then another one.

const librarySettingsPrefix = "library-settings-"

// buildAfter is snapshot.Build after s.built, or after what an earlier process found out of
// libraries with this call graph.
func (s *Session) buildAfter(ctx context.Context, ws *workspace.Workspace, cfg snapshot.Config,
	opt snapshot.Options) (*snapshot.Snapshot, error) {
	if s.built != nil {
		return snapshot.Build(ctx, ws, cfg, opt, s.built)
	}
	file := filepath.Join(s.folder, librarySettingsPrefix+classPathKey(ws, cfg, cfg.CallGraph))
	text, _ := sealed.Read(file, filepath.Base(file))
	opt.LibrarySettings = strings.Fields(string(text))
	snap, err := snapshot.Build(ctx, ws, cfg, opt, nil)
	if err != nil {
		return nil, err
	}
	if now := snap.LibrarySettings(); len(now) > 0 || len(text) > 0 { // written again, it is no old file (dropOld)
		s.dropOld(librarySettingsPrefix)
		if err := sealed.Write(file, filepath.Base(file), []byte(strings.Join(now, "\n"))); err != nil {
			s.log.Debug("settings of libraries are not kept", "error", err)
		}
	}
	return snap, nil
}
