//go:build slow

package worker

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// artifacts of the frameworks, at the versions that these tests were written for.
var (
	junit4Jars  = []string{"junit:junit:4.13.2", "org.hamcrest:hamcrest-core:1.3"}
	junit4Early = []string{"junit:junit:4.5"}
	junit3Jars  = []string{"junit:junit:3.8.2"}
	junit5Jars  = []string{"org.junit.jupiter:junit-jupiter-api:5.10.2",
		"org.junit.jupiter:junit-jupiter-engine:5.10.2", "org.junit.jupiter:junit-jupiter-params:5.10.2",
		"org.junit.platform:junit-platform-commons:1.10.2", "org.junit.platform:junit-platform-engine:1.10.2",
		"org.junit.platform:junit-platform-launcher:1.10.2", "org.opentest4j:opentest4j:1.3.0",
		"org.apiguardian:apiguardian-api:1.1.2"}
	vintageJars = []string{"org.junit.vintage:junit-vintage-engine:5.10.2", "junit:junit:4.13.2",
		"org.hamcrest:hamcrest-core:1.3"}
	testngJars = []string{"org.testng:testng:7.5.1", "com.beust:jcommander:1.78",
		"com.google.code.findbugs:jsr305:3.0.1"}
	testngNewer = []string{"org.testng:testng:7.10.2", "com.beust:jcommander:1.82", "org.slf4j:slf4j-api:1.7.36"}
	testngOlder = []string{"org.testng:testng:6.8.21", "com.beust:jcommander:1.27", "org.beanshell:bsh:2.0b4"}
)

func artifacts(t *testing.T, lists ...[]string) []string {
	var paths []string
	for _, l := range lists {
		for _, c := range l {
			paths = append(paths, testjdk.Artifact(t, c))
		}
	}
	return paths
}

// frameworkCase is one framework: its sources, and what a run of each class must
// show, one line per test: "outcome display [reason or exception: message]".
type frameworkCase struct {
	name    string
	adapter agent.Adapter
	jars    [][]string
	source  string
	classes map[string]string
	// found are the displays that discovery of the first class lists.
	first string
	found string
	// alone maps ids that are run one by one to their outcome.
	alone map[string]Outcome
	// without maps classes to what they show without withoutIDs.
	without    map[string]string
	withoutIDs []string
	// invocations maps ids of dynamic tests to what a run of these shows.
	invocations map[string]string
	release     int // that of Java for the source; 0: 8
}

const four = `fail p.Four#fails java.lang.AssertionError: expected expected:<1> but was:<2>
pass p.Four#categorized
pass p.Four#expects
pass p.Four#passes
pass p.Four#timed
skipped p.Four#assumes (org.junit.AssumptionViolatedException: never)
skipped p.Four#ignored (not now)
`

