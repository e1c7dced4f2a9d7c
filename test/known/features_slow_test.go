//go:build slow

package known

import "testing"

// TestFeaturesJDK25 is TestFeatures with JDK 25, whose reflection and handles work in other ways.
func TestFeaturesJDK25(t *testing.T) {
	checkFeatures(t, compilation{release: 25, jdk: 25})
}
