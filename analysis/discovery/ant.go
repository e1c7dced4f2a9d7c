package discovery

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/xmltree"
)

// This file says what an Ant build does for its tests that does not happen here: its build file is
// not followed.

// antBuild is the name of Ant's build file.
const antBuild = "build.xml"

// antTests are the tasks that run tests, antRunners the classes of test frameworks that <java> runs
// them with.
var (
	antTests   = []string{"junit", "junitlauncher", "testng"}
	antRunners = []string{"org.junit.runner.JUnitCore", "junit.textui.TestRunner", "org.testng.TestNG",
		"org.junit.platform.console.ConsoleLauncher"}
)

// antSettings are what stands in such a task and changes what its tests see.
var antSettings = []string{"sysproperty", "syspropertyset", "jvmarg", "env", "assertions"}

// antFilters are what makes <copy> change what it copies.
var antFilters = []string{"filterset", "filterchain"}

// antProject is a build file of Ant's.
type antProject struct {
	targets, macros map[string]*xmltree.Node // by name; a macro is a <macrodef> or <presetdef>
}

// antNotes names, for each target of the module's build.xml that runs tests, what it sets for them,
// and the filtered copies before them. A build file that cannot be read is said to be so.
func (o *opener) antNotes(m *workspace.Module) (notes []string) {
	file := filepath.Join(m.Dir, antBuild)
	if !filetree.IsFile(file) {
		return nil
	}
	m.BuildFiles = append(m.BuildFiles, file)
	project, err := xmltree.Read(file)
	if err != nil {
		o.Report(workspace.Problem{Severity: workspace.Info, File: file,
			Message: "what it sets for tests is not known, as it cannot be read: " + err.Error()})
		return nil
	}
	if project.Name != "project" {
		return nil
	}
	p := &antProject{map[string]*xmltree.Node{}, map[string]*xmltree.Node{}}
	for _, t := range project.Kids {
		switch t.Name {
		case "target", "extension-point":
			p.targets[t.Attrs["name"]] = t
		case "macrodef", "presetdef":
			p.macros[t.Attrs["name"]] = t
		}
	}
	for _, t := range project.Kids {
		if t.Name != "target" {
			continue
		}
		w := &antWalk{antProject: p, seen: map[*xmltree.Node]bool{}}
		if w.target(t, true); len(w.lost) > 0 {
			slices.Sort(w.lost)
			notes = append(notes, fmt.Sprintf("build.xml is not followed: tests run without what its target %s has: %s",
				t.Attrs["name"], strings.Join(slices.Compact(w.lost), ", ")))
		}
	}
	return notes
}

// antWalk goes through what a target does, in order.
type antWalk struct {
	*antProject
	seen   map[*xmltree.Node]bool // targets, and the macros that it is in
	copies []string               // with a filter, so far
	lost   []string               // what tests of the target run without
}

// target goes through what a target depends on, and through itself; own: its tests are asked about.
func (w *antWalk) target(t *xmltree.Node, own bool) {
	if t == nil || w.seen[t] {
		return
	}
	w.seen[t] = true
	for _, d := range strings.Split(t.Attrs["depends"], ",") {
		w.target(w.targets[strings.TrimSpace(d)], false)
	}
	w.tasks(t, t.Attrs["name"], own)
}

// tasks goes through the elements of a target, or below them.
func (w *antWalk) tasks(n *xmltree.Node, target string, own bool) {
	for _, k := range n.Kids {
		macro := w.macros[k.Name]
		switch {
		case runsAntTests(k):
			if !own {
				continue // a note of its own target names what they lose
			}
			for _, s := range antNodes(k, antSettings) {
				if !setAnyway(s) {
					w.lost = append(w.lost, strings.TrimSpace("<"+s.Name+"> "+antSays(s)))
				}
			}
			w.lost = append(w.lost, w.copies...)
		case k.Name == "copy" || k.Name == "move":
			if antTrue(k.Attrs["filtering"]) || len(antNodes(k, antFilters)) > 0 {
				w.copies = append(w.copies, "<"+k.Name+"> with a filter in "+target)
			}
		case k.Name == "antcall":
			w.target(w.targets[k.Attrs["target"]], false)
		case macro != nil && !w.seen[macro]:
			w.seen[macro] = true
			w.tasks(macro, target, own)
			delete(w.seen, macro)
		default:
			w.tasks(k, target, own)
		}
	}
}

// runsAntTests tells whether a task runs tests.
func runsAntTests(k *xmltree.Node) bool {
	return slices.Contains(antTests, k.Name) || k.Name == "java" && slices.Contains(antRunners, k.Attrs["classname"])
}

// antTrue tells whether an attribute is true for Ant.
func antTrue(value string) bool {
	return slices.Contains([]string{"true", "yes", "on"}, strings.ToLower(value))
}

// setAnyway tells whether a setting is had here, too: assertions are enabled.
func setAnyway(n *xmltree.Node) bool {
	switch n.Name {
	case "assertions":
		return n.Kid("disable") == nil && n.Attrs["refid"] == "" && !antTrue(n.Attrs["enableSystemAssertions"])
	case "jvmarg":
		args := strings.Fields(n.Attrs["value"] + " " + n.Attrs["line"])
		return len(args) > 0 && !slices.ContainsFunc(args, func(a string) bool {
			name, _, _ := strings.Cut(a, ":")
			return name != "-ea" && name != "-enableassertions"
		})
	}
	return false
}

// antSays is what a setting is of.
func antSays(n *xmltree.Node) string {
	for _, a := range []string{"key", "value", "line"} {
		if v := n.Attrs[a]; v != "" {
			return v
		}
	}
	return ""
}

// antNodes are the elements of some names below another.
func antNodes(n *xmltree.Node, names []string) (all []*xmltree.Node) {
	for _, k := range n.Kids {
		if slices.Contains(names, k.Name) {
			all = append(all, k)
		} else {
			all = append(all, antNodes(k, names)...)
		}
	}
	return all
}
