package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that is open in no editor is edited only if it is what was analysed, in the
// encoding of its module.
func TestUnchanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "C.java")
	if err := os.WriteFile(path, []byte("// caf\xe9\nclass C { }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const text = "// caf\u00e9\nclass C { }\n"
	if err := unchanged(path, "ISO-8859-1", []byte(text)); err != nil {
		t.Error(err)
	}
	if err := unchanged(path, "ISO-8859-1", []byte("\n"+text)); err == nil ||
		!strings.Contains(err.Error(), "has changed since it was analysed") {
		t.Errorf("another text: %v", err)
	}
	if err := unchanged(path+"x", "", []byte(text)); err == nil {
		t.Error("no file")
	}
}