var frameworkCases = []frameworkCase{
	{
		name:    "JUnit 4.5",
		adapter: agent.JUnit4,
		jars:    [][]string{junit4Early},
		source:  "testdata/junit4early/Early.java",
		classes: map[string]string{
			"p.Early": "fail p.Early#fails java.lang.AssertionError: expected:<1> but was:<2>\npass " +
				"p.Early#passes\nskipped p.Early#ignored (not now)\n",
		},
		first: "p.Early",
		found: "p.Early#fails p.Early#ignored p.Early#passes",
	},
	{name: "JUnit 4", adapter: agent.JUnit4, jars: [][]string{junit4Jars}, source: "testdata/junit4/Four.java",
		classes: map[string]string{
			"p.Four": four,
			"p.Four$Params": "fail p.Four$Params#odd[1] java.lang.AssertionError: expected:<1> but was:<0>\n" +
				"pass p.Four$Params#odd[0]\n",
			"p.Four$BadFixture": "fixture fail p.Four$BadFixture java.lang.IllegalStateException: fixture\n",
			"p.Four$All": "fail p.Four$Old#testOldFails junit.framework.AssertionFailedError: old\n" +
				"fail p.Four$Params#odd[1] java.lang.AssertionError: expected:<1> but was:<0>\n" +
				"pass p.Four$Old#testOld\npass p.Four$Params#odd[0]\n",
			"p.Four$Built": "fail p.Four$Built#testSecond junit.framework.AssertionFailedError: expected:<0> but " +
				"was:<1>\npass p.Four$Built#testFirst\n",
			"p.Four$NoTests": "\n",
			"p.Four$NoGood": "fail p.Four$NoGood#initializationError org.junit.runners.model.InvalidTestClassError: " +
				"Invalid test class 'p.Four$NoGood':\n  1. Method hidden() should be public\n",
		},
		first: "p.Four", found: "p.Four#assumes p.Four#categorized{p.Four$Slow,=p.Four$Slow} p.Four#expects " +
			"p.Four#fails " +
			"p.Four#ignored p.Four#passes p.Four#timed",
		alone: map[string]Outcome{"p.Four#passes": Pass, "p.Four#fails": Fail, "p.Four#assumes": Skipped,
			"p.Four#ignored": Skipped,
			"p.Four#timed":   Pass, "p.Four$Params#odd[1]": Fail, "p.Four$Params#odd[0]": Pass,
			"p.Four$BadFixture#never": Fail,
			"p.Four$Built#testFirst":  Pass, "p.Four$Built#testSecond": Pass,
			"p.Four$Told|p.Four$Built#testFirst": Pass, "p.Four$Told|p.Four$Built#testSecond": Pass,
			"p.Four$Adapted#first": Pass, "p.Four$Adapted#second": Pass,
			"p.Four$Twice|p.Four$Twice[two]#passes": Pass, "p.Four$Twice|p.Four$Twice[two]#passesToo": Pass,
			"p.Four$Twice|p.Four$Twice[one]#fails": Fail, "p.Four$Twice|p.Four$Twice[three]#passes": Missing,
			"p.Four$All|p.Four$Old#testOld": Pass, "p.Four$All|p.Four$Old#testOldFails": Fail, "p.Four#none": Missing},
		withoutIDs: []string{"p.Four$Params#odd[1]", "p.Four$All|p.Four$Old#testOldFails", "p.Four$Built#testSecond",
			"p.Four$Steps#b"},
		without: map[string]string{"p.Four$Params": "pass p.Four$Params#odd[0]\n",
			"p.Four$Built": "pass p.Four$Built#testFirst\n",
			"p.Four$Steps": "pass p.Four$Steps#a\npass p.Four$Steps#c\n",
			"p.Four$All": "fail p.Four$Params#odd[1] java.lang.AssertionError: expected:<1> but was:<0>\npass " +
				"p.Four$Old#testOld\npass p.Four$Params#odd[0]\n"}},
	{name: "JUnit 3", adapter: agent.JUnit3, jars: [][]string{junit3Jars}, source: "testdata/junit3/Three.java",
		classes: map[string]string{
			"p.Three": "fail p.Three#testError java.lang.IllegalStateException: three\n" +
				"fail p.Three#testFails junit.framework.AssertionFailedError: three\npass p.Three#testPasses\n",
			"p.Three$Fixture": "pass p.Three$Fixture#testOther\npass p.Three$Fixture#testUp\n",
		},
		first: "p.Three", found: "p.Three#testError p.Three#testFails p.Three#testPasses",
		withoutIDs: []string{"p.Three#testError"},
		without: map[string]string{"p.Three": "fail p.Three#testFails junit.framework.AssertionFailedError: " +
			"three\npass p.Three#testPasses\n"},
		alone: map[string]Outcome{"p.Three#testPasses": Pass, "p.Three#testError": Fail, "p.Three$Fixture#testUp": Pass,
			"p.Three#none": Missing}},
	{name: "JUnit 5", adapter: agent.JUnitPlatform, jars: [][]string{junit5Jars}, source: "testdata/junit5/Five.java",
		classes: map[string]string{
			"p.Five": `fail p.Five#fails org.opentest4j.AssertionFailedError: five
fail p.Five#odd[2] org.opentest4j.AssertionFailedError: expected: <1> but was: <0>
pass p.Five#factory[1]
pass p.Five#factory[2]
pass p.Five#odd[1]
pass p.Five#over()
pass p.Five#over(org.junit.jupiter.api.TestInfo)
pass p.Five#passes
pass p.Five#repeated[1]
pass p.Five#repeated[2]
pass p.Five#timed
pass p.Five$Inner#nested
skipped p.Five#assumes (org.opentest4j.TestAbortedException: Assumption failed: never)
skipped p.Five#disabled (not now)
`,
			"p.Five$BadFixture": "fixture fail p.Five$BadFixture java.lang.IllegalStateException: fixture\n",
		},
		first: "p.Five", found: "p.Five#assumes p.Five#disabled p.Five#factory* p.Five#fails{slow} p.Five#odd* " +
			"p.Five#over() p.Five#over(org.junit.jupiter.api.TestInfo) p.Five#passes p.Five#repeated* p.Five#timed " +
			"p.Five$Inner#nested",
		alone: map[string]Outcome{
			"[engine:junit-jupiter]/[class:p.Five]/[method:passes()]":                                      Pass,
			"[engine:junit-jupiter]/[class:p.Five]/[method:fails()]":                                       Fail,
			"[engine:junit-jupiter]/[class:p.Five]/[method:assumes()]":                                     Skipped,
			"[engine:junit-jupiter]/[class:p.Five]/[method:disabled()]":                                    Skipped,
			"[engine:junit-jupiter]/[class:p.Five]/[test-template:odd(int)]/[test-template-invocation:#1]": Pass,
			"[engine:junit-jupiter]/[class:p.Five]/[test-template:odd(int)]/[test-template-invocation:#2]": Fail,
			"[engine:junit-jupiter]/[class:p.Five]/[test-factory:factory()]/[dynamic-test:#2]":             Pass,
			"[engine:junit-jupiter]/[class:p.Five]/[nested-class:Inner]/[method:nested()]":                 Pass,
			"[engine:junit-jupiter]/[class:p.Five$BadFixture]/[method:never()]":                            Fail,
			// discovery fails, and says so
			"[engine:junit-jupiter]/[class:p.Five]/[method:none()]": Fail,
		},
		withoutIDs: []string{"[engine:junit-jupiter]/[class:p.Five$Steps]/[method:b()]",
			"[engine:junit-jupiter]/[class:p.Five$Steps]/[test-template:d(int)]",
			"[engine:junit-jupiter]/[class:p.Five$Steps]/[nested-class:Deep]/[method:f()]"},
		without: map[string]string{"p.Five$Steps": "pass p.Five$Steps#a\npass p.Five$Steps#c\npass " +
			"p.Five$Steps$Deep#e\n"},
		invocations: map[string]string{
			"[engine:junit-jupiter]/[class:p.Five]/[test-template:odd(int)]": "fail p.Five#odd[2] " +
				"org.opentest4j.AssertionFailedError: expected: <1> but was: <0>\npass p.Five#odd[1]\n",
			"[engine:junit-jupiter]/[class:p.Five]/[test-factory:factory()]": "pass p.Five#factory[1]\npass " +
				"p.Five#factory[2]\n",
			"[engine:junit-jupiter]/[class:p.Five]/[test-template:repeated()]": "pass p.Five#repeated[1]\npass " +
				"p.Five#repeated[2]\n",
		}},
	{name: "vintage", adapter: agent.JUnitPlatform, jars: [][]string{junit5Jars, vintageJars},
		source: "testdata/junit4/Four.java",
		classes: map[string]string{
			"p.Four": strings.ReplaceAll(four, "(not now)", "(not now)"),
			"p.Four$Params": "fail p.Four$Params#odd[1] java.lang.AssertionError: expected:<1> but was:<0>\n" +
				"pass p.Four$Params#odd[0]\n",
		},
		first: "p.Four", found: "p.Four#assumes p.Four#categorized{p.Four$Slow} p.Four#expects p.Four#fails " +
			"p.Four#ignored p.Four#passes p.Four#timed",
		alone: map[string]Outcome{"[engine:junit-vintage]/[runner:p.Four]/[test:passes(p.Four)]": Pass,
			"[engine:junit-vintage]/[runner:p.Four]/[test:fails(p.Four)]": Fail}},
	{name: "TestNG", adapter: agent.TestNG, jars: [][]string{testngJars}, source: "testdata/testng/Ng.java",
		classes: withRetries(ngClasses),
		first:   "p.Ng", found: "p.Ng#depends p.Ng#expects p.Ng#fails p.Ng#odd* p.Ng#parallel* p.Ng#passes{fast} " +
			"p.Ng#skips", alone: ngAlone, invocations: ngInvocations, without: ngWithout, withoutIDs: ngWithoutIDs},
	{name: "TestNG 7.10", adapter: agent.TestNG, jars: [][]string{testngNewer}, release: 11,
		source: "testdata/testng/Ng.java", classes: withRetries(ngClasses),
		first: "p.Ng", found: "p.Ng#depends p.Ng#expects p.Ng#fails p.Ng#odd* p.Ng#parallel* p.Ng#passes{fast} " +
			"p.Ng#skips", alone: ngAlone, invocations: ngInvocations, without: ngWithout, withoutIDs: ngWithoutIDs},
	{name: "TestNG 6.8", adapter: agent.TestNG, jars: [][]string{testngOlder}, source: "testdata/testng/Ng.java",
		classes: ngClasses,
		first:   "p.Ng", found: "p.Ng#depends p.Ng#expects p.Ng#fails p.Ng#odd* p.Ng#parallel* p.Ng#passes{fast} " +
			"p.Ng#skips", alone: ngAlone, invocations: ngInvocations, without: ngWithout, withoutIDs: ngWithoutIDs},
}

