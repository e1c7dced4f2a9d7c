package agent

import (
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// A probe that removes itself costs a thousand times what one costs that stays, or more, on each
// JDK: the first has to be linked. Options for every JVM do not count: these have nothing compiled,
// and more printed.
func TestProbeCosts(t *testing.T) {
	t.Setenv("JAVA_TOOL_OPTIONS", "-Xint -Xlog:gc")
	for _, feature := range []int{17, 25} {
		static, demand, err := Builder{JDK: testjdk.JDK(t, feature), Cache: t.TempDir()}.ProbeCosts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("JDK %d: %.3f and %.0f ns", feature, static, demand)
		if static > 5 || demand < 100 || demand < 1000*static {
			t.Errorf("JDK %d: %v ns for a probe that stays, %v ns for one that goes away", feature, static, demand)
		}
	}
}
