package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"catchlens/analysis/workspace"
	"catchlens/codelens"
	"catchlens/internal/sandbox"
	"catchlens/session"
)

type doctorCmd struct {
	Dir   string `arg:"" optional:"" default:"." type:"path" help:"The workspace."`
	Cache string `type:"path" help:"Cache folder instead of the user's own." placeholder:"DIR"`
}

// Run says what is found and what is missing. It reads files only.
func (c *doctorCmd) Run(ctx context.Context) error {
	if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: no such folder", c.Dir)
	}
	ws, err := workspace.Open(ctx, []string{c.Dir}, workspace.Options{})
	if err != nil {
		return err
	}
	say := func(format string, args ...any) { fmt.Println(codelens.Plain(fmt.Sprintf(format, args...), false)) }
	say("catchlens %s", version)
	if cache, err := session.CacheDir(c.Cache); err == nil {
		say("cache: %s", cache)
	} else {
		say("cache: %v", err)
	}
	confined := sandbox.Available()
	say("confinement of test JVMs: %s, %s", confined.Kind, confined.Why)
	say("")
	say("JDKs, best first:")
	for _, j := range ws.JDKs {
		kind := "JDK"
		if !j.HasCompiler {
			kind = "JRE (no compiler)"
		}
		say("  %-12s %s  %s, found by %s", j.Version, j.Home, kind, j.FoundBy)
	}
	if len(ws.JDKs) == 0 {
		say("  none: set JAVA_HOME")
	}
	missing := 0
	for _, m := range ws.Modules {
		say("")
		missing += doctorModule(say, ws, m)
	}
	if len(ws.Modules) == 0 {
		say("")
		say("no Java module was found in %s", ws.Root)
		missing++
	}
	for _, p := range ws.Problems {
		place := p.File
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d", p.File, p.Line)
		}
		say("%s: %s: %s", p.Severity, place, p.Message)
	}
	if missing > 0 {
		return errors.New("something is missing: see above")
	}
	return nil
}

func doctorModule(say func(string, ...any), ws *workspace.Workspace, m *workspace.Module) (missing int) {
	rel := func(paths []string) string {
		var out []string
		for _, p := range paths {
			if r, err := filepath.Rel(ws.Root, p); err == nil && !strings.HasPrefix(r, "..") {
				p = r
			}
			out = append(out, p)
		}
		if len(out) == 0 {
			return "none"
		}
		return strings.Join(out, ", ")
	}
	say("module %s (%s)", m.Name, m.Kind)
	say("  sources:     %s; tests: %s", rel(m.MainSources), rel(m.TestSources))
	say("  classes:     %s; tests: %s", rel(m.MainOutputs), rel(m.TestOutputs))
	say("  JDK:         %s  %s", m.JDKVersion, m.JDKHome)
	say("  class path:  %d entries, for tests %d", len(m.ClassPath), len(m.TestClassPath))
	say("  tests:       %s", frameworkName(m))
	if !m.ClassPathComplete {
		for _, x := range m.Missing {
			say("  missing:     %s", x)
			missing++
		}
	}
	if f := m.SourcesNewerThanClasses(); f.Stale() {
		say("  note:        sources are newer than their classes; catchlens compiles them into its own cache when you run something")
	}
	if m.Test.Skipped != "" {
		say("  note:        the build skips the tests: %s", m.Test.Skipped)
	}
	return missing
}

func frameworkName(m *workspace.Module) string {
	if m.Test.Framework == workspace.NoFramework {
		return "no test framework on the class path"
	}
	return string(m.Test.Framework)
}