var ngClasses = map[string]string{
	// TestNG runs the public nested class along.
	"p.Ng": `fail p.Ng#fails java.lang.AssertionError: expected [2] but found [1]
fail p.Ng#odd[1] java.lang.AssertionError: expected [1] but found [0]
fixture fail p.Ng java.lang.IllegalStateException: fixture
pass p.Ng#depends
pass p.Ng#expects
pass p.Ng#odd[0]
pass p.Ng#parallel
pass p.Ng#parallel
pass p.Ng#parallel
pass p.Ng#parallel
pass p.Ng#passes
skipped p.Ng#skips (org.testng.SkipException: not now)
skipped p.Ng$BadFixture#never*
`,
	// Failures within the percentage are none.
	"p.Within$Percents": `fail p.Within$Percents#most[1] java.lang.AssertionError: always
pass p.Within$Percents#half[0]
pass p.Within$Percents#half[1]
pass p.Within$Percents#half[2]
pass p.Within$Percents#half[3]
pass p.Within$Percents#most[0]
`,
	"p.Factories$Made": `fail p.Factories$Made#half(String)[instance 2][0] java.lang.AssertionError: expected [b] but found [a]
pass p.Factories$Made#first[instance 1]
pass p.Factories$Made#first[instance 2]
pass p.Factories$Made#half(String)[instance 1][0]
pass p.Factories$Made#half(int, int)[instance 1][0]
pass p.Factories$Made#half(int, int)[instance 1][1]
pass p.Factories$Made#half(int, int)[instance 2][0]
pass p.Factories$Made#half(int, int)[instance 2][1]
`,
	"p.Ng$BadFixture": "fixture fail p.Ng$BadFixture java.lang.IllegalStateException: fixture\nskipped " +
		"p.Ng$BadFixture#never*\n",
}

