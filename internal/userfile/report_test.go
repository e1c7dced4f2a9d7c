package userfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A report that is cut short leaves the one of before, and nothing beside it.
func TestReplaceReport(t *testing.T) {
	dir := t.TempDir()
	report, link := filepath.Join(dir, "report.html"), filepath.Join(dir, "latest.html")
	if err := os.Symlink(report, link); err != nil {
		t.Fatal(err)
	}
	says := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			io.WriteString(w, text)
			return err
		}
	}
	cancelled := errors.New("cancelled")
	for _, step := range []struct {
		to, text string
		err      error
		want     string
	}{
		{report, "half", cancelled, ""},
		{report, "first", nil, "first"},
		{report, "half", cancelled, "first"},
		{link, "second", nil, "second"},
		{link, "half", cancelled, "second"},
	} {
		if err := Replace(step.to, says(step.text, step.err)); !errors.Is(err, step.err) {
			t.Fatalf("%+v: %v", step, err)
		}
		text, err := os.ReadFile(report)
		if string(text) != step.want || step.want == "" && err == nil {
			t.Errorf("%+v: the file says %q, %v", step, text, err)
		}
		if i, err := os.Lstat(link); err != nil || i.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%+v: the link is gone", step)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); len(left) > 0 {
			t.Errorf("%+v: %q is left", step, left)
		}
	}
	if err := Replace(os.DevNull, says("text", nil)); err != nil {
		t.Error(err)
	}
	missing := filepath.Join(dir, "none", "report.html")
	if err := Replace(missing, says("text", nil)); err == nil ||
		!strings.HasPrefix(err.Error(), missing+" cannot be written: no such file") {
		t.Errorf("in a folder that is not there: %v", err)
	}
}
