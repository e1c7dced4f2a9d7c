// Package nonetext says of a catch why no failure of it counts, in sentences of Markdown.
package nonetext

import (
	"fmt"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
)

// Uncalled says what it means that no entry point leads to a catch. entryPoint names one of them.
func Uncalled(snap *snapshot.Snapshot, entryPoint string) string {
	s := "No call that is seen leads to this code from the entry points, which are the " + entryPoint +
		"s: nothing is predicted here, whatever it may throw."
	if load := snap.UnknownLoad; load != "" {
		s += " " + strings.ToUpper(load[:1]) + load[1:] + " is not known, and may call it."
	}
	if snap.EntryPoints() != "public" {
		s += " With the setting `entryPoints` = `public`, what other code can call counts instead."
	}
	return s
}

// Other says why nothing is listed of a catch to which an entry point leads. reached: a test made
// it run.
func Other(snap *snapshot.Snapshot, c *snapshot.Catch, reached bool) string {
	switch {
	case snap.LeavesOut(c):
		return fmt.Sprintf("The studied set is `%s`: what libraries throw beside it is not followed. With the setting "+
			"`exceptions` = `all` it is.", snap.Config.Studied.Exceptions)
	case reached:
		return "A test made this catch run with an exception that does not count: an instruction threw it by itself, " +
			"or it is not known what did."
	}
	return "In this program, nothing that this try may call is found to throw what this catch takes."
}
