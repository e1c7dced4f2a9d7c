//go:build slow

package ir

import (
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// Every method of every JDK lowers and verifies, with the origins that the
// bytecode's data flow has.
func TestAllJDKs(t *testing.T) {
	floor := map[int]int{17: 200000, 25: 200000}
	for _, home := range testjdk.All(t) {
		feature := testjdk.Feature(t, home)
		classes, err := readClasses(home, func(string) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		throws := 0
		methods := lowerAll(t, classes, func(m *Method) {
			n, _ := compareWithOracle(t, m)
			throws += n
		})
		t.Logf("JDK %d: %d classes, %d methods, %d athrows", feature, len(classes), methods, throws)
		if methods < floor[feature] {
			t.Errorf("JDK %d: only %d methods", feature, methods)
		}
	}
}
