//go:build slow

package exceptions_test

import (
	"testing"

	"catchlens/analysis/snapshot"
)

// TestKnownProgramsEverywhere is TestKnownPrograms under both compilers, each
// release that the programs speak of, both JDKs, and every call graph, the costly
// ones under two compilations.
func TestKnownProgramsEverywhere(t *testing.T) {
	graphs := func(f folder, c compilation) []string {
		if c.ecj || c.release != 8 {
			return []string{"cha", "rta"}
		}
		return snapshot.ByPrecision()
	}
	knownPrograms(t, graphs,
		compilation{release: 8, jdk: 17}, compilation{release: 8, jdk: 25},
		compilation{release: 17, jdk: 17}, compilation{release: 25, jdk: 25},
		compilation{ecj: true, release: 8, jdk: 17}, compilation{ecj: true, release: 17, jdk: 17},
		compilation{ecj: true, release: 25, jdk: 25})
}
