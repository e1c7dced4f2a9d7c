package features

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
)

// This file tells which fields a framework fills, and with what, by their annotations.

// Filling is what a framework puts into a field.
type Filling uint8

// The fillings.
const (
	NotFilled   Filling = iota
	WithAny             // any object of the field's type that the program has
	WithMocks           // objects of classes that libraries generate as the program runs
	WithNew             // a new object of the field's type, made by any of its constructors
	WithDefault         // a file or path of the default file system
)

// fillings are those of annotations that tell. The classes of annotations of one name mean the same
// whoever has them: javax and jakarta, the frameworks of Java 8 and those of today.
var fillings = map[string]Filling{
	"TempDir": WithDefault,                                    // JUnit 5
	"Mock":    WithMocks, "Spy": WithMocks, "Captor": WithAny, // Mockito, EasyMock
	"MockBean": WithMocks, "SpyBean": WithMocks, // Spring Boot
	"MockitoBean": WithMocks, "MockitoSpyBean": WithMocks, // Spring
	"InjectMock": WithMocks, "Mocked": WithMocks, "Injectable": WithMocks, // Quarkus, JMockit
	"InjectMocks": WithNew, "TestSubject": WithNew, "Tested": WithNew, // Mockito, EasyMock, JMockit
	"Inject": WithAny, "Autowired": WithAny, "Resource": WithAny, // containers
	"Value": WithAny, "Qualifier": WithAny, "EJB": WithAny,
	"PersistenceContext": WithAny, "PersistenceUnit": WithAny, "Context": WithAny,
	"Parameter": WithAny, "Parameters": WithAny, "Option": WithAny, "Param": WithAny, // JUnit 4, command lines, JMH
}

// noFillings are annotations that say something else of a field than who writes it: the ends of
// their names.
var noFillings = []string{"Nullable", "NonNull", "Nonnull", "NotNull", "GuardedBy", "VisibleForTesting", "ThreadSafe",
	"Deprecated", "SafeVarargs", "FunctionalInterface"}

// FillingOf is what a framework puts into a field; own tells whether the class is the workspace's.
// There, a field with another annotation than those that are known is one that a framework may
// fill, too, if no code of its class stores something in it. Not one declared as an Object: a
// framework that goes by types would not know what is meant.
func FillingOf(class string, f *facts.FlowField, own bool) Filling {
	if f.Marks == "" || natives.OfJDK(class) {
		return NotFilled
	}
	unknown := false
	for _, name := range strings.Fields(f.Marks) {
		simple := name[strings.LastIndexAny(name, "/$")+1:]
		if w, ok := fillings[simple]; ok {
			return w
		}
		unknown = unknown || !strings.HasPrefix(name, "java/lang/") && !slices.Contains(noFillings, simple)
	}
	if own && unknown && !f.Stored && strings.TrimLeft(f.Desc, "[") != "Ljava/lang/Object;" {
		return WithAny
	}
	return NotFilled
}
