package verdicts

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/bench/surefire"
	"github.com/catchlens/catchlens/instrument/record"
)

func TestTable(t *testing.T) {
	table, err := readTable()
	if err != nil {
		t.Fatal(err)
	}
	if len(table) < 8 {
		t.Errorf("%d projects, want 8 or more", len(table))
	}
	for _, p := range table {
		if _, err := readJudgements(filepath.Join("judgements", p.Name+".toml")); err != nil {
			t.Error(err)
		}
	}
}

// Invocations are counted by method and outcome, however either side numbers them.
func TestCompareTests(t *testing.T) {
	built := []surefire.Case{
		{Class: "p.A", Name: "same", Outcome: surefire.Pass, Time: time.Second},
		{Class: "p.A$In", Name: "param(String)[1]", Outcome: surefire.Pass},
		{Class: "p.A$In", Name: "param(String)[2]", Outcome: surefire.Skip},
		{Class: "p.B", Name: "twice", Outcome: surefire.Pass},
		{Class: "p.B", Name: "twice", Outcome: surefire.Pass},
		{Class: "p.B", Name: "gone", Outcome: surefire.Fail},
		{Class: "p.N", Name: "offline", Outcome: surefire.Fail},
		{Class: "p.C", Name: "", Outcome: surefire.Fail},
	}
	ran := []*record.TestRun{
		{Test: "p.A#same", Outcome: record.Pass},
		{Test: "p.A.In#param(String)[1]", Outcome: record.Pass},
		{Test: "p.A.In#param(String)[2]", Outcome: record.Skipped},
		{Test: "p.B#twice", Outcome: record.Flaky},
		{Test: "p.N#offline", Outcome: record.Pass},
	}
	c := compareTests(built, ran, []exclusion{{"p.N#*", "needs a network"}})
	want := []string{
		"p.B#gone: build 1 fail; catchlens not there",
		"p.B#twice: build 2 pass; catchlens 1 flaky",
		"p.C#(class): build 1 fail; catchlens not there",
	}
	if !reflect.DeepEqual(c.differences, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(c.differences, "\n"), strings.Join(want, "\n"))
	}
	if len(c.excluded) != 1 || !strings.Contains(c.excluded[0], "needs a network") {
		t.Errorf("excluded: %q", c.excluded)
	}
	if totalTime(built) != time.Second {
		t.Errorf("time: %v", totalTime(built))
	}
}

func TestSince(t *testing.T) {
	end := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	records := []time.Time{end.Add(-time.Second), end, end.Add(time.Nanosecond)}
	if n := since(records, func(t time.Time) time.Time { return t }, end); n != 1 {
		t.Errorf("%d records are younger, want 1", n)
	}
}

func TestCompareLinks(t *testing.T) {
	link := func(id, outcome string, predicted bool) reportLink {
		return reportLink{ID: id, Outcome: outcome, Predicted: predicted, Exception: "p.E",
			ThrowSite: throwSite{Class: "p.C", Method: "m" + id}}
	}
	besides := link("8", "no-test", true) // what else is thrown where an exception was seen to come out
	besides.ThrowSite.Method = "m3"
	before := &report{Catches: []reportCatch{
		{ID: "a", Reached: true, Links: []reportLink{link("1", "unknown", true), link("2", "unknown", true)}},
		{ID: "b", Reached: false},
		{ID: "t", Reached: true, InTests: true},
	}}
	after := &report{Catches: []reportCatch{
		{ID: "a", Reached: true, Links: []reportLink{
			link("1", "no-test", true), link("3", "experienced", true), link("4", "no-test", true),
			link("5", "experienced", false), besides}},
		{ID: "b", Reached: true, Links: []reportLink{link("6", "no-test", true)}},
		{ID: "t", Reached: true, InTests: true, Links: []reportLink{link("7", "no-test", true)}},
	}}
	byMissed := link("9", "no-test", true) // by way of a method that ran within the try
	byMissed.Chain = []stackFrame{{Class: "p.C", Method: "run"}, {Class: "p.D", Method: "missed()V"}}
	elsewhere := link("10", "no-test", true) // of one that ran in another one
	elsewhere.Chain = []stackFrame{{Class: "p.C", Method: "run"}, {Class: "p.D", Method: "elsewhere()V"}}
	after.Catches[0].Links = append(after.Catches[0].Links, byMissed, elsewhere)
	names := []string{"p.D.missed()V", "p.D.elsewhere()V", "p.D.known", "p.D.other"}
	ran := ranIn([]*record.TestRun{
		{Usages: map[string]record.Usage{"a": {}, "b": {}}, Methods: []record.MethodID{0, 1, 2},
			Below: record.Below{"a": {0, 2}}, Aside: record.Below{"b": {3}}},
	}, func(id record.MethodID) string { return names[id] },
		map[string]bool{"p.D.missed()V": true, "p.D.elsewhere()V": true})
	within := ranWithin{"a": {"p.D.missed()V": true}, "b": {"p.D.missed()V": true, "p.D.elsewhere()V": true}}
	if !reflect.DeepEqual(ran, within) {
		t.Errorf("ran are %v, want %v", ran, within)
	}
	c := compareLinks(before, after, ran)
	c.lines = nil
	want := linkComparison{before: 2, after: 7, lost: 1, experienced: 1, called: 3, grown: 2, unpredicted: 1}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v, want %+v", c, want)
	}
}

