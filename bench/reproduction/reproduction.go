// Package reproduction makes Table 1 of Cornu, Seinturier and Monperrus (2014)
// anew: it runs the whole campaign of catchlens on each program that fetch.sh has
// laid out, as a user would, and prints the verdicts on its executed tries beside
// the paper's numbers.
//
//	go run ./bench reproduction [-only NAME,...] [-catches] [FILE.json=CACHE...]
//
// With files, which are reports of `catchlens run --format json`, each with the cache
// folder of that run, it runs nothing and counts those. bench/journal has the
// results and what explains them.
//
// With -agree it measures isolation instead: the verdicts of the shared rung, before and
// after confirmation, beside those of the safer rungs and of another order of the runs.
//
//	go run ./bench reproduction -agree [-only NAME,...] [-rungs loader,fork] [-sample CATCHES] [-order SEED]
//	go run ./bench reproduction -agree [-sample CATCHES] SHARED.json=CACHE OTHER.json...
//
// The last row of a program counts as the paper's numbers suggest that it did: only
// catches that a passing test makes run are executed, and only tests in which every
// execution of the try is a white usage decide source independence.
package reproduction

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	laidout "github.com/catchlens/catchlens/bench/projects"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

// flags are those of the command line.
var flags = flag.NewFlagSet("reproduction", flag.ExitOnError)

var (
	program = flags.String("catchlens", "build/catchlens", "the program that runs the campaigns")
	only    = flags.String("only", "",
		"names of programs, separated by commas; default: all of the table that are laid out")
	jobs    = flags.Int("j", 0, "test JVMs at once; 0: one per core")
	catches = flags.Bool("catches", false, "list each executed try with its verdict")
	agree   = flags.Bool("agree", false, "compare rungs of isolation and orders of runs")
	rungs   = flags.String("rungs", "fork", "with -agree: the rungs beside the shared one, separated by commas")
	sample  = flags.Int("sample", 0, "with -agree: how many catches the safer rungs run, nine at least; 0: all")
	order   = flags.Int64("order", 7, "with -agree: seed of the other order; 0: none")
	keep    = flags.String("reports", "", "folder in which the JSON reports are left; default: none")
)

// row holds the counts of one program, in the order of the paper's columns.
type row struct {
	Executed, Pure, Independent, Dependent, UnknownPure, UnknownSource, Stretchable int
	stretched                                                                       bool // Stretchable is known
}

// program of the table: as catchlens-bench/table1 names it, and what the paper says.
var table = []struct {
	name, version string
	paper         *row // nil: the paper has it under another version
}{
	{"spojo-core", "1.0.6", &row{1, 1, 1, 0, 0, 0, 1, true}},
	{"commons-codec-1.5", "1.5", nil},
	{"commons-codec-1.6", "1.6", nil},
	{"commons-codec-1.7", "1.7", nil},
	{"commons-codec", "1.8", &row{14, 0, 12, 0, 0, 2, 12, true}},
	{"joda-time", "2.2", &row{18, 0, 4, 0, 2, 14, 4, true}},
	{"commons-lang", "3.1", &row{49, 3, 18, 5, 1, 26, 16, true}},
	{"jbehave-core", "3.7.5", &row{42, 2, 7, 2, 9, 33, 7, true}},
}

// report is what is read of a JSON report.
type report struct {
	Workspace struct {
		Root string `json:"root"`
	} `json:"workspace"`
	Catches []struct {
		ID       string   `json:"id"`
		Line     int      `json:"line"`
		Types    []string `json:"types"`
		InTests  bool     `json:"inTests"`
		Contract struct {
			Source      string `json:"sourceIndependence"`
			Pure        string `json:"pureResilience"`
			Stretchable string `json:"stretchable"`
			Why         string `json:"why"`
		} `json:"contract"`
		Usages struct{ Pink, White, Blue int } `json:"usages"`
	} `json:"catches"`
	Matrix []struct {
		Catch string `json:"catch"`
	} `json:"matrix"`
}

// count makes a program's row: a try is executed if a passing test enters it.
func count(r *report) row {
	var n row
	for _, c := range r.Catches {
		if c.InTests || c.Usages.Pink+c.Usages.White+c.Usages.Blue == 0 {
			continue
		}
		n.Executed++
		switch c.Contract.Source {
		case "holds":
			n.Independent++
		case "violated":
			n.Dependent++
		default:
			n.UnknownSource++
		}
		switch c.Contract.Pure {
		case "holds":
			n.Pure++
		case "violated":
		default:
			n.UnknownPure++
		}
		n.stretched = n.stretched || c.Contract.Stretchable == "yes" || c.Contract.Stretchable == "no"
		if c.Contract.Stretchable == "yes" {
			n.Stretchable++
		}
	}
	return n
}

func (n row) String() string {
	stretch := "–"
	if n.stretched {
		stretch = fmt.Sprintf("%d/%d", n.Stretchable, n.Independent)
	}
	return fmt.Sprintf("%d | %d | %d | %d | %d | %d | %s", n.Executed, n.Pure, n.Independent, n.Dependent,
		n.UnknownPure, n.UnknownSource, stretch)
}

const heading = "| program | | executed | purely resilient | source-independent | source-dependent | unknown " +
	"resilience | unknown source independence | stretchable | catches | injected runs " +
	"|\n|---|---|---|---|---|---|---|---|---|---|---|\n"

