//go:build slow

package examples

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// expectation is one entry of filedrop/expected.json.
type expectation struct {
	File               string
	Nth                int // among the catches of the file, from 1
	Catch              string
	SourceIndependence string
	OtherReading       string // source independence in the reading paper; "": as in the usual one
	PureResilience     string
	Stretchable        string // "": nothing is expected
	Ground             string
	Usages             map[string]int
	Handlers           *int
	Features           []string
	Why                string
}

func expectations(t *testing.T) []expectation {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("filedrop", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []expectation
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestFiledrop(t *testing.T) {
	testjdk.JDK(t, 17)
	workspace := filepath.Join(t.TempDir(), "filedrop")
	for _, part := range []string{"pom.xml", "src"} {
		copyInto(t, filepath.Join("filedrop", part), filepath.Join(workspace, part))
	}
	r := campaign(t, workspace)
	byFile := make(map[string][]catch)
	for _, c := range r.Catches {
		byFile[c.File] = append(byFile[c.File], c)
	}
	list := expectations(t)
	if len(list) != len(r.Catches) || r.Totals.Catches != len(list) {
		t.Errorf("%d catches listed and %d counted, %d expected", len(r.Catches), r.Totals.Catches, len(list))
	}
	for _, e := range list {
		if e.Nth > len(byFile[e.File]) {
			t.Errorf("%s: catch %d is missing", e.File, e.Nth)
			continue
		}
		compare(t, e, byFile[e.File][e.Nth-1])
	}
	if r.Totals.Experienced < 60 {
		t.Errorf("%d links experienced; there were 85, 31 of them without faults", r.Totals.Experienced)
	}
}

func compare(t *testing.T, e expectation, c catch) {
	t.Helper()
	differs := func(what string, got, want any) {
		t.Helper()
		t.Errorf("%s:%d (%s): %s is %v, want %v: %s\n\tthe report says: %s",
			c.File, c.Line, e.Catch, what, got, want, e.Why, c.Contract.Why)
	}
	if c.Contract.SourceIndependence != e.SourceIndependence {
		differs("source independence", c.Contract.SourceIndependence, e.SourceIndependence)
	}
	if got, want := c.Contract.OtherReading.SourceIndependence, cmp.Or(e.OtherReading,
		e.SourceIndependence); got != want {
		differs("source independence as in the paper", got, want)
	}
	if c.Contract.PureResilience != e.PureResilience {
		differs("pure resilience", c.Contract.PureResilience, e.PureResilience)
	}
	if e.Stretchable != "" && c.Contract.Stretchable != e.Stretchable {
		differs("stretchable", c.Contract.Stretchable+": "+c.Contract.Stretching.Why, e.Stretchable)
	}
	if c.ground() != e.Ground {
		differs("the ground", c.ground(), e.Ground)
	}
	got := map[string]int{"pink": c.Usages.Pink, "white": c.Usages.White, "blue": c.Usages.Blue}
	for colour, want := range e.Usages {
		if got[colour] != want {
			differs(colour+" usages", got[colour], want)
		}
	}
	want := 1
	if e.Handlers != nil {
		want = *e.Handlers
	}
	if c.Handlers != want {
		differs("the number of handlers", c.Handlers, want)
	}
	if c.Contract.Stale {
		differs("stale", true, false)
	}
}

// copyInto copies a file or a folder.
func copyInto(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else if err = os.MkdirAll(filepath.Dir(to), 0o777); err == nil {
		var text []byte
		if text, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, text, 0o666)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestFiledropHasEverything holds the claim of filedrop's purpose: every verdict
// and every kind of catch occurs in it.
func TestFiledropHasEverything(t *testing.T) {
	missing := make(map[string]bool)
	for _, what := range []string{
		"holds/holds by white-usage", "holds/holds by pure-resilience", "holds/violated by white-usage",
		"holds/unknown by white-usage", "violated/violated", "unknown/violated", "unknown/unknown",
		"never entered", "no handler", "several handlers",
		"lambda", "nested", "finally", "initialiser", "static-initialiser", "multi-catch", "catch-exception",
		"try-with-resources", "dropped",
	} {
		missing[what] = true
	}
	for _, e := range expectations(t) {
		verdict := e.SourceIndependence + "/" + e.PureResilience
		if e.Ground != "" {
			verdict += " by " + e.Ground
		}
		delete(missing, verdict)
		for _, f := range e.Features {
			delete(missing, f)
		}
		if e.Usages["white"] == 0 {
			delete(missing, "never entered")
		}
		if e.Handlers != nil && *e.Handlers == 0 {
			delete(missing, "no handler")
		}
		if e.Handlers != nil && *e.Handlers > 1 {
			delete(missing, "several handlers")
		}
		if strings.TrimSpace(e.Why) == "" {
			t.Errorf("%s, catch %d: no reason", e.File, e.Nth)
		}
	}
	for what := range missing {
		t.Errorf("filedrop has no catch with %s", what)
	}
}
