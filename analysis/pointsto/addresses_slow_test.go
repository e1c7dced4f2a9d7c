//go:build slow

package pointsto_test

import (
	"fmt"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

func TestProtocolHandlersOfAllJDKs(t *testing.T) {
	homes := testjdk.All(t)
	for _, home := range homes {
		t.Run(fmt.Sprint(testjdk.Feature(t, home)), func(t *testing.T) { checkProtocolHandlers(t, home) })
	}
	if len(homes) < 2 {
		t.Error("there is one JDK only")
	}
}

func TestProtocolHandlersOfAllMocks(t *testing.T) {
	checkProtocolHandlersOfMocks(t, "Returns", "Made", "Kept", "Listed", "Lambda", "Applied", "Callback", "Implements",
		"Inherits", "Super", "Sub", "AsksOwn", "AsksOther")
}