var ngAlone = map[string]Outcome{"p.Ng#passes": Pass, "p.Ng#fails": Fail, "p.Ng#skips": Skipped, "p.Ng#odd[0]": Pass,
	"p.Ng#odd[1]":  Fail,
	"p.Ng#depends": Pass, "p.Ng#none": Missing, "p.Ng$BadFixture#never": Fail,
	"p.Factories$Made#half(String)[instance 1][0]": Pass, "p.Factories$Made#half(String)[instance 2][0]": Fail,
	"p.Factories$Made#half(int, int)[instance 2][1]": Pass,
	"p.Factories$Made#first[instance 3]":             Missing}

// withRetries adds a class whose tests are tried again: TestNG 6.8 itself does so for ever.
func withRetries(classes map[string]string) map[string]string {
	all := maps.Clone(classes)
	all["p.Factories$Tried"] = "fail p.Factories$Tried#never java.lang.AssertionError: never\npass " +
		"p.Factories$Tried#third\n"
	return all
}

var ngWithoutIDs = []string{"p.Factories$Made#half(String)", "p.Factories$Made#first", "p.Factories$Made#no"}

var ngWithout = map[string]string{"p.Factories$Made": `pass p.Factories$Made#half(int, int)[instance 1][0]
pass p.Factories$Made#half(int, int)[instance 1][1]
pass p.Factories$Made#half(int, int)[instance 2][0]
pass p.Factories$Made#half(int, int)[instance 2][1]
`}

