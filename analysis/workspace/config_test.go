package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sampleConfig = `# settings of the team
release = 11
jdk = "17"
speling = true
excludeTests = [
  { test = "p.NetTest", reason = "needs the network" },
  { pattern = "*", tag = "x", reason = "both" },
]

[test]
jvmArgs = ["-Xmx1g"]
systemProperties = { a = "1" }
includez = ["x"]

[test.environment]
HOME2 = "/x"

[module."core"]
sources = ["java"]
classPath = ["lib/*", "extra.jar"]
  [module.core.test]
  framework = "junit5"

[[infeasible]]
link = "l1"
reason = "the buffer is in memory"

[[infeasible]]
reason = "no link"

[[accept]]
catch = "c1"
reason = "by design"
`

func TestConfigProblems(t *testing.T) {
	cfg, problems := ParseConfig("/ws/catchlens.toml", []byte(sampleConfig))
	at := func(line int, text string) {
		t.Helper()
		for _, p := range problems {
			if p.Line == line && strings.Contains(p.Message, text) && p.File == "/ws/catchlens.toml" {
				return
			}
		}
		t.Errorf("no problem in line %d that says %q: %v", line, text, problems)
	}
	at(4, `"speling"`)
	at(13, `"test.includez"`)
	at(22, "junit5")
	at(28, "without catch and throwSites")
	at(5, "exactly one")
	if len(problems) != 5 {
		t.Errorf("%d problems: %v", len(problems), problems)
	}
	if len(cfg.Infeasible) != 1 || cfg.Infeasible[0].Link != "l1" || cfg.Infeasible[0].Line != 24 ||
		len(cfg.Accept) != 1 || cfg.Accept[0].Line != 31 {
		t.Errorf("judgements %+v %+v", cfg.Infeasible, cfg.Accept)
	}
	var trust []string
	for _, x := range cfg.NeedsTrust {
		trust = append(trust, x.Key+"="+x.Value)
		if x.Line == 0 {
			t.Errorf("%s has no line", x.Key)
		}
	}
	if got := strings.Join(trust, " "); got != "jdk=17 test.jvmArgs=-Xmx1g test.environment.HOME2=/x" {
		t.Errorf("needs trust: %s", got)
	}
	if cfg, problems := ParseConfig("f", []byte("a = [")); cfg == nil || len(problems) != 1 || problems[0].Line != 1 ||
		problems[0].Severity != Error {
		t.Errorf("invalid TOML: %v", problems)
	}
}

