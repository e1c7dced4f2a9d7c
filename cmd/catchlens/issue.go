package main

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/osfault"
	"github.com/catchlens/catchlens/internal/sandbox"
)

// This file writes what a report on catchlens begins with: the questions of the issue templates,
// and what is known of the machine and the workspace.

// issueKind is a kind of report: a template in .github/ISSUE_TEMPLATE.
type issueKind struct {
	name, about, label string
	questions          []string
}

// issueKinds are the kinds of reports, by what --report calls them.
var issueKinds = map[string]issueKind{
	"false-link": {"A link that cannot happen",
		"An exception is said to arrive at a catch, and you know that it cannot", "precision",
		[]string{"The catch** (a few lines of Java that show it, best as a small project):",
			"The link** (exception, throw site and chain, as the hover shows them):", "Why it cannot happen:**"}},
	"missed-link": {"A link that is missing",
		`An exception arrived at a catch, and no link says so, or it is called "not predicted"`, "soundness",
		[]string{"The catch** (a few lines of Java that show it, best as a small project):",
			"How the exception arrives** (its stack trace, if you have one):"}},
	"wrong-verdict": {"A verdict that you would not sign",
		"A catch is said to depend on the source, to be independent or resilient, and it is not", "verdict",
		[]string{"The try and its catch:**", "The verdict, with its reason and test, as the hover shows them:**",
			"Why it is wrong:**"}},
}

// text is what a report begins with; facts is about the machine and the workspace.
func (k issueKind) text(facts string) string {
	var b strings.Builder
	for _, q := range k.questions {
		b.WriteString("**" + q + "\n\n")
	}
	return b.String() + "**The machine and the workspace:**\n\n" + facts
}

// template is the file of a kind of report in .github/ISSUE_TEMPLATE.
func (k issueKind) template(kind string) string {
	return fmt.Sprintf("---\nname: %s\nabout: %s\nlabels: %s\n---\n%s", k.name, k.about, k.label,
		k.text("<!-- `catchlens doctor --report "+kind+"` prints all of this with this part filled in, "+
			"without paths and names of your project. -->\n"))
}

// aboutWorkspace says what matters of a workspace and its machine to who looks for a mistake of
// catchlens: versions and counts, and nothing that is private: no path, no name of a file, a
// module, a class or a library.
func aboutWorkspace(ws *workspace.Workspace) string {
	var b strings.Builder
	say := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "* %s: %s\n", what, codelens.Plain(fmt.Sprintf(format, args...), false))
	}
	say("catchlens", "%s on %s, %s", version, runtime.GOOS, runtime.GOARCH)
	var jdks []string
	for _, j := range ws.JDKs {
		jdks = append(jdks, j.Version)
	}
	say("JDKs", "%s", cmp.Or(strings.Join(jdks, ", "), "none"))
	kinds, used, frameworks := map[string]int{}, map[string]int{}, map[string]int{}
	incomplete, lacking, stale := 0, 0, 0
	for _, m := range ws.Modules {
		kinds[string(m.Kind)]++
		used[cmp.Or(m.JDKVersion, "unknown")]++
		frameworks[frameworkName(m)]++
		if !m.ClassPathComplete {
			incomplete++
			lacking += len(m.Missing)
		}
		if m.SourcesNewerThanClasses().Stale() {
			stale++
		}
	}
	say("modules", "%s", counted(kinds))
	say("JDKs of modules", "%s", counted(used))
	say("tests", "%s", counted(frameworks))
	say("class paths", "%d of %d incomplete (%d missing)", incomplete, len(ws.Modules), lacking)
	say("modules whose sources are newer than their classes", "%d", stale)
	severities := map[string]int{}
	for _, p := range ws.Problems {
		severities[string(p.Severity)]++
	}
	say("problems of the workspace", "%s", counted(severities))
	say("settings in catchlens.toml", "%s", cmp.Or(strings.Join(settingsUsed(ws.Config), ", "), "none"))
	confined := sandbox.Available()
	say("confinement of test JVMs", "%s", confined.Kind)
	faults := "can be had"
	if osfault.Available() != nil {
		faults = "cannot be had"
	}
	say("faults of the operating system", "%s", faults)
	return b.String()
}

// counted lists what there is with how often.
func counted(n map[string]int) string {
	var parts []string
	for what, times := range n {
		parts = append(parts, fmt.Sprintf("%d × %s", times, what))
	}
	slices.Sort(parts)
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// settingsUsed names the settings of catchlens.toml that change what is shown, with values that are
// words of catchlens.
func settingsUsed(c *workspace.Config) (out []string) {
	if s := c.Studied; s != nil {
		set := snapshot.Settings{CallGraph: s.CallGraph, Exceptions: s.Exceptions, Sites: s.Sites,
			EntryPoints: s.EntryPoints}
		if _, err := set.Config(); err == nil { // words that there are
			for _, x := range [][2]string{{"callGraph", s.CallGraph}, {"exceptions", s.Exceptions},
				{"sites", strings.Join(s.Sites, "+")}, {"entryPoints", s.EntryPoints}} {
				if x[1] != "" {
					out = append(out, x[0]+" = "+x[1])
				}
			}
		}
	}
	if x := c.Campaign; x != nil {
		for _, s := range [][2]string{{"isolation", x.Isolation}, {"reading", x.Reading}} {
			if s[1] != "" {
				out = append(out, s[0]+" = "+s[1])
			}
		}
		if x.FineGrain > 0 {
			out = append(out, fmt.Sprintf("fineGrain = %d", x.FineGrain))
		}
	}
	for what, n := range map[string]int{"[[fault]]": len(c.Faults), "[[infeasible]]": len(c.Infeasible),
		"[[accept]]": len(c.Accept), "[[excludeTests]]": len(c.ExcludeTests), "[module]": len(c.Module)} {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d × %s", n, what))
		}
	}
	slices.Sort(out)
	return out
}
