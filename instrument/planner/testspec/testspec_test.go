package testspec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/catchlens/catchlens/instrument/planner"
)

// The specification of Misurda 2011, Figure 3.2, as it is printed.
const figure32 = `spec.benchmarks._209_db.Database:printRec:AGRAWAL_NODE
spec.benchmarks._209_db.Entry>equals:AGRAWAL_NODE
spec.benchmarks._209_db.Database:set_index:AGRAWAL_NODE
spec.benchmarks._209_db.Database:shell_sort:AGRAWAL_NODE
spec.benchmarks._209_db.Database:remove:AGRAWAL_NODE
spec.benchmarks._209_db.Database:getEntry:AGRAWAL_NODE
spec.benchmarks.**:=all:STATIC_BRANCH
`

func parse(t testing.TB, text string) *Spec {
	t.Helper()
	s, err := Parse("test.testspec", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// found says which rule counts for a method, by its line.
func found(s *Spec, class, method string) string {
	if r := s.RuleOf(class, method); r != nil {
		return fmt.Sprintf("%d %s", r.Line, r.Technique)
	}
	return "none"
}

func TestFigure32(t *testing.T) {
	s := parse(t, figure32)
	for _, test := range []struct{ class, method, want string }{
		{"spec.benchmarks._209_db.Database", "remove", "5 AGRAWAL_NODE"},
		{"spec.benchmarks._209_db.Entry", "equals", "2 AGRAWAL_NODE"},
		{"spec.benchmarks._209_db.Entry", "hashCode", "7 STATIC_BRANCH"},
		{"spec.benchmarks._201_compress.Compressor", "compress", "7 STATIC_BRANCH"},
		{"spec.harness.Context", "print", "none"},
	} {
		if got := found(s, test.class, test.method); got != test.want {
			t.Errorf("%s.%s: %s, not %s", test.class, test.method, got, test.want)
		}
	}
	var text strings.Builder
	if _, err := s.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(figure32, ">", ":", 1), text.String()); diff != "" {
		t.Error(diff)
	}
}

// Rules that name class and method come first, then the earliest; * is one package, ** with
// subpackages.
func TestPrecedence(t *testing.T) {
	s := parse(t, `# of everything
		a.*:=all:STATIC_NODE
		a.**:=all:DEMAND_NODE
		a.Known:=all:STATIC_BRANCH

		a.Known:run:MINIMUM_NODE
		a.Known>run:AGRAWAL_NODE
		a.Known:<init>:MINIMUM_BRANCH
		**:close:AGRAWAL_BRANCH
		*:=all:DEMAND_BRANCH
		a.Outer$Inner:run:DEMAND_AGRAWAL_NODE
		b.Names In Kotlin:it works (mostly):STATIC_NODE`)
	for _, test := range []struct{ class, method, want string }{
		{"a.Known", "run", "6 MINIMUM_NODE"},
		{"a.Known", "<init>", "8 MINIMUM_BRANCH"},
		{"a.Known", "stop", "2 STATIC_NODE"},
		{"a.b.Known", "run", "3 DEMAND_NODE"},
		{"a.b.Known", "close", "3 DEMAND_NODE"},
		{"ab.Known", "run", "none"},
		{"ab.Known", "close", "9 AGRAWAL_BRANCH"},
		{"Main", "main", "10 DEMAND_BRANCH"},
		{"a.Outer$Inner", "run", "11 DEMAND_AGRAWAL_NODE"},
		{"a.Outer", "run", "2 STATIC_NODE"},
		{"b.Names In Kotlin", "it works (mostly)", "12 STATIC_NODE"},
	} {
		if got := found(s, test.class, test.method); got != test.want {
			t.Errorf("%s.%s: %s, not %s", test.class, test.method, got, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	const names = "STATIC_NODE, AGRAWAL_NODE, DEMAND_NODE, DEMAND_AGRAWAL_NODE, STATIC_BRANCH, AGRAWAL_BRANCH, " +
		"DEMAND_BRANCH, MINIMUM_NODE, MINIMUM_BRANCH"
	for text, want := range map[string]string{
		"a.B":                 "1:1: a rule is package.Class:method:TECHNIQUE: this one has no method",
		"\n  a.B:run":         "2:10: a rule is package.Class:method:TECHNIQUE: this one has no technique",
		"a.B>run":             "1:8: a rule is package.Class:method:TECHNIQUE: this one has no technique",
		"a.B:run:":            `1:9: there is no technique "": write one of ` + names,
		"a.B:run:STATIC_NOD":  `1:9: there is no technique "STATIC_NOD": write one of ` + names,
		"a/B:run:STATIC_NODE": "1:2: packages are parted by dots: write a.B",
		"a.B*:run:STATIC_NODE": "1:4: a * stands for whole names of classes: " +
			"write it behind a dot, as in java.util.*",
		"a.*.B:run:STATIC_NODE":   "1:3: a * stands at the end of a class only, as in java.util.*",
		"a.***:run:STATIC_NODE":   "1:3: write * for the classes of a package, ** for those of its subpackages too",
		"a..B:run:STATIC_NODE":    "1:3: a name is missing: a class is written as in java.util.List",
		":run:STATIC_NODE":        "1:1: a name is missing: a class is written as in java.util.List",
		".*:run:STATIC_NODE":      "1:1: a name is missing: a class is written as in java.util.List",
		"a.B : run:STATIC_NODE":   "1:1: the parts of a rule have no space around them",
		"a.B:run :STATIC_NODE":    "1:5: the parts of a rule have no space around them",
		`"a.B":run:STATIC_NODE`:   `1:1: a name has no '"' in it`,
		"a.B[]:run:STATIC_NODE":   "1:4: a name has no '[' in it",
		"a.B::STATIC_NODE":        "1:5: a method is missing: write its name, or =all for all methods",
		"a.B:*:STATIC_NODE":       "1:5: a method has no pattern: write =all for all methods",
		"a.B:=every:STATIC_NODE":  "1:5: all methods are written =all",
		"a.B:run(I):STATIC_NODE":  "1:8: a method is its name alone, which means all methods of that name",
		"a.B:run:now:STATIC_NODE": "1:8: a name has no ':' in it",
	} {
		_, err := Parse("x", text)
		if err == nil || err.Error() != "x:"+want {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
	_, err := Parse("x", "a:b:STATIC_NODE\nfirst\n\nsecond\r\n")
	if lines := strings.Split(fmt.Sprint(err), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "x:2:1: ") ||
		!strings.HasPrefix(lines[1], "x:4:1: ") {
		t.Errorf("two errors: %v", err)
	}
	if _, err := Parse("x", strings.Repeat("wrong\n", 100)); strings.Count(fmt.Sprint(err), "\n") != maxErrors-1 {
		t.Errorf("many errors: %v", err)
	}
}

// Whatever is read is written so that it reads the same, and no text makes a rule that matches
// nothing by its form.
func FuzzParse(f *testing.F) {
	f.Add(figure32)
	f.Add("a.B:<init>:STATIC_NODE\r\n*:=all:DEMAND_BRANCH")
	f.Add("\uFEFF# note\n**>=all:MINIMUM_NODE")
	f.Add("a.B::STATIC_NODE\n:::\n>>>\na.*.b:c:")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("x", text)
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if line == "" {
					t.Errorf("%q: an empty line in %q", text, err)
				}
			}
			return
		}
		var written strings.Builder
		if _, err := s.WriteTo(&written); err != nil {
			t.Fatal(err)
		}
		again, err := Parse("x", written.String())
		if err != nil || len(again.Rules) != len(s.Rules) {
			t.Fatalf("%q reads as %v, written %q reads as %v: %v", text, s.Rules, written.String(), again, err)
		}
		for i, r := range s.Rules {
			class := strings.TrimRight(r.Class, "*")
			if class != r.Class {
				class += "C"
			}
			method := r.Method
			if method == AllMethods {
				method = "m"
			}
			if s.RuleOf(class, method) == nil {
				t.Errorf("rule %d, %s, does not match %s.%s", i, r, class, method)
			}
			r.Line = again.Rules[i].Line
			if again.Rules[i] != r {
				t.Errorf("%v is read again as %v", r, again.Rules[i])
			}
		}
	})
}

// Rules that name class and method cost the same however many there are.
func BenchmarkRuleOf(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		var rules []Rule
		for i := range n {
			rules = append(rules, Rule{Class: fmt.Sprintf("a.C%d", i), Method: "run", Technique: planner.StaticNode})
		}
		s := New(rules)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if s.RuleOf("a.C7", "run") == nil {
					b.Fatal("no rule")
				}
			}
		})
	}
}