func TestAppendInfeasible(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ConfigName)
	j := Infeasible{Link: `a"b\c`, Reason: "never\nhappens\x01", Note: "FileInputStream.read → p.C.m"}
	if err := AppendInfeasible(dir, j); err != nil {
		t.Fatal(err)
	}
	cfg, problems := LoadConfig(dir)
	if len(problems) != 0 || len(cfg.Infeasible) != 1 || cfg.Infeasible[0].Link != j.Link ||
		cfg.Infeasible[0].Reason != j.Reason || cfg.Infeasible[0].Note != j.Note {
		t.Fatalf("%+v %v", cfg.Infeasible, problems)
	}
	// Comments, odd spacing, CRLF and a missing last newline stay as they are.
	old := "# keep me\r\nrelease=11   # why\r\n[module.x]\r\nrelease = 8"
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 2; i++ {
		if err := AppendInfeasible(dir, Infeasible{Link: "l", Reason: "r"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := AppendAccept(dir, Accept{Catch: "c", Reason: "r"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	want := old + strings.Repeat("\r\n\r\n[[infeasible]]\r\nlink = \"l\"\r\nreason = \"r\"", 2) +
		"\r\n\r\n[[accept]]\r\ncatch = \"c\"\r\nreason = \"r\"\r\n"
	if err != nil || string(data) != want {
		t.Errorf("%v; the file is %q, want %q", err, data, want)
	}
	if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", fi.Mode(), err)
	}
	for _, bad := range []string{"a = [", "infeasible = []\n"} {
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		err := AppendInfeasible(dir, Infeasible{Link: "l", Reason: "r"})
		if err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%q: error %v", bad, err)
		}
		if data, _ := os.ReadFile(file); string(data) != bad {
			t.Errorf("%q became %q", bad, data)
		}
	}
	if err := AppendInfeasible(dir, Infeasible{Link: "l"}); err == nil {
		t.Error("a judgement without a reason is taken")
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(sampleConfig))
	f.Add([]byte("module.a.test.jvmArgs = ['x']\n[[infeasible]]\nlink='a'"))
	f.Add([]byte("\xef\xbb\xbfrelease = 8"))
	f.Add([]byte("[module]\nx = 1\n[test]\nenvironment = 1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, _ := ParseConfig("f", data)
		m := &Module{Name: "core", Dir: t.TempDir()}
		cfg.applyTo(m, m.Dir)
		m.Test.Selects("a.B", "c")
		m.Test.SelectsTags("p.C", []string{"x"})
	})
}

// A value of the wrong type is left out; the rest of the file counts, and its other
// problems are told.
func TestConfigWrongTypeHidesNothing(t *testing.T) {
	cfg, problems := ParseConfig("catchlens.toml", []byte(`encoding = "UTF-8"
release = "x"
nonsense = 1

[test]
includes = [
  "a",
  1,
]
excludes = ["b"]
[studied]
exceptions = 3
sites = ["native"]
`))
	var got []int
	for _, p := range problems {
		got = append(got, p.Line)
	}
	if want := []int{2, 8, 12, 3}; !slices.Equal(got, want) {
		t.Errorf("problems in lines %v, want %v: %+v", got, want, problems)
	}
	if cfg.Encoding == nil || *cfg.Encoding != "UTF-8" || cfg.Release != nil || cfg.Test == nil ||
		len(cfg.Test.Includes) != 0 ||
		!slices.Equal(cfg.Test.Excludes, []string{"b"}) || cfg.Studied == nil ||
		!slices.Equal(cfg.Studied.Sites, []string{"native"}) {
		t.Errorf("%+v", cfg)
	}
}

// A value of the wrong type is told in words of TOML, with its line.
func TestConfigWrongType(t *testing.T) {
	for text, want := range map[string]string{
		"\njdk = 17":                           "jdk: a string in quotes is wanted, and this is of type integer",
		"\nrelease = \"x\"":                    "release: a number is wanted, and this is of type string",
		"[test]\nincludes = \"**/*Test.java\"": "test.includes: a list is wanted, and this is of type string",
		"[test]\nenableAssertions = \"yes\"": "test.enableAssertions: true or false is wanted, and this is of " +
			"type string",
		"\ntest = 1":                           "test: a table is wanted, and this is of type integer",
		"\nclassPath = [":                      "not valid: ",
		"[test]\nsystemProperties = { a = 1 }": "",
	} {
		_, problems := ParseConfig("catchlens.toml", []byte(text))
		if want == "" {
			t.Log(text, problems)
			continue
		}
		if len(problems) != 1 || problems[0].Line != 2 || !strings.Contains(problems[0].Message, want) {
			t.Errorf("%q: %+v, want %q in line 2", text, problems, want)
		}
	}
}

// Of faults that say too little, or have another one's name, each is a problem with its
// line; the rest counts.
func TestConfigFaults(t *testing.T) {
	cfg, problems := ParseConfig("catchlens.toml", []byte(`
[[fault]]
name = "down"
method = "p.Client.send"
exception = "p.X"
message = "no answer"

[[fault]]
name = "down"
method = "p.Client.post"
exception = "p.X"

[[fault]]
name = "two words"
method = "p.Client.send"
exception = "p.X"

[[fault]]
name = "nowhere"
exception = "p.X"
`))
	if len(cfg.Faults) != 1 || cfg.Faults[0] != (FaultConfig{Name: "down", Method: "p.Client.send", Exception: "p.X",
		Message: "no answer", Line: 2}) {
		t.Errorf("faults are %+v", cfg.Faults)
	}
	var lines []int
	for _, p := range problems {
		lines = append(lines, p.Line)
	}
	if !slices.Equal(lines, []int{8, 13, 18}) {
		t.Errorf("problems are %+v", problems)
	}
}
