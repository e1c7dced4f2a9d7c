package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"catchlens/analysis/snapshot"
	"catchlens/analysis/workspace"
	"catchlens/internal/sealed"
)

// This file keeps beside the results which call graphs have met a limit, so that the next
// process does not spend minutes on trying them again.

// metLasts is how long that is believed. What decides it (the class path, the JDK, settings, limits
// and this executable) is in the name of the file; only the workspace's own code is not, which may
// have become smaller.
const metLasts = 7 * 24 * time.Hour

const metPrefix = "too-much-"

// metFileOf is where it stands which call graph a workspace met a limit with.
func (s *Session) metFileOf(ws *workspace.Workspace, cfg snapshot.Config, l limits) string {
	return filepath.Join(s.folder, metPrefix+classPathKey(ws, cfg, l))
}

// classPathKey digests what decides, besides the workspace's own code, what an analysis finds of
// libraries: class path, JDK, settings and this executable, and what the caller says besides.
func classPathKey(ws *workspace.Workspace, cfg snapshot.Config, besides any) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%v\n%s\n", cfg.Studied, cfg.EntryPoints, besides, snapshot.Executable())
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

// recallMet finds out what met a limit in an earlier process, unless that is known. It is tried
// again where something else decides now.
func (s *Session) recallMet(ws *workspace.Workspace, cfg snapshot.Config) {
	r := &s.refiner
	r.mu.Lock()
	defer r.mu.Unlock()
	file := s.metFileOf(ws, cfg, r.limits)
	if file == r.metFile {
		return
	}
	r.metFile, r.tooMuch = file, 0
	info, err := os.Stat(file)
	if err != nil || time.Since(info.ModTime()) > metLasts {
		return
	}
	graph, err := sealed.Read(file, filepath.Base(file))
	if err != nil {
		return
	}
	r.tooMuch = slices.Index(snapshot.Refined, string(graph)) + 1
}

// keepMet keeps the last call graph that has met a limit, and forgets what is not believed
// any more.
func (s *Session) keepMet() {
	r := &s.refiner
	r.mu.Lock()
	file, n := r.metFile, r.tooMuch
	r.mu.Unlock()
	if file == "" || n == 0 {
		return
	}
	s.dropOld(metPrefix)
	if err := sealed.Write(file, filepath.Base(file), []byte(snapshot.Refined[n-1])); err != nil {
		s.log.Debug("what met a limit is not kept", "error", err)
	}
}

// dropOld removes files of the session's folder that begin with a prefix and have not been written
// for metLasts.
func (s *Session) dropOld(prefix string) {
	entries, _ := os.ReadDir(s.folder)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), prefix) &&
			time.Since(info.ModTime()) > metLasts {
			os.Remove(filepath.Join(s.folder, e.Name()))
		}
	}
}
