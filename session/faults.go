package session

import (
	"fmt"
	"strings"

	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/osfault"
)

// FaultEngines are the names that Scope.Faults takes.
var FaultEngines = []string{"off", "jvm", "os"}

// faultEngine makes the engine of a name for the JDK version of a module; nil for
// none. The note says why another one serves.
func faultEngine(name string) (engine func(feature int) fault.Engine, note string, err error) {
	inJVM := func(feature int) fault.Engine { return fault.JVM{Feature: feature} }
	switch name {
	case "", "off":
		return nil, "", nil
	case "jvm":
		return inJVM, "", nil
	case "os":
		e, err := osfault.NewEngine()
		if err != nil {
			return inJVM, "faults happen inside the JVM: " + err.Error(), nil
		}
		return func(feature int) fault.Engine { return e.For(feature) }, "", nil
	}
	return nil, "", fmt.Errorf("there is no fault engine %q: use %s", name, strings.Join(FaultEngines, " or "))
}
