package clause_test

import (
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/clause"
	"github.com/catchlens/catchlens/internal/expect"
)

func init() {
	expect.Kinds["alone"] = expect.Kind{Min: 1, Max: -1}
	expect.Kinds["notalone"] = expect.Kind{Min: 1, Max: -1}
}

// Which calls a clause makes and its try does not: methods and lambdas are followed.
func TestCallsAlone(t *testing.T) {
	set := expect.Load(t, []string{"alone", "notalone"}, filepath.Join("testdata", "calls"))
	for _, c := range compilations {
		p := compile(t, set, c)
		for _, kind := range []string{"alone", "notalone"} {
			list, err := set.Active(kind)
			if err != nil || len(list) != 3 {
				t.Fatalf("%d expectations: %v", len(list), err)
			}
			for _, e := range list {
				_, method, _ := p.methodAt(t, "calls/Calls", e.Line)
				handlers := []clause.Handler{{Class: "calls/Calls", Method: method}}
				for _, name := range e.Strings() {
					if got := clause.CallsAlone(p.Program, handlers, name); got != (kind == "alone") {
						t.Errorf("%s: %s: %s: %s: %v", c.name, e.Position(), e, name, got)
					}
				}
			}
		}
	}
}
