package record

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// thrower is the digest of the agent's code that throws exceptions, for CellFormat.
const thrower = "3 956a806c0d194c71"

// Who changes the agent's code that throws is asked whether runs of before still tell the truth.
func TestFormatOfThrower(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "agent", "java", "catchlens", "rt", "inject", "*.java"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	h := sha256.New()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if line != "" && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "/*") &&
				!strings.HasPrefix(line, "*") && !strings.HasPrefix(line, "import ") {
				fmt.Fprintln(h, line)
			}
		}
	}
	if now := fmt.Sprintf("%d %x", CellFormat, h.Sum(nil)[:8]); now != thrower {
		t.Errorf("the code that throws exceptions has changed, or CellFormat.\nWhere an injected run may end "+
			"otherwise than before, CellFormat grows: results of before would be shown for ever.\n"+
			"Then thrower is %q, and not %q.", now, thrower)
	}
}
