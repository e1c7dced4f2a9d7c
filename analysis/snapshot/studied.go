package snapshot

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/exceptions"
)

// LeavesOut tells whether a catch takes exceptions that the studied set leaves
// out, at least where libraries throw them: such a catch may have arrivals that
// are not among its links. A snapshot that was made by hand knows of none.
func (s *Snapshot) LeavesOut(c *Catch) bool {
	if s.Program == nil {
		return false
	}
	for _, t := range c.Types {
		if exceptions.LeavesOut(s.Program.Studied, s.Program.Graph.H, strings.ReplaceAll(t, ".", "/")) {
			return true
		}
	}
	return false
}
