package shortcircuit

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/instrument/record"
)

const (
	excType = ExceptionClass
	ioType  = "java.io.IOException"
)

func form(to string, o record.Outcome) *record.Stretched {
	return &record.Stretched{Trial: record.Trial{Catch: "c", Outcome: o, Message: "line 7 needs it"}, To: to,
		Confirmed: true}
}

func ran(to, test string, o record.Outcome, takes ...string) *record.Stretched {
	return &record.Stretched{Trial: record.Trial{Catch: "c", Test: test, Outcome: o}, To: to, Exceptions: takes,
		Confirmed: true}
}

func unconfirmed(x *record.Stretched) *record.Stretched { x.Confirmed = false; return x }

func joint(o record.Outcome, took ...string) *record.Stretched {
	return &record.Stretched{Trial: record.Trial{Test: "a", Outcome: o},
		With: []string{"c to " + excType, "d to " + excType}, Took: took,
		Confirmed: true}
}

func TestDecideStretch(t *testing.T) {
	wide := Widening{To: []string{excType, ioType}}
	pink := []Test{{Name: "a", Baseline: record.Pass, Usage: record.Usage{Pink: 1, White: 1}}}
	blue := []Test{
		{Name: "a", Baseline: record.Pass, Usage: record.Usage{Blue: 1}},
		{Name: "b", Baseline: record.Pass, Usage: record.Usage{Blue: 2, White: 1}},
		{Name: "flaky", Baseline: record.Flaky, Usage: record.Usage{Blue: 2}},
	}
	ok := form(excType, record.Pass)
	for name, x := range map[string]struct {
		independence Answer
		widening     Widening
		tests        []Test
		runs         []*record.Stretched
		answer       StretchAnswer
		to, why      string
		caseA        bool
	}{
		"source-dependent": {Violated, wide, pink, nil, StretchNo, "", "source-dependent", false},
		"unknown":          {Unknown, wide, pink, nil, StretchUnknown, "", "not known whether", false},
		"never run": {Holds, wide,
			[]Test{{Name: "a", Baseline: record.Pass, Usage: record.Usage{Pink: 1}},
				{Name: "f", Baseline: record.Flaky, Usage: record.Usage{White: 1}}}, []*record.Stretched{ok},
			StretchUnknown, "", "no test makes this catch run", false},
		"takes all":     {Holds, Widening{Already: true, Why: "w"}, pink, nil, StretchYes, "", "w", false},
		"an error":      {Holds, Widening{Never: true, Why: "w"}, pink, nil, StretchNo, "", "w", false},
		"unknown types": {Holds, Widening{Why: "w"}, pink, nil, StretchUnknown, "", "w", false},
		"not looked at": {Holds, wide, pink, nil, StretchUnknown, "", "not been run", false},
		"case A":        {Holds, wide, pink, []*record.Stretched{ok}, StretchYes, excType, "caught all", true},
		"case A, no class": {Holds, wide, pink, []*record.Stretched{form(excType, record.Skipped)}, StretchYes,
			excType, "caught all", true},
		"case B, no class": {Holds, wide, blue, []*record.Stretched{form(excType, record.Skipped)}, StretchUnknown,
			"", "no class", false},
		"case B": {Holds, wide, blue,
			[]*record.Stretched{ok, ran(excType, "a", record.Pass, "x.Y"), ran(excType, "b", record.Pass)},
			StretchYes,
			excType, "both tests in which an exception leaves the try otherwise pass with the stretched catch, which " +
				"takes x.Y there", false},
		"one to come": {Holds, wide, blue, []*record.Stretched{ok, ran(excType, "a", record.Pass)},
			StretchUnknown, "", "1 of 2", false},
		"one flaky": {Holds, wide, blue,
			[]*record.Stretched{ok, ran(excType, "a", record.Pass), ran(excType, "b", record.Flaky)}, StretchYes,
			excType, "the one test", false},
		"all flaky": {Holds, wide, blue,
			[]*record.Stretched{ok, ran(excType, "a", record.Flaky), ran(excType, "b", record.Flaky)},
			StretchUnknown,
			"", "gave an answer", false},
		"not the class": {Holds, wide, blue,
			[]*record.Stretched{ok, ran(excType, "a", record.Pass), ran(excType, "b", record.NotFired)},
			StretchUnknown,
			"", "b: ", false},
		"one fails": {Holds, wide, blue,
			[]*record.Stretched{ok, ran(excType, "a", record.Fail, "x.Y"), form(ioType, record.Fail)},
			StretchNo, "",
			"a does not pass when the catch takes Exception and catches x.Y", false},
		"not confirmed": {Holds, wide, blue,
			[]*record.Stretched{ok, ran(excType, "a", record.Pass), unconfirmed(ran(excType, "b", record.Fail))},
			StretchUnknown, "", "not confirmed", false},
		"narrower": {Holds, wide, blue,
			[]*record.Stretched{ok, ran(excType, "a", record.Hang), form(ioType, record.Pass),
				ran(ioType, "a", record.Pass), ran(ioType, "b", record.Pass)}, StretchNo, ioType,
			"IOException is safe",
			false},
		"the use": {Holds, wide, pink,
			[]*record.Stretched{form(excType, record.Fail), form(ioType, record.Pass)}, StretchNo, ioType,
			"line 7 needs it; IOException is safe", true},
		"with others": {Holds, wide, pink, []*record.Stretched{ok, joint(record.Pass)}, StretchYes, excType,
			"caught all", true},
		"with others, at fault": {Holds, Widening{To: []string{excType}}, pink,
			[]*record.Stretched{ok, joint(record.Fail, "c")}, StretchNo, "", "and so does another one", false},
		"with others, not sure": {Holds, wide, pink, []*record.Stretched{ok, unconfirmed(joint(record.Fail, "c"))},
			StretchUnknown, "", "not confirmed", false},
		"with others, not it": {Holds, wide, pink, []*record.Stretched{ok, joint(record.Fail, "d")}, StretchYes,
			excType, "caught all", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := DecideStretch(StretchRow{ID: "c", Independence: x.independence, Widening: x.widening,
				Tests: x.tests,
				Runs:  x.runs})
			if s.Answer != x.answer || s.To != x.to || s.CaseA != x.caseA || !strings.Contains(s.Why, x.why) {
				t.Errorf("%s to %q, by usages %v: %s\nwant %s to %q, by usages %v: %s", s.Answer, s.To, s.CaseA,
					s.Why,
					x.answer, x.to, x.caseA, x.why)
			}
			if s.Answer == StretchNo && strings.Contains(s.Why, "does not pass") && len(s.Witnesses) == 0 {
				t.Error("no witness")
			}
		})
	}
}
