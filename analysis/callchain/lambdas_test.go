package callchain_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// On the lambda object that a chain passes its own code is called, and no other; where it may be
// one of several, all remain. It may be null, as far as is known. No chain is left out that runs.
func TestLambdasPassed(t *testing.T) {
	compilers := map[string]compiled{"javac 8": {testjdk.Javac, 17, 8}, "javac 25": {testjdk.Javac, 25, 25},
		"ecj 17": {testjdk.ECJCompile, 17, 17}}
	for _, name := range slices.Sorted(maps.Keys(compilers)) {
		t.Run(name, func(t *testing.T) {
			c := compilers[name]
			classes, g := c.build(t, "chains/Passed.java", "chains/Trace.java")
			f := callchain.Build(g, callchain.Options{Component: inPackage("chains"), Length: 5,
				Granularity: callchain.ByMethod})
			if name == "javac 8" {
				check(t, f, []string{"Passed.lambda", "Passed.reference", "Passed.object", "Passed.bound",
					"Passed.variable", "Passed.chosen", "Passed.notNull", "Passed.orNull", "Passed.made",
					"Passed.nested", "Passed.runOrNull", "Passed.sameObject"}, `
			Passed.bound
			  Passed$Derived.<init>
			    Passed$Base.<init>
			  Passed.call(Lchains/Passed$Task;)
			    Passed$Derived.work
			Passed.chosen
			  Passed.call(Lchains/Passed$Task;)
			    Passed$Derived.work
			    Passed$Made.run
			    Passed$Plain.run
			    Passed.first
			    Passed.lambda$lambda$0
			      Passed.first
			    Passed.lambda$nested$2
			      Passed.first
			    Passed.lambda$variable$1
			      Passed.second
			    Passed.second
			Passed.lambda
			  Passed.call(Lchains/Passed$Task;)
			    Passed.lambda$lambda$0
			      Passed.first
			Passed.made
			  Passed.from(Lchains/Passed$Maker;)
			    Passed$Made.<init>
			Passed.nested
			  Passed.from(Lchains/Passed$Maker;)
			    Passed.lambda$nested$3
			Passed.notNull
			  Passed.unlessNull(Lchains/Passed$Task;)
			    Passed.first
			    Passed.second
			Passed.object
			  Passed$Plain.<init>
			  Passed.call(Lchains/Passed$Task;)
			    Passed$Plain.run
			Passed.orNull
			  Passed.unlessNull(Lchains/Passed$Task;)
			    Passed.first
			    Passed.second
			Passed.reference
			  Passed.through(Lchains/Passed$Task;)
			    Passed.call(Lchains/Passed$Task;)
			      Passed.second
			Passed.runOrNull
			  Passed.runUnlessNull(Lchains/Passed$Task;)
			    Passed.first
			    Passed.second
			Passed.sameObject
			  Passed$Plain.<init>
			  Passed.call(Lchains/Passed$Task;)
			    Passed$Plain.run
			Passed.variable
			  Passed.through(Lchains/Passed$Task;)
			    Passed.call(Lchains/Passed$Task;)
			      Passed.lambda$variable$1
			        Passed.second`)
			}
			for _, e := range []string{"Passed.stored", "Passed.twice", "Passed.replaced"} {
				reached := f.Ending(nodeOf(t, g, "Passed.first"))
				if !slices.ContainsFunc(reached.Roots, func(r callchain.Root) bool {
					return reached.Nodes[r.ID].Method == nodeOf(t, g, e)
				}) {
					t.Errorf("no chain from %s to first, which is kept, is this, or takes the place of another", e)
				}
			}
			checkRuns(t, testjdk.JDK(t, c.jdk), classes, f, "chains.Passed")
		})
	}
}
