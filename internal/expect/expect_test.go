package expect

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	const text = `package p; //@ release(16)
class A {
  String s = "//@ links(\"no\")"; char c = '"'; /* //@ nolinks
  */ void f() {
    //@ links[rta, jdk17]("p/A.g")
    // a remark in between

    //@ nolinks[cha]
    try { g(); } catch (E e) { } catch (F f) { } //@ links#2("p/A.g", "b \"x\"") handlers#2(2)
    String b = """
      //@ nolinks "
      """; //@ throws("p.E")
  }
  //@ usages(pink=1, white = 0) verdict("unknown") reachingThrows
  //@linkcount(min=2)
  void g() {}
}
`
	got, err := ParseText("A.java", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`A.java:1: release(16)`,
		`A.java:9: links[jdk17,rta]("p/A.g")`,
		`A.java:9: nolinks[cha]`,
		`A.java:9: links#2("p/A.g", "b \"x\"")`,
		`A.java:9: handlers#2(2)`,
		`A.java:12: throws("p.E")`,
		`A.java:16: usages(pink=1, white=0)`,
		`A.java:16: verdict("unknown")`,
		`A.java:16: reachingThrows`,
		`A.java:16: linkcount(min=2)`,
	}
	var lines []string
	for _, e := range got {
		lines = append(lines, e.Position()+": "+e.String())
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestParseRejects(t *testing.T) {
	for text, part := range map[string]string{
		`x(); //@ lnks("a")`:                    `unknown kind of expectation "lnks"`,
		`x(); //@`:                              "without an expectation",
		`x(); //@ links()`:                      "0 positional arguments",
		`x(); //@ nolinks("a")`:                 "1 positional arguments",
		`x(); //@ links("a"`:                    ") or a comma",
		`x(); //@ links("a)`:                    "malformed string",
		`x(); //@ links("a")nolinks`:            "white space was expected",
		`x(); //@ links[xta]("a")`:              `"xta" is no configuration word`,
		`x(); //@ links[jdk]("a")`:              `"jdk" is no configuration word`,
		`x(); //@ links[io+]("a")`:              `"io+" is no configuration word`,
		`x(); //@ links[cha,cha]("a")`:          "twice",
		`x(); //@ links#0("a")`:                 "number from 1 on",
		`x(); //@ handlers("two")`:              `"two" is no number`,
		`x(); //@ handlers(-1)`:                 `"-1" is no number`,
		`x(); //@ usages(green=1)`:              "green=",
		`x(); //@ usages(pink=1, pink=1)`:       "twice",
		`x(); //@ usages(pink=many)`:            "no number",
		`x(); //@ usages`:                       "says nothing",
		`x(); //@ verdict("fine")`:              `"fine" is none of`,
		"//@ nolinks\n":                         "no code follows",
		"x(); /* no end":                        "comment does not end",
		"x(\"no end\n);":                        "literal does not end",
		`x("\`:                                  "literal does not end",
		"y();\nx(); //@ site(\"a\", \"b\")":     "A.java:2",
		`x(); //@ links("a",,)`:                 "an argument was expected",
		`x(); //@ usages(pink=)`:                "a value for pink",
		`x(); //@ ("a")`:                        "an expectation was expected",
		`x(); //@ links[cha("a")`:               "] or a comma",
		"x(); //@ usages(pink=\"99999999999\")": "no number",
	} {
		got, err := ParseText("A.java", []byte(text))
		if err == nil {
			t.Errorf("%q: no error, got %v", text, got)
		} else if !strings.Contains(err.Error(), part) || !strings.HasPrefix(err.Error(), "A.java:") {
			t.Errorf("%q: error %q, want A.java:... %q", text, err, part)
		}
	}
}

// recorder stands in for the test that a Set reports to.
type recorder struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (r *recorder) Helper()                        {}
func (r *recorder) Cleanup(f func())               { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(f string, a ...any)      { r.errors = append(r.errors, fmt.Sprintf(f, a...)) }
func (r *recorder) Fatal(a ...any)                 { panic(fmt.Sprint(a...)) }
func (r *recorder) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }

func (r *recorder) end() []string {
	for _, f := range r.cleanups {
		f()
	}
	return r.errors
}

// load writes one Java file and loads it on behalf of a recorder; the string is
// the fatal error, if any.
func load(t *testing.T, text string, kinds ...string) (s *Set, r *recorder, fatal string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "A.java")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r = &recorder{TB: t}
	defer func() {
		if v := recover(); v != nil {
			fatal = fmt.Sprint(v)
		}
	}()
	return Load(r, kinds, filepath.Dir(file)), r, ""
}

