package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
)

// This file remembers which call graphs have met a limit, so that the next process does not spend
// minutes on trying them again.

// classPathKey digests what decides, besides the workspace's own code, what an analysis finds of
// libraries: class path, JDK, settings and this executable, and what the caller says besides.
func classPathKey(ws *workspace.Workspace, cfg snapshot.Config, besides any) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%v\n%s\n", cfg.Studied, cfg.EntryPoints, besides, build.Executable())
	for _, m := range ws.Modules {
		fmt.Fprintf(sum, "%q %q\n", m.JDKHome, m.JDKVersion)
		for _, list := range [][]string{m.TestClassPath, m.RuntimeClassPath, m.ClassPath} {
			fmt.Fprintf(sum, "%q\n", standingFor(m, list))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// standingFor is a class path of a module with the build's class folders instead of those that we
// have compiled: which modules that are changes as the user edits and builds.
func standingFor(m *workspace.Module, list []string) []string {
	list = slices.Clone(list)
	for i, p := range list {
		if was := m.StandsFor[p]; was != "" {
			list[i] = was
		}
	}
	return slices.Compact(list)
}

// recallLimit finds out what met a limit in an earlier process, unless that is known. It is tried
// again where something else decides now, and when it is old.
func (p *pipeline) recallLimit(ws *workspace.Workspace, cfg snapshot.Config) {
	r := &p.refiner
	r.mu.Lock()
	defer r.mu.Unlock()
	key := classPathKey(ws, cfg, r.limits) // what decides it, but for the workspace's own code
	if key == r.limitKey {
		return
	}
	r.limitKey, r.tooMuch = key, 0
	if graph, age := p.kept.read(limitMet, key); graph != nil && age <= keptFor {
		r.tooMuch = slices.Index(snapshot.Refined, string(graph)) + 1
	}
}

// keepLimit keeps the last call graph that has met a limit, and forgets what is not believed any
// more.
func (p *pipeline) keepLimit() {
	r := &p.refiner
	r.mu.Lock()
	key, n := r.limitKey, r.tooMuch
	r.mu.Unlock()
	if key == "" || n == 0 {
		return
	}
	p.kept.dropOld(limitMet)
	p.kept.write(limitMet, key, []byte(snapshot.Refined[n-1]))
}
