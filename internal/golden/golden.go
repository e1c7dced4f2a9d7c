// Package golden compares what a test has made with a file of the repository, and writes that file
// where the test is run with -update. Only tests import it.
package golden

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write files of expected answers anew in place of comparing with them")

// Updating tells whether the test was run with -update.
func Updating() bool { return *update }

// Check fails the test where a file of the repository is not got; with -update it writes the file.
// Files whose lines end as Windows ends them count as the same.
func Check(t testing.TB, file string, got []byte) {
	t.Helper()
	want, err := os.ReadFile(file)
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if err == nil && bytes.Equal(want, got) {
		return
	}
	if !*update {
		t.Errorf("%s is not what the code makes now: %s\nwrite it anew with `make update`, or `go test -update` in "+
			"this package", file, difference(want, got))
		return
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, got, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("wrote %s", file)
}

// difference says where two texts part: the first line that is not the same.
func difference(want, got []byte) string {
	w, g := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
	n := 0
	for n < len(w) && n < len(g) && bytes.Equal(w[n], g[n]) {
		n++
	}
	line := func(lines [][]byte) string {
		if n == len(lines) {
			return "no line"
		}
		return fmt.Sprintf("%q", lines[n])
	}
	return fmt.Sprintf("line %d is %s, and the code makes %s", n+1, line(w), line(g))
}
