package exceptions

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
)

// CheckClimbs tells how a climb that was made together with those of other groups
// differs from the one of its group alone; "" if none does.
func CheckClimbs(g *callgraph.Graph, st Studied) string {
	f := newFlows(g)
	d := newDeclarations(g, &f.numbers)
	hand := newHanding(g, &st)
	s := newSolver(g, f, d, findSites(g, &st, f, d, hand), &st, hand)
	climbs := make([]*climb, len(s.climbs))
	s.eachAscent(nil, func(a *ascent) {
		a.freeze(func() func(k int32, c *climb) { return func(k int32, c *climb) { climbs[k] = c } })
	})
	for k, got := range climbs {
		want := newClimber(s).run(int32(k))
		if s.hands(int32(k)) {
			s.climbs[k] = nil // by itself
			want = s.climb(int32(k))
		}
		if got == nil {
			return fmt.Sprintf("group %d has no climb", k)
		}
		slices.Sort(got.relayed)
		slices.Sort(want.relayed)
		for i := range reflect.TypeFor[climb]().NumField() {
			a, b := reflect.ValueOf(got).Elem().Field(i), reflect.ValueOf(want).Elem().Field(i)
			if fmt.Sprint(a) != fmt.Sprint(b) {
				return fmt.Sprintf("group %d of %d: %s is %v, alone %v", k, len(climbs),
					reflect.TypeFor[climb]().Field(i).Name, cut(a), cut(b))
			}
		}
	}
	return ""
}

func cut(v reflect.Value) string {
	s := fmt.Sprint(v)
	return s[:min(len(s), 2000)]
}
