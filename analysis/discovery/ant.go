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

// antTests are the tasks that run tests.
var antTests = []string{"junit", "junitlauncher", "testng"}

// antSettings are what stands in such a task and changes what its tests see.
var antSettings = []string{"sysproperty", "syspropertyset", "jvmarg", "env", "assertions"}

// antFilters are what makes <copy> change what it copies.
var antFilters = []string{"filterset", "filterchain"}

// antNotes names, for each target of the module's build.xml that runs tests, what it sets for them,
// and the filtered copies of the targets before it.
func (o *opener) antNotes(m *workspace.Module) (notes []string) {
	file := filepath.Join(m.Dir, "build.xml")
	if !filetree.IsFile(file) {
		return nil
	}
	project, ok := o.readXML(file)
	if !ok || project.Name != "project" {
		return nil
	}
	targets := map[string]*xmltree.Node{}
	for _, t := range project.Kids {
		if t.Name == "target" {
			targets[t.Attrs["name"]] = t
		}
	}
	for _, t := range project.Kids {
		if t.Name != "target" {
			continue
		}
		var lost []string
		for _, task := range antNodes(t, antTests) {
			for _, s := range antNodes(task, antSettings) {
				lost = append(lost, strings.TrimSpace("<"+s.Name+"> "+antSays(s)))
			}
		}
		if len(antNodes(t, antTests)) == 0 {
			continue
		}
		for _, c := range antCopies(targets, t, map[*xmltree.Node]bool{}) {
			lost = append(lost, "<copy> with a filter in "+c)
		}
		if slices.Sort(lost); len(lost) > 0 {
			notes = append(notes, fmt.Sprintf("build.xml is not followed: tests run without what its target %s has: %s",
				t.Attrs["name"], strings.Join(slices.Compact(lost), ", ")))
		}
	}
	return notes
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

// antCopies names the targets, of one and those that it depends on, that copy with a filter.
func antCopies(targets map[string]*xmltree.Node, t *xmltree.Node, seen map[*xmltree.Node]bool) (names []string) {
	if t == nil || seen[t] {
		return nil
	}
	seen[t] = true
	for _, c := range antNodes(t, []string{"copy"}) {
		if c.Attrs["filtering"] == "true" || c.Attrs["filtering"] == "on" || len(antNodes(c, antFilters)) > 0 {
			names = append(names, t.Attrs["name"])
			break
		}
	}
	for _, d := range strings.Split(t.Attrs["depends"], ",") {
		names = append(names, antCopies(targets, targets[strings.TrimSpace(d)], seen)...)
	}
	return names
}