// Run runs or counts the campaigns that the arguments say, and prints the table.
func Run(args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *agree {
		fmt.Print(agreeHeading)
	} else {
		fmt.Print(heading)
	}
	if *agree && flags.NArg() > 0 {
		compareFiles(flags.Args())
		return nil
	}
	if flags.NArg() > 0 {
		for _, arg := range flags.Args() {
			file, cache, _ := strings.Cut(arg, "=")
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			show(os.Stdout, strings.TrimSuffix(filepath.Base(file), ".json"), data, cache)
		}
		return nil
	}
	root, err := laidout.Root()
	if err != nil {
		return err
	}
	for _, p := range table {
		dir := filepath.Join(root, "table1", p.name)
		if *only != "" && !strings.Contains(","+*only+",", ","+p.name+",") {
			continue
		}
		if !laidout.Complete(dir) {
			return fmt.Errorf("%s is not laid out: run bench/reproduction/fetch.sh %s", dir, p.name)
		}
		if *agree {
			agreement(os.Stdout, p.name, dir)
		} else {
			whole(p.name, dir)
		}
	}
	return nil
}

// whole runs everything there is to run on a program, with an empty cache.
func whole(name, dir string) {
	cache, err := os.MkdirTemp("", "catchlens-reproduction-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(cache)
	started := time.Now()
	cmd := exec.Command(*program, "run", "--format", "json", "--cache", cache, "-j", fmt.Sprint(*jobs), dir)
	var said strings.Builder
	cmd.Stderr = &said
	data, err := cmd.Output()
	if err != nil {
		log.Fatalf("%s: %v\n%s", name, err, said.String())
	}
	log.Printf("%s: %.0f s on %d cores\n%s", name, time.Since(started).Seconds(), runtime.NumCPU(), said.String())
	if *keep != "" {
		if err := os.WriteFile(filepath.Join(*keep, name+".json"), data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
	show(os.Stdout, name, data, cache)
}

// countAsPaper counts the catches of a report by what their tests did, which the
// results in the cache folder have.
func countAsPaper(r *report, cache string) (n row, ok bool) {
	folders, _ := filepath.Glob(filepath.Join(cache, "results", "*"))
	if cache == "" || len(folders) != 1 {
		return n, false
	}
	store, err := results.Open(folders[0])
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	runs := map[string]*record.TestRun{}
	for _, run := range store.Runs() {
		if run.Stable() {
			runs[run.Test] = run
		}
	}
	pass, fail := map[string]int{}, map[string]int{}
	for _, c := range store.Cells() {
		if run := runs[c.Test]; run != nil {
			u := run.Usages[c.Catch]
			switch white := u.White > 0 && u.Pink+u.Blue == 0; {
			case white && c.Outcome.Failed():
				fail[c.Catch]++
			case white && c.Outcome == record.Pass:
				pass[c.Catch]++
			}
		}
	}
	for _, c := range r.Catches {
		if c.InTests || c.Usages.White == 0 {
			continue
		}
		n.Executed++
		says := "unknown"
		switch {
		case fail[c.ID] > 0:
			n.Dependent++
			says = "violated"
		case pass[c.ID] > 0:
			n.Independent++
			says = "holds"
			if c.Contract.Stretchable == "yes" {
				n.Stretchable++
			}
		default:
			n.UnknownSource++
		}
		if *catches {
			log.Printf("  %s:%d as the paper: source independence %s by %d tests that only see it caught, %d fail",
				c.ID, c.Line, says, pass[c.ID]+fail[c.ID], fail[c.ID])
		}
		switch c.Contract.Pure {
		case "holds":
			n.Pure++
		case "unknown":
			n.UnknownPure++
		}
		n.stretched = n.stretched || c.Contract.Stretchable == "yes" || c.Contract.Stretchable == "no"
	}
	return n, true
}

// show writes the rows of one program: the paper's, where it has one, and ours.
func show(w io.Writer, name string, data []byte, cache string) {
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	all := 0
	for _, c := range r.Catches {
		if !c.InTests {
			all++
		}
	}
	for _, p := range table {
		if p.name == name && p.paper != nil {
			fmt.Fprintf(w, "| %s | paper | %s | | |\n", name, p.paper)
		}
	}
	fmt.Fprintf(w, "| %s | catchlens | %s | %d | %d |\n", name+versionOf(name), count(&r), all, len(r.Matrix))
	if n, ok := countAsPaper(&r, cache); ok {
		fmt.Fprintf(w, "| %s | counted as the paper | %s | | |\n", name+versionOf(name), n)
	}
	if !*catches {
		return
	}
	for _, c := range r.Catches {
		if !c.InTests && c.Usages.Pink+c.Usages.White+c.Usages.Blue > 0 {
			log.Printf("  %s:%d catch (%s): %d pink, %d white, %d blue; source independence %s, pure resilience %s: %s",
				c.ID, c.Line, strings.Join(c.Types, " | "),
				c.Usages.Pink, c.Usages.White, c.Usages.Blue, c.Contract.Source, c.Contract.Pure, c.Contract.Why)
		}
	}
}

func versionOf(name string) string {
	for _, p := range table {
		if p.name == name && !strings.HasSuffix(name, p.version) {
			return " " + p.version
		}
	}
	return ""
}
