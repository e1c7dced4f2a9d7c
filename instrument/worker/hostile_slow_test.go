//go:build slow

package worker

import (
	"fmt"
	"testing"

	"catchlens/internal/testjdk"
)

func TestHostile(t *testing.T) {
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprintf("JDK %d", testjdk.Feature(t, home)), func(t *testing.T) { testHostile(t, home) })
	}
}

func TestInjectionEverywhere(t *testing.T) {
	for _, home := range testjdk.All(t) {
		t.Run(fmt.Sprintf("JDK %d", testjdk.Feature(t, home)), func(t *testing.T) {
			testInjections(t, startJVM(t, injectSpec(t, home)))
		})
	}
}
