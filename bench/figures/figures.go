// Package figures measures cold and warm analysis of five real projects, the latency of lens
// requests while a campaign runs, and
// what a campaign costs beside the tests it runs.
//
// bench/projects/fetch.sh lays the projects out first. Every figure comes from
// the command itself as a user starts it; times are medians of -n runs, memory is
// the largest resident set of the process. Machines differ: compare within one
// run.
package figures

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"time"

	laidout "github.com/catchlens/catchlens/bench/projects"
	"github.com/catchlens/catchlens/bench/rss"
)

// flags are those of the command line.
var flags = flag.NewFlagSet("figures", flag.ExitOnError)

var (
	program  = flags.String("catchlens", "build/catchlens", "the program to measure")
	projects = flags.String("projects", "",
		"folder of the projects; default: CATCHLENS_BENCH_DIR, else catchlens-bench in the user's cache folder")
	names    = flags.String("only", "commons-lang3,commons-codec,commons-csv,commons-io,joda-time", "which projects")
	runs     = flags.Int("n", 5, "runs of each analysis")
	graphs   = flags.String("graphs", "cha,rta,pta", "call graphs that are measured")
	campaign = flags.Bool("campaign", true, "measure a campaign of each project too")
	lenses   = flags.Bool("lenses", true, "measure lens requests too")
	filedrop = flags.String("filedrop", "examples/filedrop", "the workspace of the latency measurement")
	output   = flags.String("o", "", "file that the tables are written to; default: standard output")
)

// Run measures what the arguments say, and prints the tables.
func Run(args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *projects == "" {
		dir, err := laidout.Root()
		if err != nil {
			return err
		}
		*projects = dir
	}
	var out io.Writer = os.Stdout
	if *output != "" {
		f, err := os.Create(*output)
		if err != nil {
			return err
		}
		defer f.Close()
		out = f
	}
	fmt.Fprintf(out, "%s, %s/%s, %d cores, %d runs each\n", time.Now().UTC().Format("2006-01-02"), runtime.GOOS,
		runtime.GOARCH, runtime.NumCPU(), *runs)
	analyses(out)
	if *lenses {
		latency(out)
	}
	if *campaign {
		campaigns(out)
	}
	return nil
}

// sample is one process.
type sample struct {
	wall, cpu time.Duration
	rss       int64 // bytes
	report    report
}

// report is what is read of the JSON report.
type report struct {
	Catches []json.RawMessage `json:"catches"`
	Totals  struct {
		Catches, Predicted, Experienced, Unpredicted int
	} `json:"totals"`
	Matrix []struct {
		Outcome string `json:"outcome"`
	} `json:"matrix"`
	Problems []struct{ Severity, Message, File string } `json:"problems"`
}

// measure starts the program and measures it. What it prints is lost: kept here, it
// would count as the memory of the next one, which begins as a copy of this process.
func measure(args ...string) sample { s, _ := start(nil, args); return s }

// run starts the program, measures it and reads its JSON report.
func run(args ...string) (sample, string) {
	var out bytes.Buffer
	s, said := start(&out, args)
	if err := json.Unmarshal(out.Bytes(), &s.report); err != nil {
		log.Fatal(err)
	}
	return s, said
}

func start(out io.Writer, args []string) (sample, string) {
	cmd := exec.Command(*program, args...)
	var errs strings.Builder
	cmd.Stdout, cmd.Stderr = out, &errs
	began := time.Now()
	err := cmd.Run()
	s := sample{wall: time.Since(began)}
	if err != nil {
		log.Fatalf("%s %s: %v\n%s", *program, strings.Join(args, " "), err, errs.String())
	}
	s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	s.rss = rss.Max(cmd.ProcessState)
	return s, errs.String()
}

func median[T int64 | time.Duration](values []T) T {
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	return values[len(values)/2]
}

func column[T any](samples []sample, f func(sample) T) []T {
	var out []T
	for _, s := range samples {
		out = append(out, f(s))
	}
	return out
}

