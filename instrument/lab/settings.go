package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file turns a module's test settings into what a worker needs.

// TestClasses are the top-level classes of a module's test outputs that its
// build would run, by binary name, in order. A class of JUnit 5 whose tests are
// all in @Nested classes counts for them; other nested classes are not run by
// themselves, as in Surefire, but where suites may name them. apart is how many are left out as
// integration tests.
func TestClasses(snap *snapshot.Snapshot, m *workspace.Module) (classes []string, apart int) {
	var with []*snapshot.Class
	for _, c := range snap.Classes() {
		if c.InTests && c.Module == m.CodeName() && snap.HasTests(c) {
			with = append(with, c)
		}
	}
	return selected(with, m)
}

// LeftTests are those that TestClasses would have, and that do not run as classes of their names in
// other modules are analysed; by says where the first of these is.
func LeftTests(snap *snapshot.Snapshot, m *workspace.Module) (classes []string, by string) {
	var with []*snapshot.Class
	of := map[string]string{}
	for _, c := range snap.LeftTests {
		if c.Module == m.CodeName() {
			with = append(with, &c.Class)
			top, _, _ := strings.Cut(strings.ReplaceAll(c.Name, "/", "."), "$")
			of[top] = c.By
		}
	}
	if classes, _ = selected(with, m); len(classes) > 0 {
		top, _, _ := strings.Cut(classes[0], "$")
		by = of[top]
	}
	return classes, by
}

// selected are those of a module's classes with tests that its build would run (TestClasses).
func selected(with []*snapshot.Class, m *workspace.Module) (classes []string, apart int) {
	found, left := map[string]bool{}, map[string]bool{}
	for _, c := range with {
		name := c.Name
		if c.Facts.Outer != "" && len(m.Test.SuiteFiles) == 0 {
			if !slices.Contains(c.Facts.Annotations, "org/junit/jupiter/api/Nested") {
				continue
			}
			name, _, _ = strings.Cut(name, "$")
		}
		if ok, _ := m.Test.Selects(name, ""); ok {
			found[strings.ReplaceAll(name, "/", ".")] = true
		} else if m.Test.LeavesToIntegration(name) {
			left[name] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), len(left)
}

func adapterOf(m *workspace.Module) agent.Adapter {
	switch m.Test.Framework {
	case workspace.JUnit3:
		return agent.JUnit3
	case workspace.JUnit4:
		return agent.JUnit4
	case workspace.TestNG:
		return agent.TestNG
	default:
		return agent.JUnitPlatform
	}
}

func hasJar(path []string, artifact string) bool {
	for _, p := range path {
		if strings.HasPrefix(filepath.Base(p), artifact) {
			return true
		}
	}
	return false
}

// copyPolicy leaves build outputs and other modules out of working copies; the
// class folders stay, as tests read them by relative paths, or are what we have compiled
// instead.
func copyPolicy(m *workspace.Module) worker.CopyPolicy {
	p := worker.CopyPolicy{Place: map[string]string{}}
	rel := func(path string) (string, bool) {
		r, err := filepath.Rel(m.Dir, path)
		return filepath.ToSlash(r), err == nil && r != "." && !strings.HasPrefix(r, "..")
	}
	outputs := slices.Concat(m.TestOutputs, m.MainOutputs)
	for _, d := range outputs {
		if r, ok := rel(d); ok {
			p.Keep = append(p.Keep, r)
		}
	}
	for _, d := range outputs {
		if r, ok := rel(m.StandsFor[d]); ok && !slices.Contains(p.Keep, r) && p.Place[r] == "" {
			p.Place[r] = d
		}
	}
	return p
}

// jdkKey names a JDK in the cache.
func jdkKey(m *workspace.Module) string {
	h := sha256.Sum256([]byte(fmt.Sprint(m.JDKHome, m.JDKVersion, plan.Version, faults.Text())))
	return hex.EncodeToString(h[:8])
}
