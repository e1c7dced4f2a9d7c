package session

import (
	"context"
	"testing"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// What was refined with other settings rules nothing out.
func TestForgetRefined(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := refiner{cancel: cancel}
	r.keep(ctx, &snapshot.Snapshot{}, &build.RuledOut{})
	if r.last == nil || r.ruledOut == nil {
		t.Error("nothing is kept")
	}
	r.forget()
	r.keep(ctx, &snapshot.Snapshot{}, &build.RuledOut{}) // was under way
	if r.last != nil || r.ruledOut != nil {
		t.Error("what was under way is kept")
	}
}
