package session

import (
	"fmt"
	"strings"

	"catchlens/instrument/fault"
)

// FaultEngines are the names that Scope.Faults takes.
var FaultEngines = []string{"off", "jvm"}

// faultEngine makes the engine of a name for the JDK version of a module; nil for
// none.
func faultEngine(name string) (func(feature int) fault.Engine, error) {
	switch name {
	case "", "off":
		return nil, nil
	case "jvm":
		return func(feature int) fault.Engine { return fault.JVM{Feature: feature} }, nil
	}
	return nil, fmt.Errorf("there is no fault engine %q: use %s", name, strings.Join(FaultEngines, " or "))
}
