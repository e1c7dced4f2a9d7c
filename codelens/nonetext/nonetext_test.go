package nonetext

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/studied"
)

// Each reason has a sentence of its own, and a setting is named only where it changes something.
func TestUncalled(t *testing.T) {
	snap := &snapshot.Snapshot{}
	if got := Uncalled(snap, "test"); !strings.Contains(got, "which are the tests") ||
		!strings.Contains(got, "`entryPoints` = `public`") {
		t.Errorf("of tests: %s", got)
	}
	snap.Config.EntryPoints, snap.UnknownLoad = "public", "what Class.forName in P.m loads"
	if got := Uncalled(snap, "public method"); strings.Contains(got, "setting") ||
		!strings.Contains(got, " What Class.forName in P.m loads is not known, and may call it.") {
		t.Errorf("of public methods: %s", got)
	}
}

// Each studied set that leaves something out says what it follows.
func TestNotFollowed(t *testing.T) {
	said := map[string]bool{}
	for set := range studied.CheckedOwn + 1 {
		text := notFollowed[set]
		if (text == "") != (set == studied.All) || said[text] {
			t.Errorf("%s: %q", set, text)
		}
		said[text] = true
	}
}
