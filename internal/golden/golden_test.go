package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder is a test whose failures are kept.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()             {}
func (r *recorder) Logf(string, ...any) {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, args[1].(string))
}

// A file that is not as the code makes it is a failure that names the first line, and with -update
// it is written.
func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "folder", "file")
	check := func(updates bool, got string) string {
		t.Helper()
		before := *update
		*update = updates
		defer func() { *update = before }()
		r := &recorder{TB: t}
		Check(r, file, []byte(got))
		return strings.Join(r.failures, "\n")
	}
	if got := check(false, "a\n"); got != `line 1 is "", and the code makes "a"` {
		t.Errorf("without a file: %s", got)
	}
	if got := check(true, "a\nb\n"); got != "" {
		t.Errorf("while updating: %s", got)
	}
	if got := check(false, "a\nb\n"); got != "" {
		t.Errorf("of what was written: %s", got)
	}
	if got := check(false, "a\nc\n"); got != `line 2 is "b", and the code makes "c"` {
		t.Errorf("of another line: %s", got)
	}
	if got := check(false, "a\nb\n\nd"); got != `line 4 is no line, and the code makes "d"` {
		t.Errorf("of a longer text: %s", got)
	}
	if err := os.WriteFile(file, []byte("a\r\nb\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := check(false, "a\nb\n"); got != "" {
		t.Errorf("of a checkout of Windows: %s", got)
	}
}
