//go:build slow

package exceptions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// TestKnownProgramsEverywhere is TestKnownPrograms under both compilers, each
// release that the programs speak of, both JDKs, and every call graph, the costly
// ones under two compilations.
func TestKnownProgramsEverywhere(t *testing.T) {
	graphs := func(f folder, c compilation) []string {
		if c.ecj || c.release != 8 {
			return []string{"cha", "rta"}
		}
		out := snapshot.ByPrecision()
		if !strings.HasPrefix(f.path, "paper000/") { // test/known has more for it
			out = slices.DeleteFunc(out, func(g string) bool { return g == "obj-dr" })
		}
		return out
	}
	knownPrograms(t, graphs,
		compilation{release: 8, jdk: 17}, compilation{release: 8, jdk: 25},
		compilation{release: 17, jdk: 17}, compilation{release: 25, jdk: 25},
		compilation{ecj: true, release: 8, jdk: 17}, compilation{ecj: true, release: 17, jdk: 17},
		compilation{ecj: true, release: 25, jdk: 25})
}
