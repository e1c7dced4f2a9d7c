package shortcircuit

import (
	"strings"
	"testing"

	"catchlens/instrument/campaign"
)

const (
	excType = campaign.ExceptionClass
	ioType  = "java.io.IOException"
)

func form(to string, o campaign.Outcome) *campaign.Stretched {
	return &campaign.Stretched{Catch: "c", To: to, Outcome: o, Message: "line 7 needs it", Confirmed: true}
}

func ran(to, test string, o campaign.Outcome, takes ...string) *campaign.Stretched {
	return &campaign.Stretched{Catch: "c", To: to, Test: test, Outcome: o, Exceptions: takes, Confirmed: true}
}

func unconfirmed(x *campaign.Stretched) *campaign.Stretched { x.Confirmed = false; return x }

func joint(o campaign.Outcome, took ...string) *campaign.Stretched {
	return &campaign.Stretched{Test: "a", With: []string{"c to " + excType, "d to " + excType}, Took: took, Outcome: o, Confirmed: true}
}

func TestDecideStretch(t *testing.T) {
	wide := campaign.Widening{To: []string{excType, ioType}}
	pink := []Test{{Name: "a", Baseline: campaign.Pass, Usage: campaign.Usage{Pink: 1, White: 1}}}
	blue := []Test{
		{Name: "a", Baseline: campaign.Pass, Usage: campaign.Usage{Blue: 1}},
		{Name: "b", Baseline: campaign.Pass, Usage: campaign.Usage{Blue: 2, White: 1}},
		{Name: "flaky", Baseline: campaign.Flaky, Usage: campaign.Usage{Blue: 2}},
	}
	ok := form(excType, campaign.Pass)
	for name, x := range map[string]struct {
		independence Answer
		widening     campaign.Widening
		tests        []Test
		runs         []*campaign.Stretched
		answer       StretchAnswer
		to, why      string
		caseA        bool
	}{
		"source-dependent":      {Violated, wide, pink, nil, StretchNo, "", "source-dependent", false},
		"unknown":               {Unknown, wide, pink, nil, StretchUnknown, "", "not known whether", false},
		"takes all":             {Holds, campaign.Widening{Already: true, Why: "w"}, pink, nil, StretchYes, "", "w", false},
		"an error":              {Holds, campaign.Widening{Never: true, Why: "w"}, pink, nil, StretchNo, "", "w", false},
		"unknown types":         {Holds, campaign.Widening{Why: "w"}, pink, nil, StretchUnknown, "", "w", false},
		"not looked at":         {Holds, wide, pink, nil, StretchUnknown, "", "not been run", false},
		"case A":                {Holds, wide, pink, []*campaign.Stretched{ok}, StretchYes, excType, "caught all", true},
		"case A, no class":      {Holds, wide, pink, []*campaign.Stretched{form(excType, campaign.Skipped)}, StretchYes, excType, "caught all", true},
		"case B, no class":      {Holds, wide, blue, []*campaign.Stretched{form(excType, campaign.Skipped)}, StretchUnknown, "", "no class", false},
		"case B":                {Holds, wide, blue, []*campaign.Stretched{ok, ran(excType, "a", campaign.Pass, "x.Y"), ran(excType, "b", campaign.Pass)}, StretchYes, excType, "both tests in which an exception leaves the try otherwise pass with the stretched catch, which takes x.Y there", false},
		"one to come":           {Holds, wide, blue, []*campaign.Stretched{ok, ran(excType, "a", campaign.Pass)}, StretchUnknown, "", "1 of 2", false},
		"one flaky":             {Holds, wide, blue, []*campaign.Stretched{ok, ran(excType, "a", campaign.Pass), ran(excType, "b", campaign.Flaky)}, StretchYes, excType, "the one test", false},
		"all flaky":             {Holds, wide, blue, []*campaign.Stretched{ok, ran(excType, "a", campaign.Flaky), ran(excType, "b", campaign.Flaky)}, StretchUnknown, "", "gave an answer", false},
		"not the class":         {Holds, wide, blue, []*campaign.Stretched{ok, ran(excType, "a", campaign.Pass), ran(excType, "b", campaign.NotFired)}, StretchUnknown, "", "b: ", false},
		"one fails":             {Holds, wide, blue, []*campaign.Stretched{ok, ran(excType, "a", campaign.Fail, "x.Y"), form(ioType, campaign.Fail)}, StretchNo, "", "a does not pass when the catch takes Exception and catches x.Y", false},
		"not confirmed":         {Holds, wide, blue, []*campaign.Stretched{ok, ran(excType, "a", campaign.Pass), unconfirmed(ran(excType, "b", campaign.Fail))}, StretchUnknown, "", "not confirmed", false},
		"narrower":              {Holds, wide, blue, []*campaign.Stretched{ok, ran(excType, "a", campaign.Hang), form(ioType, campaign.Pass), ran(ioType, "a", campaign.Pass), ran(ioType, "b", campaign.Pass)}, StretchNo, ioType, "IOException is safe", false},
		"the use":               {Holds, wide, pink, []*campaign.Stretched{form(excType, campaign.Fail), form(ioType, campaign.Pass)}, StretchNo, ioType, "line 7 needs it; IOException is safe", true},
		"with others":           {Holds, wide, pink, []*campaign.Stretched{ok, joint(campaign.Pass)}, StretchYes, excType, "caught all", true},
		"with others, at fault": {Holds, campaign.Widening{To: []string{excType}}, pink, []*campaign.Stretched{ok, joint(campaign.Fail, "c")}, StretchNo, "", "and so does another one", false},
		"with others, not sure": {Holds, wide, pink, []*campaign.Stretched{ok, unconfirmed(joint(campaign.Fail, "c"))}, StretchUnknown, "", "not confirmed", false},
		"with others, not it":   {Holds, wide, pink, []*campaign.Stretched{ok, joint(campaign.Fail, "d")}, StretchYes, excType, "caught all", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := DecideStretch(StretchRow{ID: "c", Independence: x.independence, Widening: x.widening, Tests: x.tests, Runs: x.runs})
			if s.Answer != x.answer || s.To != x.to || s.CaseA != x.caseA || !strings.Contains(s.Why, x.why) {
				t.Errorf("%s to %q, by usages %v: %s\nwant %s to %q, by usages %v: %s", s.Answer, s.To, s.CaseA, s.Why, x.answer, x.to, x.caseA, x.why)
			}
			if s.Answer == StretchNo && strings.Contains(s.Why, "does not pass") && len(s.Witnesses) == 0 {
				t.Error("no witness")
			}
		})
	}
}
