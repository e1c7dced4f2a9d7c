package verdicts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/catchlens/catchlens/internal/interval"
)

// This file keeps the judgements and compares them with what is claimed today.

// judgement is what a reader found of one verdict.
type judgement struct {
	Catch   string `toml:"catch"`
	Line    int    `toml:"line"` // of the keyword, at the project's commit
	Claim   string `toml:"claim"`
	Witness string `toml:"witness,omitempty"`
	Says    string `toml:"says"`
	Reason  string `toml:"reason,multiline"`
}

// What a judgement says of a claim.
const (
	right    = "right"
	wrong    = "wrong"
	notShown = "not shown" // it may be true, but what is put forward does not show it
)

type judgementFile struct {
	Repository string      `toml:"repository"`
	Commit     string      `toml:"commit"`
	Judgement  []judgement `toml:"judgement"`
}

// readJudgements reads a file of judgements; none is no judgement. It fails on unknown
// keys, claims and answers, on judgements without a reason, and on two of one claim.
func readJudgements(file string) ([]judgement, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	var all judgementFile
	if err := toml.NewDecoder(f).DisallowUnknownFields().Decode(&all); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	seen := map[[2]string]bool{}
	for _, j := range all.Judgement {
		k := [2]string{j.Catch, j.Claim}
		switch {
		case !slices.Contains([]string{sourceDependent, sourceIndependent, purelyResilient}, j.Claim):
			return nil, fmt.Errorf("%s: %s: claim %q is none", file, j.Catch, j.Claim)
		case !slices.Contains([]string{right, wrong, notShown}, j.Says):
			return nil, fmt.Errorf("%s: %s: says %q, not right, wrong or not shown", file, j.Catch, j.Says)
		case strings.TrimSpace(j.Reason) == "":
			return nil, fmt.Errorf("%s: %s: no reason", file, j.Catch)
		case seen[k]:
			return nil, fmt.Errorf("%s: %s: judged twice as %s", file, j.Catch, j.Claim)
		}
		seen[k] = true
	}
	return all.Judgement, nil
}

// writeJudgements writes claims in the form of a judgement file, to be filled in. None:
// it removes the file.
func writeJudgements(file string, p project, claims []claim) error {
	if len(claims) == 0 {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	out := judgementFile{Repository: p.Repository, Commit: p.Commit}
	for _, c := range claims {
		j := judgement{Catch: c.catch.ID, Line: c.catch.Line, Claim: c.what, Witness: c.witness()}
		out.Judgement = append(out.Judgement, j)
	}
	data, err := toml.Marshal(out)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}

// standing is how the claims of today stand to the judgements.
type standing struct {
	tally    tally
	wrong    []string // claims that are judged wrong or not shown
	changed  []string // claims that rest on another witness than the one that was judged
	gone     []string // judgements of claims that are not made any more
	unjudged []claim
}

// compareJudgements counts the judgements of what is claimed today. A claim that rests on
// another witness than when it was judged is to be judged again.
func compareJudgements(claims []claim, known []judgement) standing {
	s := standing{tally: tally{}}
	byClaim := map[[2]string]judgement{}
	for _, j := range known {
		byClaim[[2]string{j.Catch, j.Claim}] = j
	}
	for _, c := range claims {
		k := [2]string{c.catch.ID, c.what}
		j, ok := byClaim[k]
		delete(byClaim, k)
		switch {
		case ok && j.Witness == c.witness():
			s.tally.count(c.what, j.Says)
			if j.Says != right {
				line := fmt.Sprintf("%s line %d, %s: %s. %s", j.Catch, j.Line, j.Claim, j.Says,
					strings.TrimSpace(j.Reason))
				s.wrong = append(s.wrong, line)
			}
			continue
		case ok:
			line := fmt.Sprintf("%s, %s: judged %s by %s, now %s", j.Catch, j.Claim, j.Says, j.Witness, c.witness())
			s.changed = append(s.changed, line)
		}
		s.tally.count(c.what, "")
		s.unjudged = append(s.unjudged, c)
	}
	for _, j := range byClaim {
		line := fmt.Sprintf("%s, %s: judged %s, not claimed or not drawn any more", j.Catch, j.Claim, j.Says)
		s.gone = append(s.gone, line)
	}
	slices.Sort(s.gone)
	return s
}

// tally counts judgements by claim and answer; "" are those without one.
type tally map[string]map[string]int

func (t tally) count(what, says string) {
	if t[what] == nil {
		t[what] = map[string]int{}
	}
	t[what][says]++
}

func (t tally) add(other tally) {
	for what, says := range other {
		for word, n := range says {
			if t[what] == nil {
				t[what] = map[string]int{}
			}
			t[what][word] += n
		}
	}
}

func (t tally) String() string {
	text := "| verdict | right | wrong | not shown | not judged | share right of the judged (Wilson, 95%) |\n" +
		"|---|---|---|---|---|---|\n"
	for _, what := range []string{sourceDependent, sourceIndependent, purelyResilient} {
		n := t[what]
		judged := n[right] + n[wrong] + n[notShown]
		text += fmt.Sprintf("| %s | %d | %d | %d | %d | %s |\n",
			what, n[right], n[wrong], n[notShown], n[""], share(n[right], judged))
	}
	return text
}

// share is a proportion with its interval.
func share(k, n int) string {
	if n == 0 {
		return "–"
	}
	low, high := interval.Wilson(k, n)
	return fmt.Sprintf("%.0f%% [%.0f, %.0f]", 100*float64(k)/float64(n), 100*low, 100*high)
}