func dependent(id, test string) claim {
	c := &reportCatch{ID: id}
	c.contract.SourceIndependence = "violated"
	c.contract.Witnesses = []witness{{Test: test, Injected: "p.E"}}
	return claim{sourceDependent, c}
}

// A judgement counts as long as the claim rests on the same witness.
func TestCompareJudgements(t *testing.T) {
	known := []judgement{
		{Catch: "a", Claim: sourceDependent, Witness: "T#a with p.E", Says: right},
		{Catch: "b", Claim: sourceDependent, Witness: "T#a with p.E", Says: right},
		{Catch: "c", Claim: sourceDependent, Witness: "T#a with p.E", Says: wrong},
		{Catch: "d", Claim: sourceIndependent, Says: notShown},
	}
	holds := claim{sourceIndependent, &reportCatch{ID: "d"}}
	s := compareJudgements([]claim{dependent("a", "T#a"), dependent("b", "T#b"), dependent("e", "T#a"), holds}, known)
	want := tally{sourceDependent: {right: 1, "": 2}, sourceIndependent: {notShown: 1}}
	if !reflect.DeepEqual(s.tally, want) {
		t.Errorf("tally %v, want %v", s.tally, want)
	}
	if len(s.changed) != 1 || !strings.HasPrefix(s.changed[0], "b,") || len(s.gone) != 1 ||
		!strings.HasPrefix(s.gone[0], "c,") ||
		len(s.unjudged) != 2 || len(s.wrong) != 1 {
		t.Errorf("changed %q, gone %q, unjudged %v, wrong %q", s.changed, s.gone, s.unjudged, s.wrong)
	}
}

// A drawn verdict stays drawn when others come, unless one of those is drawn before it.
func TestDraw(t *testing.T) {
	var all []claim
	for _, id := range strings.Split("abcdefghijklmnop", "") {
		all = append(all, claim{purelyResilient, &reportCatch{ID: id}})
	}
	ids := func(claims []claim) map[string]bool {
		set := map[string]bool{}
		for _, c := range claims {
			set[c.catch.ID] = true
		}
		return set
	}
	few, more := ids(drawn(all[1:], 5, "s")), ids(drawn(all, 5, "s"))
	lost := 0
	for id := range few {
		if !more[id] {
			lost++
		}
	}
	if len(few) != 5 || len(more) != 5 || lost > 1 {
		t.Errorf("%v, then %v", few, more)
	}
	if reflect.DeepEqual(more, ids(drawn(all, 5, "another"))) {
		t.Error("the seed changes nothing")
	}
	if n := len(drawn(all, 50, "s")); n != len(all) {
		t.Errorf("%d drawn of %d", n, len(all))
	}
}

func TestReadJudgements(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.toml")
	p := project{Name: "p", Repository: "o/p", Commit: strings.Repeat("0", 40)}
	if err := writeJudgements(file, p, []claim{dependent("a", "T#a")}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	row := string(data)[strings.Index(string(data), "[[judgement]]"):]
	for _, trial := range []struct{ name, text, want string }{
		{"filled in", fill(string(data), right, "it is so"), ""},
		{"no answer", string(data), "not right, wrong or not shown"},
		{"no reason", strings.Replace(string(data), "says = ''", "says = 'right'", 1), "no reason"},
		{"unknown claim", strings.Replace(fill(string(data), right, "x"), sourceDependent, "good", 1), "is none"},
		{"unknown key", fill(string(data), right, "x") + "who = 'me'\n", "p.toml"},
		{"twice", fill(string(data), right, "x") + fill(row, right, "x"), "judged twice"},
	} {
		if err := os.WriteFile(file, []byte(trial.text), 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := readJudgements(file)
		switch {
		case trial.want == "" && (err != nil || len(j) != 1 || j[0].Witness != "T#a with p.E"):
			t.Errorf("%s: %+v, %v", trial.name, j, err)
		case trial.want != "" && (err == nil || !strings.Contains(err.Error(), trial.want)):
			t.Errorf("%s: error %v, want %q", trial.name, err, trial.want)
		}
	}
	if err := writeJudgements(file, p, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file without claims is left")
	}
	if j, err := readJudgements(file); err != nil || j != nil {
		t.Errorf("no file: %v, %v", j, err)
	}
}

// fill writes an answer and a reason into the form that writeJudgements leaves.
func fill(text, says, reason string) string {
	text = strings.Replace(text, "says = ''", "says = '"+says+"'", 1)
	return strings.Replace(text, "reason = ''", "reason = '"+reason+"'", 1)
}

// A share of nothing is none.
func TestShareOfNothing(t *testing.T) {
	if share(0, 0) != "–" {
		t.Error(share(0, 0))
	}
}

func TestSources(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "src", "p", "A.java")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	text := "package p;\nclass A {\n  void one() {\n    try { two(); } catch (Exception e) { }\n  }\n" +
		"  static class In {\n    void checks() { }\n  }\n  void two() { }\n}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s := newSources(dir)
	if got := s.member("src/p/A.java", 4); !strings.HasPrefix(got, "    3   void one()") ||
		strings.Contains(got, "checks") {
		t.Errorf("member: %q", got)
	}
	if got := s.test("p.A.In#checks(int)[1]"); got != "    7     void checks() { }\n" {
		t.Errorf("test: %q", got)
	}
	if s.test("p.A#inherited") != "" || s.test("q.Z#x") != "" || s.member("src/p/A.java", 1) != "" {
		t.Error("text that is not there")
	}
}
