package codelens

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
)

// A story tells of one catch of each kind that there is, in plain text.
func TestStory(t *testing.T) {
	v, c := judged()
	v, _ = laid(v, c, record.Usage{White: 1}, record.Fail, "NullPointerException")
	var b strings.Builder
	Story(&b, v)
	text := b.String()
	for _, want := range []string{"1. A handler that does not cope: src/p/C.java:", "catch (IOException)",
		"   - CTest#m fails when IOException is thrown at its start"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "2. ") || strings.ContainsAny(text, "`*") {
		t.Errorf("another kind, or marks of Markdown, in\n%s", text)
	}
}