var ngInvocations = map[string]string{"p.Ng#odd": "fail p.Ng#odd[1] java.lang.AssertionError: expected [1] but found " +
	"[0]\npass p.Ng#odd[0]\n"}

func TestFrameworks(t *testing.T) {
	for _, home := range testjdk.All(t) {
		for _, c := range frameworkCases {
			t.Run(fmt.Sprintf("JDK %d %s", testjdk.Feature(t, home), c.name), func(t *testing.T) {
				testFramework(t, home, c)
			})
		}
	}
}

func testFramework(t *testing.T, home string, c frameworkCase) {
	jars := artifacts(t, c.jars...)
	out := t.TempDir()
	testjdk.Javac(t, home, cmp.Or(c.release, 8), jars, out, c.source)
	j := startJVM(t, Spec{JDK: home, Cache: testCache(t), ClassPath: append([]string{out}, jars...),
		TestTimeout: time.Minute})
	ctx := context.Background()
	tests, problems, err := j.Discover(ctx, Request{Adapter: c.adapter, Classes: []string{c.first}})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	var found []string
	for _, d := range tests {
		s := d.Display
		if len(d.Tags) > 0 {
			s += "{" + strings.Join(d.Tags, ",") + "}"
		}
		if d.Dynamic {
			s += "*"
		}
		found = append(found, s)
	}
	sort.Strings(found)
	if got := strings.Join(found, " "); got != c.found {
		t.Errorf("discovered\n%s\nwant\n%s", got, c.found)
	}
	for class, want := range c.classes {
		r := run(t, j, Request{Adapter: c.adapter, Classes: []string{class}})
		if got := outcomes(r); !match(got, want) {
			t.Errorf("%s:\n%swant\n%s", class, got, want)
		}
	}
	for id, want := range c.alone {
		r := run(t, j, Request{Adapter: c.adapter, Tests: []string{id}})
		if len(r.Tests) != 1 || r.Tests[0].Outcome != want || r.Tests[0].ID != id {
			t.Errorf("%s alone: %swant %s", id, outcomes(r), want)
		}
	}
	for class, want := range c.without {
		r := run(t, j, Request{Adapter: c.adapter, Classes: []string{class}, Without: c.withoutIDs})
		if got := outcomes(r); !match(got, want) {
			t.Errorf("%s without %v:\n%swant\n%s", class, c.withoutIDs, got, want)
		}
	}
	for id, want := range c.invocations {
		r := run(t, j, Request{Adapter: c.adapter, Invocations: []string{id}})
		if got := outcomes(r); !match(got, want) {
			t.Errorf("invocations of %s:\n%swant\n%s", id, got, want)
		}
	}
}

