package main

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestMessages(t *testing.T) {
	var b strings.Builder
	log := slog.New(newMessages(&b))
	log.Info("not said")
	log.Warn("links are not refined", "call graph", "obj-dr", "error",
		errors.New("it takes more than 2048 MB of memory"))
	log.With("module", "core").Error("analysing after a change\x1b[2J")
	want := "warning: links are not refined (call graph obj-dr): it takes more than 2048 MB of memory\n" +
		`error: analysing after a change\x1b[2J (module core)` + "\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
