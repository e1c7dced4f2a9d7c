package snapshot

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/analysis/studied"
)

// CallGraphs and EntryPoints are the names that Config accepts, default first; Settings
// also accept Auto for a call graph, which is their default.
var (
	CallGraphs  = []string{"rta", "cha", "pta", "inpta", "pta-dr", "inpta-dr", "obj-dr"}
	EntryPoints = []string{"tests", "mains", "public"}
)

// analysis is what a name in CallGraphs stands for.
type analysis struct {
	Points bool // points-to analysis with the policy, instead of a class analysis
	Policy pointsto.Policy
	Reach  bool // DataReach afterwards
	// coarser are the names that it refines, see Refines.
	coarser []string
}

// Analyses has what Config.CallGraph may name.
var Analyses = map[string]analysis{
	"cha":    {},
	"rta":    {coarser: []string{"cha"}},
	"pta":    {Points: true, Policy: pointsto.Insensitive, coarser: []string{"cha", "rta"}},
	"inpta":  {Points: true, Policy: pointsto.Constructors, coarser: []string{"cha", "rta", "pta"}},
	"pta-dr": {Points: true, Policy: pointsto.Insensitive, Reach: true, coarser: []string{"cha", "rta", "pta"}},
	"inpta-dr": {Points: true, Policy: pointsto.Constructors, Reach: true,
		coarser: []string{"cha", "rta", "pta", "inpta", "pta-dr"}},
	"obj-dr": {Points: true, Policy: pointsto.Containers, Reach: true,
		coarser: []string{"cha", "rta", "pta", "inpta", "pta-dr", "inpta-dr"}},
}

// Refines tells whether the links of one call graph should be links of another, of
// the same program with the same observations. Each class analysis and each
// points-to analysis keeps to that by what it computes, and what DataReach leaves
// of a call graph's links are links of that call graph. Of one DataReach and another
// with more contexts no exception is known as long as no bound of package
// datareach is met: at a bound it falls back to what points-to analysis says, not to
// what the other found. Tests of random programs and of real projects check it.
func Refines(precise, coarse string) bool { return slices.Contains(Analyses[precise].coarser, coarse) }

// ByPrecision lists CallGraphs so that none stands before one that it refines.
func ByPrecision() []string {
	out := slices.Clone(CallGraphs)
	slices.SortStableFunc(out, func(a, b string) int { return len(Analyses[a].coarser) - len(Analyses[b].coarser) })
	return out
}

// Settings choose an analysis by the names used in settings, on the command line,
// in catchlens.toml and in reports. What is empty is left to somebody else, at
// last to the default.
type Settings struct {
	CallGraph, Exceptions string
	Sites                 []string
	EntryPoints           string
}

// Or fills what is empty from other settings.
func (t Settings) Or(u Settings) Settings {
	t.CallGraph = cmp.Or(t.CallGraph, u.CallGraph)
	t.Exceptions = cmp.Or(t.Exceptions, u.Exceptions)
	t.EntryPoints = cmp.Or(t.EntryPoints, u.EntryPoints)
	if len(t.Sites) == 0 {
		t.Sites = u.Sites
	}
	return t
}

// Config makes a configuration. The error names what was given and what there
// is; the configuration then has the default in its place.
func (t Settings) Config() (Config, error) {
	t = t.Or(Settings{Auto, "checked+own", []string{"native", "explicit"}, EntryPoints[0]})
	var errs []error
	if t.CallGraph != Auto && !slices.Contains(CallGraphs, t.CallGraph) {
		errs = append(errs, fmt.Errorf("call graph %q: use %s, %s", t.CallGraph, Auto, strings.Join(CallGraphs, ", ")))
		t.CallGraph = Auto
	}
	auto := t.CallGraph == Auto
	if auto {
		t.CallGraph = CallGraphs[0]
	}
	if !slices.Contains(EntryPoints, t.EntryPoints) {
		errs = append(errs, fmt.Errorf("entry points %q: use %s", t.EntryPoints, strings.Join(EntryPoints, ", ")))
		t.EntryPoints = EntryPoints[0]
	}
	st, err := studied.Parse(t.Exceptions, t.Sites)
	if err != nil {
		errs = append(errs, err)
		st = studied.Default(nil)
	}
	return Config{CallGraph: t.CallGraph, Auto: auto, Studied: st, EntryPoints: t.EntryPoints}, errors.Join(errs...)
}

// Auto is the name that settings have for refining: the first of CallGraphs at once, and
// then the first of Refined that can be had.
const Auto = "auto"

// Refined are the call graphs that Auto stands for, the best first. What takes too much with obj-dr
// takes too much with inpta-dr, which costs four fifths of it and more
// (docs/internals/measurements.md), and is found out as late.
var Refined = []string{"obj-dr", "pta"}
