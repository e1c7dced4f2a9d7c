//go:build slow

package examples

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/catchlens/catchlens/internal/testschema"
)

// This file runs the command and reads its JSON report. The types hold the
// fields that the tests use, written down anew from the description of the
// format, so that a field renamed in the code is noticed.

type report struct {
	Schema    int
	Workspace struct {
		Modules []string
		JDK     string
	}
	Catches []catch
	Totals  struct {
		Catches, Predicted, Experienced, Unpredicted int
	}
	Problems []struct{ Severity, Message, File string }
}

type catch struct {
	ID           string
	File         string
	Line, Column int
	Handlers     int
	InTests      bool
	Links        []link
	Contract     struct {
		SourceIndependence, PureResilience, Stretchable string
		OtherReading                                    struct{ SourceIndependence string }
		Stretching                                      struct{ Why string }
		Stale                                           bool
		Why                                             string
		Witnesses                                       []struct{ Test, Injected, Outcome, Message string }
	}
	Usages struct{ Pink, White, Blue int }
}

type link struct {
	ThrowSite struct {
		Class, Method, Kind string
		Line                int
	}
	Predicted bool
	Outcome   string
}

// command builds the command once per test process.
var command = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "catchlens-examples-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "catchlens")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.Command("go", "build", "-o", path, "github.com/catchlens/catchlens/cmd/catchlens")
	if out, err := build.CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		return "", err
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := command(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// campaign runs `catchlens run` in a workspace with a cache of its own and
// returns the report, its catches of main sources in the order of the text.
func campaign(t *testing.T, workspace string) report {
	t.Helper()
	path, err := command()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	written := func(command, format string) []byte {
		t.Helper()
		cmd := exec.Command(path, command, workspace, "--format", format, "--cache", cache)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
		}
		return stdout.Bytes()
	}
	text := written("run", "json")
	testschema.LoadStrict(t, testschema.Report).Check(t, "the report", text)
	testschema.Load(t, testschema.SARIF).Check(t, "the SARIF log", written("report", "sarif"))
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if r.Schema != 1 {
		t.Errorf("schema %d, want 1", r.Schema)
	}
	for _, p := range r.Problems {
		t.Errorf("problem: %s: %s (%s)", p.Severity, p.Message, p.File)
	}
	if r.Totals.Unpredicted != 0 {
		t.Errorf("%d links were experienced that were not predicted", r.Totals.Unpredicted)
	}
	r.Catches = slices.DeleteFunc(r.Catches, func(c catch) bool { return c.InTests })
	slices.SortFunc(r.Catches, func(a, b catch) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return r
}

// ground is what a catch's source independence rests on, "" where it does not hold.
func (c catch) ground() string {
	switch {
	case c.Contract.SourceIndependence != "holds":
		return ""
	case c.Usages.White > 0:
		return "white-usage"
	default:
		return "pure-resilience"
	}
}
