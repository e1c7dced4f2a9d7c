package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRemoveInfeasible(t *testing.T) {
	const before = "# settings\r\nencoding = \"UTF-8\"\n\n[[infeasible]]\nlink = \"a\"\nreason = \"no\"\n\n[[infeasible]]\nlink = \"b\"\nreason = \"it says [[infeasible]]\"\n\n[module.\"m\"]\nrelease = 11\n"
	for _, c := range []struct{ link, want string }{
		{"a", "# settings\r\nencoding = \"UTF-8\"\n\n[[infeasible]]\nlink = \"b\"\nreason = \"it says [[infeasible]]\"\n\n[module.\"m\"]\nrelease = 11\n"},
		{"b", "# settings\r\nencoding = \"UTF-8\"\n\n[[infeasible]]\nlink = \"a\"\nreason = \"no\"\n\n[module.\"m\"]\nrelease = 11\n"},
		{"none", before},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, ConfigName)
		if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := RemoveInfeasible(dir, c.link); err != nil {
			t.Errorf("%s: %v", c.link, err)
		}
		got, _ := os.ReadFile(file)
		if string(got) != c.want {
			t.Errorf("%s: got\n%q\nwant\n%q", c.link, got, c.want)
		}
	}
	if err := RemoveInfeasible(t.TempDir(), "a"); err != nil {
		t.Errorf("no file: %v", err)
	}
}
