package chains

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestComponents(t *testing.T) {
	all, err := readComponents("components.tsv")
	if err != nil || len(all) != 6 {
		t.Fatal(all, err)
	}
	for _, c := range all {
		if _, err := os.Stat(filepath.Join("texts", c.name+".txt")); err != nil {
			t.Error(err)
		}
		class := strings.ReplaceAll(c.classes[0], ".", "/")
		if !c.has(class) || !c.has(class+"$1") || c.has(class+"s") {
			t.Errorf("%s: what belongs to the component", c.name)
		}
	}
}
