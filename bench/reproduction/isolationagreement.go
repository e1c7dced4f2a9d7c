package reproduction

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/instrument/injection"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// This file measures whether the fast rung of isolation says what the safe ones say,
// and whether the order of the runs matters (-agree).

// answers are the verdicts on one catch: source independence and pure resilience.
type answers [2]string

// answersOf are the verdicts of a report on the catches that its tests enter.
func answersOf(r *report) map[string]answers {
	all := map[string]answers{}
	for _, c := range r.Catches {
		if !c.InTests && c.Usages.Pink+c.Usages.White+c.Usages.Blue > 0 {
			all[c.ID] = answers{c.Contract.Source, c.Contract.Pure}
		}
	}
	return all
}

// asked are the answers of a campaign without those on catches into which it injected nothing
// though another one did: it was asked for some catches only.
func asked(answered map[string]answers, own, other *report) map[string]answers {
	injected := func(r *report) map[string]bool {
		ids := map[string]bool{}
		for _, c := range r.Matrix {
			ids[c.Catch] = true
		}
		return ids
	}
	here, there := injected(own), injected(other)
	all := maps.Clone(answered)
	maps.DeleteFunc(all, func(id string, _ answers) bool { return there[id] && !here[id] })
	return all
}

// unconfirmed are the verdicts that the runs of a campaign gave before any of them
// was repeated in a fresh JVM: a run that ended differently there says so, beginning with
// the outcome that it had (record.Cell.Differs). It has the same catches as answersOf.
func unconfirmed(r *report, runs []*record.TestRun, cells []*record.Cell) map[string]answers {
	byTest := map[[2]string][]record.Cell{}
	for _, c := range cells {
		was := *c
		if outcome, _, differs := strings.Cut(c.Differs, " "); differs {
			was.Outcome = record.Outcome(outcome)
		}
		if c.Point == nil {
			k := [2]string{c.Catch, c.Test}
			byTest[k] = append(byTest[k], was)
		}
	}
	types := map[string][]string{}
	for _, c := range r.Catches {
		types[c.ID] = c.Types
	}
	all := map[string]answers{}
	for id := range answersOf(r) {
		row := shortcircuit.Row{Types: types[id]}
		for _, run := range runs {
			if u, ok := run.Usages[id]; ok {
				row.Tests = append(row.Tests,
					shortcircuit.Test{Name: run.Test, Baseline: run.Outcome, Usage: u,
						Cells: byTest[[2]string{id, run.Test}]})
			}
		}
		v := shortcircuit.Decide(row)
		all[id] = answers{string(v.SourceIndependence), string(v.PureResilience)}
	}
	return all
}

// differences lists what two campaigns answer differently, of the catches that both
// have, which are counted.
func differences(a, b map[string]answers) (both int, lines []string) {
	for _, id := range slices.Sorted(maps.Keys(a)) {
		other, ok := b[id]
		if !ok {
			continue
		}
		both++
		for k, question := range []string{"source independence", "pure resilience"} {
			if a[id][k] != other[k] {
				lines = append(lines, fmt.Sprintf("%s: %s %s, %s there", id, question, a[id][k], other[k]))
			}
		}
	}
	return both, lines
}

// differingCatches counts the catches that lines speak of.
func differingCatches(lines []string) int {
	ids := map[string]bool{}
	for _, l := range lines {
		id, _, _ := strings.Cut(l, ": ")
		ids[id] = true
	}
	return len(ids)
}

const agreeHeading = "| program | beside | catches compared | alike before confirmation | alike | identical report | " +
	"runs that differed in a fresh JVM |\n|---|---|---|---|---|---|---|\n"

// anotherOrder is what a campaign on the shared rung in another order is called. It runs all
// catches.
const anotherOrder = "another order"

