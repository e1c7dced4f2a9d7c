//go:build slow

package pointsto_test

import (
	"testing"

	"catchlens/internal/testjdk"
)

func TestProtocolHandlersOfOtherJDKs(t *testing.T) {
	others := 0
	for _, home := range testjdk.All(t) {
		if testjdk.Feature(t, home) != 17 {
			others++
			checkProtocolHandlers(t, home)
		}
	}
	if others == 0 {
		t.Error("there is no other JDK")
	}
}
