package injection

// Isolation says how injected runs are kept from each other.
type Isolation string

// The rungs of isolation, the fastest first: many runs in one JVM with canaries
// between them; a class loader of its own for each run; a JVM for each.
const (
	SharedJVM   Isolation = "shared"
	FreshLoader Isolation = "loader"
	ForkedJVM   Isolation = "fork"
)

// Isolations lists them.
var Isolations = []Isolation{SharedJVM, FreshLoader, ForkedJVM}