// compareReports writes how a campaign on the shared rung, whose results are in a
// cache folder, agrees with others on the same program.
func compareReports(w io.Writer, name string, fast []byte, cache string, others map[string][]byte) {
	r := parse(name, fast)
	runs, cells := stored(cache)
	before, after := unconfirmed(r, runs, cells), answersOf(r)
	var differing []string
	for _, c := range cells {
		if c.Differs != "" {
			differing = append(differing,
				fmt.Sprintf("%s with %s in %s: %s; before: %s", c.Test, c.Type, c.Catch, c.Outcome, c.Differs))
		}
	}
	for _, label := range slices.Sorted(maps.Keys(others)) {
		beside := parse(label, others[label])
		safe := answersOf(beside)
		if *sample > 0 && label != anotherOrder {
			safe = asked(safe, beside, r)
		}
		n, early := differences(before, safe)
		_, late := differences(after, safe)
		fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %v | %d |\n", name, label, n, n-differingCatches(early),
			n-differingCatches(late), bytes.Equal(fast, others[label]), len(differing))
		for _, l := range early {
			log.Printf("  %s, before confirmation: %s", label, l)
		}
		for _, l := range late {
			log.Printf("  %s: %s", label, l)
		}
	}
	for _, l := range differing {
		log.Printf("  %s", l)
	}
}

// compareFiles compares reports that are there: the first one, whose cache folder stands
// behind it, with each of the others.
func compareFiles(files []string) {
	read := func(path string) []byte {
		data, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		return data
	}
	base := func(path string) string { return strings.TrimSuffix(filepath.Base(path), ".json") }
	first, cache, _ := strings.Cut(files[0], "=")
	others := map[string][]byte{}
	for _, f := range files[1:] {
		others[base(f)] = read(f)
	}
	compareReports(os.Stdout, base(first), read(first), cache, others)
}

func parse(name string, data []byte) *report {
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return &r
}

// stored are the runs and the matrix that a cache folder has of its one workspace.
func stored(cache string) ([]*record.TestRun, []*record.Cell) {
	folders, _ := filepath.Glob(filepath.Join(cache, "results", "*"))
	if len(folders) != 1 {
		log.Fatalf("%s has the results of %d workspaces, want 1", cache, len(folders))
	}
	store, err := results.Open(folders[0])
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	return store.Runs(), store.Cells()
}

// agreement runs a program on the shared rung, on the rungs that are asked for, and on
// the shared rung in another order, each with no results known, and compares.
func agreement(w io.Writer, name, dir string) {
	cache, err := os.MkdirTemp("", "catchlens-agreement-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(cache)
	fast := campaignOn(name, dir, filepath.Join(cache, "shared"))
	catches := sampled(parse(name, fast), *sample)
	others := map[string][]byte{}
	if *order != 0 {
		others[anotherOrder] = campaignOn(name, dir, filepath.Join(cache, "order"), "--order", fmt.Sprint(*order))
	}
	for _, rung := range strings.FieldsFunc(*rungs, func(r rune) bool { return r == ',' }) {
		others[rung] = campaignOn(name, dir, filepath.Join(cache, rung),
			append([]string{"--isolation", rung}, catches...)...)
	}
	compareReports(w, name, fast, filepath.Join(cache, "shared"), others)
}

// campaignOn runs a campaign and returns its report.
func campaignOn(name, dir, cache string, args ...string) []byte {
	cmd := exec.Command(*program, append(append([]string{"run", "--format", "json", "--cache", cache, "-j",
		fmt.Sprint(*jobs)}, args...), dir)...)
	var said strings.Builder
	cmd.Stderr = &said
	data, err := cmd.Output()
	if err != nil {
		log.Fatalf("%s: %v\n%s", name, err, said.String())
	}
	log.Printf("%s %s: processor time %.0f s\n%s", name, filepath.Base(cache),
		(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), said.String())
	return data
}

// leastSample is how many catches are chosen at least: for fewer a campaign runs a part of the
// tests, and answers by these.
const leastSample = injection.MaxAhead + 1

// sampled are arguments that choose n of the catches that tests enter, at least leastSample, evenly
// spread over the report; none for all of them.
func sampled(r *report, n int) (args []string) {
	var ids []string
	for _, c := range r.Catches {
		if _, ok := answersOf(r)[c.ID]; ok {
			ids = append(ids, c.ID)
		}
	}
	if n <= 0 || max(n, leastSample) >= len(ids) {
		return nil
	}
	n = max(n, leastSample)
	for i := range n {
		args = append(args, "--catch", ids[i*len(ids)/n])
	}
	return args
}
