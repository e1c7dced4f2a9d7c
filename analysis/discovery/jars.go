package discovery

// This file looks at the names inside jars.

import (
	"strings"

	"github.com/catchlens/catchlens/internal/bounded"
)

// maxJarEntries bounds what is looked at of one jar.
const maxJarEntries = 500_000

// jarHolds counts the classes of own (and of tests) that a jar holds; 0 for
// what is no jar.
func jarHolds(jar string, own, tests map[string]bool) (n, inTests int) {
	z, err := bounded.OpenZip(jar)
	if err != nil {
		return 0, 0
	}
	defer z.Close()
	for i, f := range z.File {
		if i > maxJarEntries {
			break
		}
		name, ok := strings.CutSuffix(f.Name, ".class")
		if !ok || strings.Contains(name, "$") {
			continue
		}
		if own[name] {
			n++
		}
		if tests[name] {
			inTests++
		}
	}
	return n, inTests
}