// analyses measures all processes before it reads a report: see measure.
func analyses(out io.Writer) {
	type row struct {
		dir, name, graph string
		cold, warm       []sample
	}
	var rows []row
	for _, name := range strings.Split(*names, ",") {
		dir := filepath.Join(*projects, name)
		if _, err := os.Stat(dir); err != nil {
			log.Fatalf("%s is not there: run bench/projects/fetch.sh", dir)
		}
		for _, graph := range strings.Split(*graphs, ",") {
			r := row{dir: dir, name: name, graph: graph}
			for range *runs { // pair by pair
				cache, err := os.MkdirTemp("", "catchlens-bench-")
				if err != nil {
					log.Fatal(err)
				}
				args := []string{"analyze", "--format", "sarif", "--call-graph", graph, "--cache", cache, dir}
				r.cold = append(r.cold, measure(args...))
				measure(args...) // what the first process has read, the second one prepares the libraries from
				r.warm = append(r.warm, measure(args...))
				os.RemoveAll(cache)
			}
			rows = append(rows, r)
		}
	}
	figures := func(s []sample) string {
		return fmt.Sprintf("%.2f s | %.2f s | %d MB",
			median(column(s, func(s sample) time.Duration { return s.wall })).Seconds(),
			median(column(s, func(s sample) time.Duration { return s.cpu })).Seconds(),
			median(column(s, func(s sample) int64 { return s.rss }))>>20)
	}
	fmt.Fprint(out, "\n| project | call graph | catches | links | cold wall | cold CPU | cold memory | warm wall | "+
		"warm CPU | warm memory |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		s, _ := run("analyze", "--format", "json", "--call-graph", r.graph, r.dir)
		fmt.Fprintf(out, "| %s | %s | %d | %d | %s | %s |\n", r.name, r.graph, s.report.Totals.Catches,
			s.report.Totals.Predicted, figures(r.cold), figures(r.warm))
	}
}

// campaigns measures a whole run of each project, as its user would start it.
// The goal is that injections, confirmation and stretching take at most 1.2 times what
// the tests of all injected runs took in the baseline, divided by the processors.
func campaigns(out io.Writer) {
	fmt.Fprint(out, "\n| project | tests | injected runs | unpredicted | whole run | baseline | injections | "+
		"confirmation | stretching | chosen tests | injected tests themselves | clean reruns | times the chosen "+
		"tests | own time a run |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, name := range strings.Split(*names, ",") {
		cache, err := os.MkdirTemp("", "catchlens-bench-")
		if err != nil {
			log.Fatal(err)
		}
		s, said := run("run", "--verbose", "--format", "json", "--cache", cache, filepath.Join(*projects, name))
		os.RemoveAll(cache)
		var tests, runs int
		var baseline, injections, confirmation, stretching, injected, clean, chosen, own float64
		for line := range strings.Lines(said) {
			fmt.Sscanf(line, "%d tests", &tests)
			fmt.Sscanf(line, "times: baseline %f s, injections %f s, confirmation %f s, stretching %f s; in the "+
				"tests themselves: with an exception %f s, clean reruns %f s, as often as injected into in the "+
				"baseline %f s; %d requested runs, %f ms",
				&baseline, &injections, &confirmation, &stretching, &injected, &clean, &chosen, &runs, &own)
		}
		if runs == 0 && len(s.report.Matrix) > 0 {
			log.Fatalf("%s: no times in what the run said:\n%s", name, said)
		}
		share := (injections + confirmation + stretching) * float64(runtime.NumCPU()) / max(chosen, 0.001)
		fmt.Fprintf(out, "| %s | %d | %d | %d | %.0f s | %.0f s | %.1f s | %.1f s | %.1f s | %.1f s | %.1f s | %.1f "+
			"s | %.1f | %.2f ms |\n", name, tests, len(s.report.Matrix), s.report.Totals.Unpredicted,
			s.wall.Seconds(), baseline, injections, confirmation, stretching, chosen, injected, clean, share, own)
	}
}
