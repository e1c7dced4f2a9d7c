package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRemoveInfeasible(t *testing.T) {
	const before = "# settings\r\nencoding = \"UTF-8\"\n\n[[infeasible]]\nlink = \"a\"\nreason = " +
		"\"no\"\n\n[[infeasible]]\nlink = \"b\"\nreason = \"it says [[infeasible]]\"\n\n[module.\"m\"]\nrelease = 11\n"
	for _, c := range []struct{ link, want string }{
		{"a", "# settings\r\nencoding = \"UTF-8\"\n\n[[infeasible]]\nlink = \"b\"\nreason = \"it says " +
			"[[infeasible]]\"\n\n[module.\"m\"]\nrelease = 11\n"},
		{"b", "# settings\r\nencoding = \"UTF-8\"\n\n[[infeasible]]\nlink = \"a\"\nreason = " +
			"\"no\"\n\n[module.\"m\"]\nrelease = 11\n"},
		{"none", before},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, ConfigName)
		if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := RemoveInfeasible(dir, func(j Infeasible) bool { return j.Link == c.link }); err != nil {
			t.Errorf("%s: %v", c.link, err)
		}
		got, _ := os.ReadFile(file)
		if string(got) != c.want {
			t.Errorf("%s: got\n%q\nwant\n%q", c.link, got, c.want)
		}
	}
	if err := RemoveInfeasible(t.TempDir(), func(Infeasible) bool { return true }); err != nil {
		t.Errorf("no file: %v", err)
	}
}

// A judgement on a catch and its throw sites is written readably, read back, and taken out alone.
func TestReadableJudgement(t *testing.T) {
	dir := t.TempDir()
	one := Infeasible{Catch: "p/C.m()#0", Exception: "java.io.IOException", ThrowSites: []string{"p.D.n()V#0"},
		Reason: "never", Note: "src/p/C.java, line 4"}
	two := Infeasible{Catch: "p/C.m()#0", Exception: "java.io.EOFException",
		ThrowSites: []string{"p.D.n()V#1", "java.io.X.read()I#0 native"}, Reason: "it \"cannot\""}
	old := Infeasible{Link: "0f3a", Reason: "by its number"}
	for _, j := range []Infeasible{one, two, old} {
		if err := AppendInfeasible(dir, j); err != nil {
			t.Fatal(err)
		}
	}
	text, _ := os.ReadFile(filepath.Join(dir, ConfigName))
	want := "[[infeasible]]\ncatch = \"p/C.m()#0\"\nexception = \"java.io.IOException\"\nthrowSites = " +
		"[\"p.D.n()V#0\"]\nnote = \"src/p/C.java, line 4\"\nreason = \"never\"\n\n" +
		"[[infeasible]]\ncatch = \"p/C.m()#0\"\nexception = \"java.io.EOFException\"\nthrowSites = [\n    " +
		"\"p.D.n()V#1\",\n    \"java.io.X.read()I#0 native\",\n]\nreason = \"it \\\"cannot\\\"\"\n\n" +
		"[[infeasible]]\nlink = \"0f3a\"\nreason = \"by its number\"\n"
	if string(text) != want {
		t.Fatalf("got\n%s\nwant\n%s", text, want)
	}
	if err := RemoveInfeasible(dir, two.Same); err != nil {
		t.Fatal(err)
	}
	cfg, problems := LoadConfig(dir)
	if len(problems) > 0 || len(cfg.Infeasible) != 2 || !cfg.Infeasible[0].Same(one) || !cfg.Infeasible[1].Same(old) {
		t.Errorf("%+v %v", cfg.Infeasible, problems)
	}
	for _, bad := range []Infeasible{{Catch: "p/C.m()#0", Reason: "no throw site"},
		{ThrowSites: []string{"x"}, Reason: "no catch"}, {Link: "l"}} {
		if AppendInfeasible(dir, bad) == nil {
			t.Errorf("%+v is written", bad)
		}
	}
}
