//go:build slow

package clause_test

import (
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// The compilers differ in how they lower finally, resources and lambdas, from release to
// release.
func TestClausesOfMoreCompilers(t *testing.T) {
	checkCompilations(t, []compilation{
		{"javac", testjdk.Javac, 17, 8}, {"javac", testjdk.Javac, 25, 25},
		{"ecj", testjdk.ECJCompile, 17, 17}, {"ecj", testjdk.ECJCompile, 25, 25},
	})
}
