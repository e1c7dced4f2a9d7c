// Package nonetext says of a catch why no failure of it counts, in sentences of Markdown.
package nonetext

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/studied"
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

// notFollowed says which exceptions each setting follows.
var notFollowed = map[studied.ExceptionSet]string{
	studied.IO:         "Only an `IOException` is followed",
	studied.Checked:    "Only checked exceptions are followed",
	studied.CheckedOwn: "Of what libraries throw, only checked exceptions are followed",
}

const followAll = "; with the setting `exceptions` = `all`, every exception is."

// Beside says of a catch of which failures are listed that it takes others, too, which are not
// followed; "" where it does not.
func Beside(snap *snapshot.Snapshot, c *snapshot.Catch) string {
	if !snap.LeavesOut(c) {
		return ""
	}
	return "\n" + notFollowed[snap.Config.Studied.Exceptions] + followAll + "\n"
}

// Other says why nothing is listed of a catch to which an entry point leads. reached: a test made
// it run.
func Other(snap *snapshot.Snapshot, c *snapshot.Catch, reached bool) string {
	switch {
	case snap.LeavesOut(c):
		return notFollowed[snap.Config.Studied.Exceptions] + followAll
	case reached:
		return "A test made this catch run with an exception that does not count: an instruction threw it by itself, " +
			"or it is not known what did."
	}
	return "In this program, nothing that this try may call is found to throw what this catch takes."
}
