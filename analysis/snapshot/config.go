package snapshot

import (
	"fmt"
	"slices"
	"strings"

	"catchlens/analysis/exceptions"
)

// CallGraphs and EntryPoints are the names that Config accepts, default first.
var (
	CallGraphs  = []string{"rta", "cha"}
	EntryPoints = []string{"tests", "mains", "public"}
)

// ParseConfig makes a Config of the names used in settings, on the command line
// and in reports (REPORT.md). Empty ones mean the default. The error names what
// was given and what there is.
func ParseConfig(callGraph, exc string, sites []string, entryPoints string) (Config, error) {
	c := Config{CallGraph: CallGraphs[0], EntryPoints: EntryPoints[0]}
	if exc == "" {
		exc = "checked+own"
	}
	if len(sites) == 0 {
		sites = []string{"native", "explicit"}
	}
	st, err := exceptions.ParseStudied(exc, sites)
	if err != nil {
		st = exceptions.Default(nil)
	}
	c.Studied = st
	if callGraph != "" {
		if !slices.Contains(CallGraphs, callGraph) {
			return c, fmt.Errorf("call graph %q: use %s", callGraph, strings.Join(CallGraphs, " or "))
		}
		c.CallGraph = callGraph
	}
	if entryPoints != "" {
		if !slices.Contains(EntryPoints, entryPoints) {
			return c, fmt.Errorf("entry points %q: use %s", entryPoints, strings.Join(EntryPoints, ", "))
		}
		c.EntryPoints = entryPoints
	}
	return c, err
}

// Equal tells whether two configurations give the same results.
func (c Config) Equal(d Config) bool {
	return c.CallGraph == d.CallGraph && c.EntryPoints == d.EntryPoints && c.Studied.String() == d.Studied.String()
}
