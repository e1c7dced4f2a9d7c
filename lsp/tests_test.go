package lsp

import (
	"slices"
	"testing"

	"github.com/catchlens/catchlens/session"
)

// listing is a session with some tests.
type listing struct {
	scripted
	tests []session.Test
}

func (l *listing) Tests() []session.Test { return l.tests }

// What is chosen to run are classes and tests. A test is named by the text that a client has, which
// shows what cannot be seen; one that there is not is left for the session to refuse.
func TestChosenTests(t *testing.T) {
	ses := &listing{tests: []session.Test{{Test: "p.T#a[\u202e]"}, {Test: "p.T#a[\u202e]", Module: "m"},
		{Test: "p.T#b"}}}
	classes, tests := chosenTests(ses, []string{"p.U", `p.T#a[\u202e]`, "p.T#none"})
	if !slices.Equal(classes, []string{"p.U"}) || !slices.Equal(tests, []string{"p.T#a[\u202e]", "p.T#none"}) {
		t.Errorf("classes %q, tests %q", classes, tests)
	}
}
