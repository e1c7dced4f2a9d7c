package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/discovery"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/buildtool"
	"github.com/catchlens/catchlens/instrument/osfault"
	"github.com/catchlens/catchlens/instrument/planner/plancache"
	"github.com/catchlens/catchlens/internal/sandbox"
	"github.com/catchlens/catchlens/session"
)

type doctorCmd struct {
	Dir   string `arg:"" optional:"" default:"." type:"path" help:"The workspace."`
	Cache string `type:"path" help:"Cache folder instead of the user's own." placeholder:"DIR"`
	All   bool   `help:"List everything that is missing, also where it is much of one kind."`
	// kinds of issueKinds
	Report string `enum:",false-link,missed-link,wrong-verdict" default:"" help:"Print the beginning of a report on catchlens in place of all that, without paths and names of this workspace: false-link, missed-link or wrong-verdict." placeholder:"KIND"`
}

// Run says what is found and what is missing. It reads files only.
func (c *doctorCmd) Run(ctx context.Context) error {
	if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: no such folder", c.Dir)
	}
	ws, err := discovery.Open(ctx, []string{c.Dir}, workspace.Options{})
	if err != nil {
		return err
	}
	var kept map[string]bool
	if cache, err := session.CacheDir(c.Cache); err == nil { // what a build tool was asked in an earlier run
		ws = buildtool.Recall(ctx, ws, cache)
		compiler := buildtool.NewCompiler(buildtool.CompilerOptions{CacheDir: session.CompiledDir(cache)})
		kept = buildtool.KeptModules(ctx, compiler, ws)
		compiler.Close()
	}
	if c.Report != "" {
		fmt.Print(issueKinds[c.Report].text(aboutWorkspace(ws)))
		return nil
	}
	say := func(format string, args ...any) { fmt.Println(codelens.Plain(fmt.Sprintf(format, args...), false)) }
	say("catchlens %s", version)
	if cache, err := session.CacheDir(c.Cache); err == nil {
		say("cache: %s", cache)
		for _, u := range plancache.Inspect(session.PlansDir(cache)) {
			say("%s", plansText(u))
		}
	} else {
		say("cache: %v", err)
	}
	say("confinement of test JVMs: %s", confinement(sandbox.Available()))
	say("faults of the operating system: %s", systemFaults(osfault.Available()))
	say("")
	say("JDKs, best first:")
	cache, cacheErr := session.CacheDir(c.Cache)
	for _, j := range ws.JDKs {
		kind := "JDK"
		if !j.HasCompiler {
			kind = "JRE (no compiler)"
		}
		say("  %-12s %s  %s (%s)", j.Version, j.Home, kind, j.FoundBy)
		if cost, known := session.KeptProbeCosts(cache, j.Home); known && cacheErr == nil {
			say("  %-12s coverage probes: %.3g ns, %.0f ns if it goes away (catchlens plan --technique HYBRID)", "",
				cost.Static, cost.Demand)
		}
	}
	if len(ws.JDKs) == 0 {
		say("  none: set JAVA_HOME")
	}
	missing := 0
	for _, m := range ws.Modules {
		say("")
		missing += doctorModule(say, ws, m, kept[m.Name], c.All)
	}
	if say(""); len(ws.Modules) == 0 {
		missing++ // a problem says so
	}
	for _, p := range ws.Problems {
		if slices.ContainsFunc(ws.Modules, func(m *workspace.Module) bool { return m.SaysIncomplete(p) }) {
			continue // its rows are above
		}
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

// plansText says what the cache has of test plans of one kind.
func plansText(u plancache.FileInfo) string {
	if u.Err != nil {
		return fmt.Sprintf("test plans of %s are made anew when they are asked for: %v", u.Kind, u.Err)
	}
	return fmt.Sprintf("test plans of %s: %d in %d KB; the last process found %d here and made %d", u.Kind, u.Plans,
		(u.Bytes+1023)/1024, u.Last.Found, u.Last.Made)
}

// doctorModule says what is known of a module; kept tells that the cache holds the
// classes of its present sources. Unless all is asked for, what is missing of one kind is
// one row.
func doctorModule(say func(string, ...any), ws *workspace.Workspace, m *workspace.Module, kept,
	all bool) (missing int) {
	rel := func(paths []string) string {
		var out []string
		for _, p := range paths {
			absent := ""
			if _, err := os.Stat(p); err != nil {
				absent = " (not there)"
			}
			if r, err := filepath.Rel(ws.Root, p); err == nil && !strings.HasPrefix(r, "..") {
				p = r
			}
			out = append(out, p+absent)
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
	say("  class path:  %d for main code, %d for tests", len(m.ClassPath), len(m.TestClassPath))
	say("  tests:       %s", frameworkName(m))
	if !m.ClassPathComplete {
		missing = len(m.Missing)
		rows := m.Missing
		if !all {
			rows = foldMissing(rows)
		}
		for _, x := range rows {
			say("  missing:     %s", x)
		}
	}
	const compiled = "catchlens compiles them into its own cache when you run something"
	switch f := m.SourcesNewerThanClasses(); {
	case f.Stale() && kept:
		say("  note:        catchlens has compiled the sources as they are now into its own cache")
	case f.Stale() && (f.NoMainClasses || len(m.MainSources) == 0) && (f.NoTestClasses || len(m.TestSources) == 0):
		say("  note:        the sources have not been compiled; %s", compiled)
	case f.Stale():
		say("  note:        sources are newer than their classes; %s", compiled)
	}
	for _, t := range append([]workspace.TestSettings{m.Test}, m.MoreTests...) {
		sayTests(&t, say)
	}
	for _, n := range m.UnseenSources() {
		say("  note:        %s", n)
	}
	if it := m.Test.Integration; it != nil && !it.Run {
		say("  note:        integration tests (%s) are not run; integration = true below [test] in catchlens.toml "+
			"runs them with the others", strings.Join(it.Includes, ", "))
	}
	return missing
}

// sayTests says which tests an execution of the build runs, where that are not all, and what is
// left out.
func sayTests(t *workspace.TestSettings, say func(format string, args ...any)) {
	if t.Execution != "" {
		say("  execution:   %s runs %s", t.Execution, strings.Join(t.Includes, ", "))
	}
	if len(t.SuiteFiles) > 0 {
		say("  suites:      what runs, these say: %s", strings.Join(t.SuiteFiles, ", "))
	}
	if t.Skipped != "" {
		say("  note:        the build skips the tests: %s", t.Skipped)
	}
	if len(t.Groups) > 0 {
		say("  note:        only tests with a tag, category or group of these run: %s", strings.Join(t.Groups, ", "))
	}
	if len(t.ExcludedGroups) > 0 {
		say("  note:        tests with these tags, categories or groups are left out: %s",
			strings.Join(t.ExcludedGroups, ", "))
	}
	for _, n := range t.NotRun {
		say("  note:        %s", n)
	}
}

// foldMissing makes one row of what is missing for one reason, with the first three by name, each
// once.
func foldMissing(missing []string) []string {
	const named = 3
	lacks := func(x string) (what, none, tail string) {
		for _, verb := range [][2]string{{" is not in ", ": none of them is in "},
			{" has no version", ": none of them has a version"}} {
			if what, tail, ok := strings.Cut(x, verb[0]); ok {
				return what, verb[1], tail
			}
		}
		return "", "", x
	}
	byReason := map[string][]string{} // what is missing, by reason and way out
	for _, x := range missing {
		if what, none, tail := lacks(x); what != "" && !slices.Contains(byReason[none+tail], what) {
			byReason[none+tail] = append(byReason[none+tail], what)
		}
	}
	var rows []string
	for _, x := range missing {
		what, none, tail := lacks(x)
		list := byReason[none+tail]
		switch {
		case what == "" || len(list) == 1:
			rows = append(rows, x)
		case len(list) > named:
			rows = append(rows, fmt.Sprintf("%s and %d more (--all lists them)%s%s", enumerate(list[:named]),
				len(list)-named, none, tail))
		case len(list) > 0:
			rows = append(rows, enumerate(list)+none+tail)
		}
		delete(byReason, none+tail) // the row stands where the first of it did
	}
	return rows
}

// enumerate joins things of which each may say that it is an annotation processor; where all do,
// that is said once.
func enumerate(list []string) string {
	const kind = "annotation processor"
	var names []string
	for _, x := range list {
		if name, ok := strings.CutPrefix(x, kind+": "); ok {
			names = append(names, name)
		}
	}
	if len(names) < len(list) {
		return strings.Join(list, ", ")
	}
	return kind + "s: " + strings.Join(names, ", ")
}

// confinement says what keeps tests from writing where they should not.
func confinement(c sandbox.Confinement) string {
	const holds = "tests write nowhere but in their working copy and private folders"
	switch c.Kind {
	case sandbox.Both:
		return "Landlock in a mount namespace; " + holds
	case sandbox.Landlock:
		return "Landlock; " + holds + ", but can change permissions, owners and times of other files of yours (" +
			c.Why + ")"
	case sandbox.Namespace:
		return "a mount namespace; " + holds
	}
	return "none: " + c.Why
}

// systemFaults says whether system calls of test JVMs can be made to fail.
func systemFaults(why error) string {
	if why != nil {
		return "none: " + why.Error()
	}
	return "system calls of test JVMs can be made to fail (seccomp user notification)"
}

func frameworkName(m *workspace.Module) string {
	if m.Test.Framework == workspace.NoFramework && !m.ClassPathComplete {
		return "no test framework on what is known of the class path"
	}
	if m.Test.Framework == workspace.NoFramework {
		return "no test framework on the class path"
	}
	return string(m.Test.Framework)
}