// Suites of TestNG say which classes and methods run, with what parameters, groups, fixtures and
// listeners; a class that two of their tests have runs in both.
func TestTestNGSuites(t *testing.T) {
	suite, err := filepath.Abs("testdata/testng/suite.xml")
	if err != nil {
		t.Fatal(err)
	}
	releases := map[string]int{testngNewer[0]: 11}
	for _, list := range [][]string{testngJars, testngOlder, testngNewer} {
		t.Run(list[0], func(t *testing.T) {
			jars, out, home := artifacts(t, list), t.TempDir(), testjdk.JDK(t, 17)
			testjdk.Javac(t, home, cmp.Or(releases[list[0]], 8), jars, out, "testdata/testng/Ng.java",
				"testdata/testng/Packed.java", "testdata/testng/Tuned.java")
			j := startJVM(t, Spec{JDK: home, Cache: testCache(t), ClassPath: append([]string{out}, jars...),
				TestTimeout: time.Minute})
			request := func(class, test string) Request {
				q := Request{Adapter: agent.TestNG, Suites: []string{suite}}
				if class != "" {
					q.Classes = []string{class}
				} else {
					q.Tests = []string{test}
				}
				return q
			}
			for class, want := range map[string]string{
				"p.Suite$Fixture": "pass p.Suite$Fixture#base\npass p.Suite$Fixture#other\n",
				"p.Tuned": `fail p.Tuned#many[test 1][0] java.lang.AssertionError: expected [two2] but found [one1]
fail p.Tuned#many[test 1][1] java.lang.AssertionError: expected [two2] but found [one2]
fail p.Tuned#many[test 2][0] java.lang.AssertionError: expected [two2] but found [two1]
fail p.Tuned#slow[test 2] java.lang.AssertionError: two
pass p.Tuned#many[test 2][1]
pass p.Tuned#needs[test 1]
pass p.Tuned#same[test 1]
pass p.Tuned#same[test 2]
`,
				"p.packed.Packed": "pass p.packed.Packed#listened\n",
				"p.Suite$Absent":  "\n"} {
				if got := outcomes(run(t, j, request(class, ""))); got != want {
					t.Errorf("%s:\n%swant\n%s", class, got, want)
				}
			}
			for test, want := range map[string]Outcome{"p.Tuned#needs[test 1]": Pass, "p.Tuned#same[test 2]": Pass,
				"p.Tuned#many[test 2][1]": Pass, "p.Tuned#many[test 1][1]": Fail,
				"p.Tuned#slow[test 1]": Missing, "p.Suite$Absent#never": Missing} {
				r := run(t, j, request("", test))
				if len(r.Tests) != 1 || r.Tests[0].Outcome != want || r.Tests[0].ID != test {
					t.Errorf("%s alone: %swant %s", test, outcomes(r), want)
				}
			}
			q := request("p.Tuned", "")
			q.Without = []string{"p.Tuned#many[test 1]", "p.Tuned#many[test 2]", "p.Tuned#slow[test 2]",
				"p.Tuned#same[test 1]"}
			want := "pass p.Tuned#needs[test 1]\npass p.Tuned#same[test 2]\n"
			if got := outcomes(run(t, j, q)); got != want {
				t.Errorf("without %q:\n%swant\n%s", q.Without, got, want)
			}
			both := request("p.Tuned", "")
			both.Classes = append(both.Classes, "p.Suite$Absent")
			found, problems, err := j.Discover(context.Background(), both)
			var ids []string
			for _, d := range found {
				ids = append(ids, strings.TrimPrefix(d.ID, "p.Tuned#"))
			}
			sort.Strings(ids)
			want = "many[test 1] many[test 2] needs[test 1] same[test 1] same[test 2] slow[test 2]"
			if got := strings.Join(ids, " "); got != want || err != nil || len(problems) > 0 {
				t.Errorf("discovered %s, want %s; %v, %v", got, want, problems, err)
			}
			bad := request("p.Tuned", "")
			bad.Suites = []string{suite + ".none"}
			if got := outcomes(run(t, j, bad)); !strings.Contains(got, "suite.xml.none cannot be read") {
				t.Errorf("a suite that is not there: %s", got)
			}
		})
	}
}

// match compares line by line; "*" at an end stands for anything.
func match(got, want string) bool {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(g) != len(w) {
		return false
	}
	for i := range g {
		if p, ok := strings.CutSuffix(w[i], "*"); ok && strings.HasPrefix(g[i], p) {
			continue
		}
		if g[i] != w[i] {
			return false
		}
	}
	return true
}

func outcomes(r *RunResult) string {
	var lines []string
	for _, f := range r.Fixtures {
		if f.Outcome != Pass {
			lines = append(lines, fmt.Sprintf("fixture %s %s %s: %s", f.Outcome, f.Class, f.Failure.Exception,
				f.Failure.Message))
		}
	}
	for _, x := range r.Tests {
		s := string(x.Outcome) + " " + x.Display
		if x.Failure.Exception != "" {
			s += " " + x.Failure.Exception + ": " + x.Failure.Message
		}
		if x.Reason != "" {
			s += " (" + x.Reason + ")"
		}
		lines = append(lines, s)
	}
	sort.Strings(lines)
	s := strings.Join(lines, "\n") + "\n"
	if r.Died != nil {
		s += fmt.Sprintf("died %+v\n", r.Died)
	}
	return s
}
