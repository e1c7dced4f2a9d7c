//go:build slow

package javasource

import "testing"

func TestKnownProgramsEverywhere(t *testing.T) {
	knownPrograms(t, way{"javac", 25, 8}, way{"javac", 17, 17}, way{"javac", 25, 25}, way{"ecj", 17, 8},
		way{"ecj", 25, 25})
}
