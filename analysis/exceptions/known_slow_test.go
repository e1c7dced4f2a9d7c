//go:build slow

package exceptions_test

import "testing"

// TestKnownProgramsEverywhere is TestKnownPrograms under both compilers, each
// release that the programs speak of, and both JDKs.
func TestKnownProgramsEverywhere(t *testing.T) {
	knownPrograms(t,
		compilation{release: 8, jdk: 17}, compilation{release: 8, jdk: 25},
		compilation{release: 17, jdk: 17}, compilation{release: 25, jdk: 25},
		compilation{ecj: true, release: 8, jdk: 17}, compilation{ecj: true, release: 17, jdk: 17},
		compilation{ecj: true, release: 25, jdk: 25})
}
