package verdicts

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/bench/surefire"
	"github.com/catchlens/catchlens/instrument/record"
)

// This file compares the tests that catchlens ran with those of the build.

// counted says how many invocations of a test method ended how: pass, fail, skip, or the
// word of catchlens for what a build does not know (flaky, hang, ...).
type counted map[string]int

func (c counted) String() string {
	if len(c) == 0 {
		return "not there"
	}
	var parts []string
	for _, word := range slices.Sorted(maps.Keys(c)) {
		parts = append(parts, fmt.Sprintf("%d %s", c[word], word))
	}
	return strings.Join(parts, ", ")
}

// testComparison lists where tests and outcomes differ.
type testComparison struct {
	built, ran  int // invocations
	methods     int // of the build
	differences []string
	excluded    []string // differences that projects.toml gives a reason for
}

// ofBuild counts the cases of a build by method.
func ofBuild(cases []surefire.Case) map[string]counted {
	all := map[string]counted{}
	for _, c := range cases {
		count(all, key(c.Key()), c.Outcome.String())
	}
	return all
}

// ofCatchlens counts the runs of a baseline by method.
func ofCatchlens(runs []*record.TestRun) map[string]counted {
	all := map[string]counted{}
	for _, r := range runs {
		class, name, _ := strings.Cut(r.Test, "#")
		word := string(r.Outcome)
		if r.Outcome == record.Skipped {
			word = surefire.Skip.String()
		}
		count(all, key(class+"#"+surefire.Method(name, class)), word)
	}
	return all
}

func count(all map[string]counted, key, word string) {
	if all[key] == nil {
		all[key] = counted{}
	}
	all[key][word]++
}

// key writes names of nested classes alike: Surefire has them with a dollar sign.
func key(name string) string { return strings.ReplaceAll(name, "$", ".") }

// compareTests compares by method: how many invocations there were and how each ended.
func compareTests(cases []surefire.Case, runs []*record.TestRun, excluded []exclusion) testComparison {
	built, ran := ofBuild(cases), ofCatchlens(runs)
	c := testComparison{built: len(cases), ran: len(runs), methods: len(built)}
	names := maps.Clone(built)
	maps.Copy(names, ran)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if maps.Equal(built[name], ran[name]) {
			continue
		}
		line := fmt.Sprintf("%s: build %s; catchlens %s", name, built[name], ran[name])
		i := slices.IndexFunc(excluded, func(x exclusion) bool {
			matches, _ := path.Match(x.Tests, name)
			return matches
		})
		if i >= 0 {
			c.excluded = append(c.excluded, line+" ("+excluded[i].Reason+")")
		} else {
			c.differences = append(c.differences, line)
		}
	}
	return c
}

// totalTime is what the tests of a build took, one after the other.
func totalTime(cases []surefire.Case) (sum time.Duration) {
	for _, c := range cases {
		sum += c.Time
	}
	return sum
}
