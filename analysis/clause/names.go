package clause

import (
	"regexp"
	"slices"
	"strings"
)

// unnamed is what the name of a variable begins with where the class file has none.
const unnamed = "local "

// assigned finds what a line of Java assigns to, or declares: a name before an operator of
// assignment, or with one that counts, or the variable of a loop over elements.
var assigned = regexp.MustCompile(`([\w$.]+)\s*(?:(?:[-+*/%&|^]|<<|>>>?)?=(?:[^=]|$)|\+\+|--|:[^:])|` +
	`(?:\+\+|--)\s*([\w$.]+)`)

// word is a name in a line of Java, with what it is selected from.
var word = regexp.MustCompile(`[\w$.]+`)

// NameFromSource names variables that have no name in a class file as the source does: by the one
// name that each line assigns to which sets the variable, and that each line has which uses it.
// Where no name or more than one is such, the variable keeps the number of its slot. lines are
// those of the source that was compiled.
func (r *Result) NameFromSource(lines []string) {
	for i := range r.Prepared {
		p := &r.Prepared[i]
		if !strings.HasPrefix(p.Name, unnamed) {
			continue
		}
		var names []string
		begun := false
		keep := func(here []string) {
			if !begun {
				names, begun = here, true
				return
			}
			names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(here, n) })
		}
		for _, s := range p.Sets {
			if s.Line > 0 && s.Line <= len(lines) {
				keep(assignedIn(lines[s.Line-1]))
			}
		}
		if !begun {
			continue
		}
		for _, u := range p.Uses {
			if u.Line > 0 && u.Line <= len(lines) {
				keep(word.FindAllString(lines[u.Line-1], -1))
			}
		}
		if len(names) == 1 {
			p.InSource = names[0]
		}
	}
}

// assignedIn are the names without a qualifier that a line assigns to, each once.
func assignedIn(line string) (names []string) {
	for _, m := range assigned.FindAllStringSubmatch(line, -1) {
		name := m[1] + m[2]
		if !strings.Contains(name, ".") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Shown is the name of what is prepared for people.
func (p *Prepared) Shown() string {
	if p.InSource != "" {
		return p.InSource
	}
	if n, ok := strings.CutPrefix(p.Name, unnamed); ok {
		return "local variable " + n
	}
	return p.Name
}
