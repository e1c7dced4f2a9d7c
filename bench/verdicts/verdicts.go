// Package verdicts audits what catchlens says of real projects that its tests do not
// know: whether it runs the tests that the build runs, whether what runs teach leaves the
// links as they were, what a campaign costs, and whether the verdicts are right.
//
//	bench/verdicts/fetch.sh DIR [NAME...]
//	go run ./bench verdicts -projects DIR -work DIR [-only NAME,...] [-build] [-reuse]
//
// For each project of projects.toml it runs the build's tests, `catchlens analyze`,
// `catchlens run` with an empty cache and the same once more, and writes into the work
// folder NAME/report.md, the figures, and NAME/verdicts.md: each source-dependent verdict
// and drawn ones of the others, with the sources and runs that they rest on, to be judged
// by a reader. Judgements stand in judgements/NAME.toml; what has none yet is listed in
// NAME/unjudged.toml in the same form. README.md has the rules of judging.
package verdicts

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
)

// flags are those of the command line.
var flags = flag.NewFlagSet("verdicts", flag.ExitOnError)

var (
	program    = flags.String("catchlens", "build/catchlens", "the program that is audited")
	projects   = flags.String("projects", "", "folder that fetch.sh has laid the projects out in")
	work       = flags.String("work", "", "folder for caches, reports and pages")
	only       = flags.String("only", "", "names of projects, separated by commas; default: all of projects.toml")
	build      = flags.Bool("build", false, "run the builds' tests even where their reports are there")
	maven      = flags.String("mvn", "mvn", "the Maven that runs the builds")
	callGraph  = flags.String("call-graph", "auto", "the call graph that catchlens builds")
	reuse      = flags.Bool("reuse", false, "take the JSON reports and the cache that an earlier audit left")
	draw       = flags.Int("draw", 10, "how many source-independent and purely resilient verdicts are drawn, each")
	seed       = flags.String("seed", "2014", "what the draw depends on")
	judgements = flags.String("judgements", "bench/verdicts/judgements", "folder of the judgements")
)

// Run audits the projects that the arguments say, and prints a row for each. It fails where
// an audit did not come to its end.
func Run(args []string) error {
	log.SetFlags(log.Ltime)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *projects == "" || *work == "" {
		return errors.New("usage: verdicts -projects DIR -work DIR [-only NAME,...]")
	}
	table, err := readTable()
	if err != nil {
		return err
	}
	fmt.Print(heading)
	sum := tally{}
	var failed []string
	for _, p := range table {
		if *only != "" && !strings.Contains(","+*only+",", ","+p.Name+",") {
			continue
		}
		a, err := audit(p)
		if err != nil {
			log.Printf("%s: %v", p.Name, err)
			failed = append(failed, p.Name)
			continue
		}
		fmt.Println(a.row())
		sum.add(a.judged)
	}
	fmt.Printf("\n%s", sum)
	if failed != nil {
		return fmt.Errorf("not audited: %s", strings.Join(failed, ", "))
	}
	return nil
}

// result is the audit of one project.
type result struct {
	name   string
	tests  testComparison
	links  linkComparison
	cost   cost
	judged tally
}

// audit runs the build and catchlens on a project and writes its pages. It fails where
// one of them does not end as it should.
func audit(p project) (*result, error) {
	dir, out := filepath.Join(*projects, p.Name), filepath.Join(*work, p.Name)
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}
	built, err := runBuild(p, dir)
	if err != nil {
		return nil, err
	}
	r, err := runCampaign(dir, out)
	if err != nil {
		return nil, err
	}
	a := &result{name: p.Name, cost: r.cost}
	a.tests = compareTests(built, r.tests, p.Excluded)
	a.links = compareLinks(r.before, r.after, r.ran)
	a.cost.suite = totalTime(built)
	claims := claimsOf(r.after, *draw, *seed)
	known, err := readJudgements(filepath.Join(*judgements, p.Name+".toml"))
	if err != nil {
		return nil, err
	}
	standing := compareJudgements(claims, known)
	a.judged = standing.tally
	if err := os.WriteFile(filepath.Join(out, "report.md"), []byte(a.page(r, standing)), 0o666); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(out, "verdicts.md"), []byte(verdictPage(p, dir, r, claims)),
		0o666); err != nil {
		return nil, err
	}
	return a, writeJudgements(filepath.Join(out, "unjudged.toml"), p, standing.unjudged)
}
