package lab

import (
	"slices"
	"strings"
)

// ClassesOf lists the test classes of the execution that run methods of some classes, which are
// given by internal name: these themselves, those that they stand in, and those that have them
// above. They are in the order of the classes given.
func (l *Lab) ClassesOf(internal []string) (out []string) {
	add := func(class string) {
		if !slices.Contains(out, class) {
			out = append(out, class)
		}
	}
	for _, name := range internal {
		if class := l.runFor(name); class != "" {
			add(class)
		}
		for _, class := range l.Classes {
			if l.Probes.snap.Extends(strings.ReplaceAll(class, ".", "/"), name) {
				add(class)
			}
		}
	}
	return out
}

// runFor is the test class that is run for a class, by its internal name: itself, or one that it
// stands in; "" if none is.
func (l *Lab) runFor(internal string) string {
	for name := strings.ReplaceAll(internal, "/", "."); ; {
		if slices.Contains(l.Classes, name) {
			return name
		}
		i := strings.LastIndexByte(name, '$')
		if i < 0 {
			return ""
		}
		name = name[:i]
	}
}