func TestSetPicksTheMostSpecific(t *testing.T) {
	s, r, fatal := load(t, `
x(); //@ links("a") links[cha]("b") links[cha,jdk17]("c") handlers(1)
y(); //@ nolinks cause("a", "b") cause("c", "d")
z(); //@ links#1("z") links#2("y")
`, "links", "nolinks", "cause")
	if fatal != "" {
		t.Fatal(fatal)
	}
	for _, c := range []struct{ config, want string }{
		{"rta", `links("a") links#1("z") links#2("y")`},
		{"cha", `links[cha]("b") links#1("z") links#2("y")`},
		{"cha jdk17", `links[cha,jdk17]("c") links#1("z") links#2("y")`},
	} {
		active, err := s.Active("links", strings.Fields(c.config)...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range active {
			got = append(got, e.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("under %s: %s, want %s", c.config, strings.Join(got, " "), c.want)
		}
	}
	if both, err := s.Active("cause"); err != nil || len(both) != 2 {
		t.Errorf("cause: %v, %v; want both", both, err)
	}
	if _, err := s.Active("handlers"); err == nil {
		t.Error("a kind that was not asked for is handed out")
	}
	if errors := r.end(); len(errors) != 1 ||
		!strings.Contains(errors[0], "A.java:3: nothing checked the expectation nolinks") {
		t.Errorf("at the end: %q, want the unchecked nolinks of line 3", errors)
	}
}

func TestSetOfPreciseCallGraphs(t *testing.T) {
	s, r, fatal := load(t, `
x(); //@ links("a") links[rta+]("b") links[pta+]("c") links[inpta]("d") links[jdk17,rta]("e")
y(); //@ nolinks[obj-dr+]
`, "links", "nolinks")
	if fatal != "" {
		t.Fatal(fatal)
	}
	for config, want := range map[string]string{
		"cha": `links("a")`, "rta": `links[rta+]("b")`, "rta jdk17": `links[jdk17,rta]("e")`, "pta": `links[pta+]("c")`,
		"inpta": `links[inpta]("d")`, "inpta-dr": `links[pta+]("c")`, "obj-dr jdk17": `links[pta+]("c")`,
	} {
		active, err := s.Active("links", strings.Fields(config)...)
		if err != nil || len(active) != 1 || active[0].String() != want {
			t.Errorf("under %s: %v, %v, want %s", config, active, err, want)
		}
	}
	if n := s.SetAside([]string{"cha", "rta", "pta", "inpta-dr"}); n != 2 {
		t.Errorf("%d expectations set aside, want links[inpta] and nolinks[obj-dr+]", n)
	}
	if errors := r.end(); len(errors) != 0 {
		t.Errorf("at the end: %q", errors)
	}
	s, r, fatal = load(t, `x(); //@ links[jdk17]("a") links[jdk25,rta]("b") nolinks[jdk25]`, "links", "nolinks")
	if fatal != "" {
		t.Fatal(fatal)
	}
	s.SetAsideWord("jdk25")
	if errors := r.end(); len(errors) != 1 ||
		!strings.Contains(errors[0], `nothing checked the expectation links[jdk17]("a")`) {
		t.Errorf("with those of JDK 25 set aside: %q", errors)
	}
	s, _, fatal = load(t, `x(); //@ links[inpta+]("a") links[pta-dr+]("b")`, "links")
	if fatal != "" {
		t.Fatal(fatal)
	}
	if _, err := s.Active("links", "inpta-dr"); err == nil {
		t.Error("no error although both apply to inpta-dr and neither is the narrower one")
	}
}

func TestSetAmbiguous(t *testing.T) {
	s, _, fatal := load(t, `x(); //@ links[cha]("a") links[jdk17]("b")`, "links")
	if fatal != "" {
		t.Fatal(fatal)
	}
	if _, err := s.Active("links", "cha"); err != nil {
		t.Error(err)
	}
	if _, err := s.Active("links", "cha", "jdk17"); err == nil || !strings.Contains(err.Error(), "both links[cha]") {
		t.Errorf("error %v, want one that names both", err)
	}
}

func TestLoadRejects(t *testing.T) {
	for text, part := range map[string]string{
		`x(); //@ links("a") links("b")`:         "twice for one configuration",
		`x(); //@ site("a") site("b")`:           "two labels",
		`x(); //@ wrong`:                         "unknown kind",
		`x(); //@ links[cha]("a") links[cha,]()`: "no configuration word",
	} {
		if _, _, fatal := load(t, text, "links"); !strings.Contains(fatal, part) {
			t.Errorf("%q: %q, want %q", text, fatal, part)
		}
	}
	if _, _, fatal := load(t, "", "lnks"); !strings.Contains(fatal, `"lnks"`) {
		t.Errorf("an unknown kind to check: %q", fatal)
	}
	func() {
		defer func() {
			if v := fmt.Sprint(recover()); !strings.Contains(v, "no Java files") {
				t.Errorf("a folder without Java files: %s", v)
			}
		}()
		Load(&recorder{TB: t}, nil, t.TempDir())
	}()
}

func TestSiteName(t *testing.T) {
	s, _, fatal := load(t, "x(); //@ site(\"read\")\ny();\n")
	if fatal != "" {
		t.Fatal(fatal)
	}
	file := s.Files()[0]
	if got := s.SiteName("p/A", "lambda$f$0", file, 1); got != "read" {
		t.Errorf("labelled line: %q", got)
	}
	if got := s.SiteName("p/A", "f", file, 2); got != "p/A.f" {
		t.Errorf("line without a label: %q", got)
	}
	if got := s.SiteName("java/io/FileInputStream", "readBytes", "", 0); got != "java/io/FileInputStream.readBytes" {
		t.Errorf("site without source: %q", got)
	}
}

// TestReadmeNamesEveryKind holds the table of kinds in the README and the one in
// the code together.
func TestReadmeNamesEveryKind(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "known", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "## Kinds")
	if !ok {
		t.Fatal("the README has no section Kinds")
	}
	described := make(map[string]bool)
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-zA-Z]+)").FindAllStringSubmatch(table, -1) {
		described[m[1]] = true
		if _, ok := Kinds[m[1]]; !ok {
			t.Errorf("the README describes %s, which is no kind", m[1])
		}
	}
	for k := range Kinds {
		if !described[k] {
			t.Errorf("the README does not describe %s", k)
		}
	}
}

// TestKnownFilesParse reads every expectation of the repository.
func TestKnownFilesParse(t *testing.T) {
	files, err := javaFiles([]string{filepath.Join("..", "..", "testdata", "known")})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, f := range files {
		list, err := Parse(f)
		if err != nil {
			t.Error(err)
		}
		total += len(list)
	}
	if total < 100 {
		t.Errorf("%d expectations in %d files; there were more", total, len(files))
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`x(); //@ links[cha]#1("a", b=2) nolinks`)
	f.Add("\"\"\"\n//@\n\"\"\" //@ usages(pink=1)")
	f.Add(`'\'' /* */ // //@ x`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseText("F.java", []byte(text))
		if err != nil {
			return
		}
		for _, e := range list {
			again, err := ParseText("F.java", []byte("x(); //@ "+e.String()))
			if err != nil || len(again) != 1 || again[0].String() != e.String() {
				t.Fatalf("%s does not survive writing and reading: %v, %v", e, again, err)
			}
		}
	})
}
