// Package coverage measures what coverage costs the tests of real projects: ours with the tests
// of each line, and JaCoCo's without them, each beside the same runner without coverage.
//
//	go run ./bench coverage [-only NAMES] [-n ROUNDS] -jacoco AGENT.jar -console CONSOLE.jar
//	go run ./bench coverage -alone [-only NAMES] [-n ROUNDS]
//	go run ./bench coverage -chains [-only NAMES] [-n ROUNDS]
//
// With -alone it measures ours, and nothing beside it; with -chains call chains in place of
// coverage.
//
// A round runs the tests four times, one after the other: in the JVMs of catchlens as a campaign's
// baseline does (with probes for exceptions), the same with coverage, with JUnit's console, and
// with that and JaCoCo's agent. All run the same test classes, one JVM at a time. The first round
// is not counted: it makes the rewritten classes of the JDK and of libraries. Times are those of
// the baseline (without the analysis) and of the console's process; processor time is that of this
// process and of all JVMs. What is reported are medians, and the median of the ratios of each
// round.
package coverage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	laidout "github.com/catchlens/catchlens/bench/projects"
	"github.com/catchlens/catchlens/instrument/buildtool"
	"github.com/catchlens/catchlens/instrument/campaign"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/internal/cputime"
	"github.com/catchlens/catchlens/session"
)

// flags are those of the command line.
var flags = flag.NewFlagSet("coverage", flag.ExitOnError)

var (
	names   = flags.String("only", "commons-codec,commons-csv,joda-time", "which of the laid out projects")
	rounds  = flags.Int("n", 5, "how many rounds are counted")
	jacoco  = flags.String("jacoco", "", "JaCoCo's agent (org.jacoco.agent, classifier runtime)")
	console = flags.String("console", "", "JUnit's console (junit-platform-console-standalone)")
	chains  = flags.Bool("chains", false, "measure what recording call chains costs, without JaCoCo beside it")
	alone   = flags.Bool("alone", false, "measure coverage without JaCoCo beside it")
	ahead   = flags.String("ahead", "",
		"what stands first on the console's class path, as JUnit 4 for tests of JUnit 3")
	cache = flags.String("cache", "", "cache folder; default: one of its own, which is removed")
)

// cost is what one run of all tests took.
type cost struct {
	wall, cpu time.Duration
	own       time.Duration // of cpu, what this process took, without the JVMs
	tests     int
}

// The four ways, in the order of a round.
const (
	plain = iota
	ours
	consoleAlone
	consoleJaCoCo
	ways
)

// Run measures what the arguments say, and prints a table.
func Run(args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	beside := !*chains && !*alone
	if beside && (*jacoco == "" || *console == "") {
		return errors.New("name the agent (-jacoco) and the console (-console)")
	}
	if *cache == "" {
		dir, err := os.MkdirTemp("", "catchlens-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		*cache = dir
	}
	root, err := laidout.Root()
	if err != nil {
		return err
	}
	fmt.Printf("%s, medians of %d rounds\n\n", time.Now().UTC().Format("2006-01-02"), *rounds)
	fmt.Print("| project | tests: ours, console | | without coverage | with | ratio |\n|---|---|---|---|---|---|\n")
	for _, name := range strings.Split(*names, ",") {
		if err := project(context.Background(), os.Stdout, filepath.Join(root, name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// project measures a project, and prints its rows.
func project(ctx context.Context, out io.Writer, dir string) error {
	s, err := session.Open([]string{dir}, session.Options{CacheDir: *cache, Trusted: true,
		Settings: snapshot.Settings{CallGraph: "rta"}})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Reload(ctx, nil); err != nil {
		return err
	}
	snap := s.View().Snap
	if n := len(snap.Workspace.Modules); n != 1 {
		return fmt.Errorf("it has %d modules, and only projects of one are measured", n)
	}
	m := snap.Workspace.Modules[0]
	var all [ways][]cost
	for round := range *rounds + 1 {
		var got [ways]cost
		var classes []string
		for way := range consoleAlone {
			if got[way], classes, err = baseline(ctx, snap, way == ours); err != nil {
				return err
			}
		}
		for way := consoleAlone; way < ways && !*chains && !*alone; way++ {
			if got[way], err = runConsole(ctx, m, classes, way == consoleJaCoCo); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "%s, round %d: %v\n", filepath.Base(dir), round, got)
		if round > 0 {
			for way := range ways {
				all[way] = append(all[way], got[way])
			}
		}
	}
	write(out, filepath.Base(dir), all)
	return nil
}

// write prints the rows of a project.
func write(out io.Writer, name string, all [ways][]cost) {
	type pair struct {
		what          string
		without, with []cost
	}
	pairs := []pair{{"catchlens, with the tests of each line", all[plain], all[ours]},
		{"JaCoCo, totals alone", all[consoleAlone], all[consoleJaCoCo]}}
	tests := "-"
	switch {
	case *chains:
		pairs = []pair{{"call chains", all[plain], all[ours]}}
	case *alone:
		pairs = pairs[:1]
	default:
		tests = strconv.Itoa(all[consoleAlone][0].tests)
	}
	for _, pair := range pairs {
		for _, unit := range []struct {
			of   string
			time func(cost) time.Duration
		}{
			{"wall", func(c cost) time.Duration { return c.wall }},
			{"CPU", func(c cost) time.Duration { return c.cpu }},
			{"CPU of JVMs", func(c cost) time.Duration { return c.cpu - c.own }},
		} {
			var without, with, ratios []float64
			for i := range pair.with {
				a, b := unit.time(pair.without[i]).Seconds(), unit.time(pair.with[i]).Seconds()
				without, with, ratios = append(without, a), append(with, b), append(ratios, b/a)
			}
			fmt.Fprintf(out, "| %s | %d, %s | %s, %s | %.2f s | %.2f s | %.2f |\n", name, all[ours][0].tests,
				tests, pair.what, unit.of, median(without), median(with), median(ratios))
		}
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// baseline runs all tests once as a campaign does, into an empty store, and names their classes.
func baseline(ctx context.Context, snap *snapshot.Snapshot, covers bool) (c cost, classes []string, err error) {
	dir, err := os.MkdirTemp("", "catchlens-bench-")
	if err != nil {
		return c, nil, err
	}
	defer os.RemoveAll(dir)
	store, err := results.Open(dir)
	if err != nil {
		return c, nil, err
	}
	defer store.Close()
	own, children := cputime.Used(), cputime.OfChildren()
	sum, err := campaign.New(snap, store, campaign.Options{CacheDir: *cache, Workers: 1, BaselineRuns: 1,
		Launcher: buildtool.PlatformLauncher, OnlyCoverage: covers, OnlyFaults: !covers, Chains: covers && *chains,
		Log: slog.New(slog.DiscardHandler)}).Run(ctx, campaign.Scope{Again: true}, func(campaign.Progress) {})
	if err != nil {
		return c, nil, err
	}
	own, children = cputime.Used()-own, cputime.OfChildren()-children
	c = cost{wall: sum.Times.Baseline, cpu: own + children, own: own, tests: sum.Tests}
	for _, r := range store.Runs() {
		if recorded := r.Covers && !*chains || r.Chained && *chains; recorded != covers {
			return c, nil, fmt.Errorf("%s: coverage, or call chains, recorded: %v", r.Test, recorded)
		}
		classes = append(classes, cmp.Or(r.Asked, r.Class))
	}
	slices.Sort(classes)
	return c, slices.Compact(classes), nil
}

// started is what the console says of how many tests it ran.
var started = regexp.MustCompile(`\[\s*(\d+) tests started\s*\]`)

// runConsole runs test classes with JUnit's console in a copy of the module's folder.
func runConsole(ctx context.Context, m *workspace.Module, classes []string, covers bool) (c cost, err error) {
	dir, err := os.MkdirTemp("", "catchlens-bench-")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(m.Dir)); err != nil {
		return c, err
	}
	args := slices.Clone(m.Test.JVMArgs)
	if m.Test.EnableAssertions {
		args = append(args, "-ea")
	}
	if covers {
		args = append(args, "-javaagent:"+*jacoco+"=destfile="+filepath.Join(dir, "jacoco.exec"))
	}
	for k, v := range m.Test.SystemProperties {
		args = append(args, "-D"+k+"="+v)
	}
	path := slices.Concat(filepath.SplitList(*ahead), m.TestOutputs, m.MainOutputs, m.TestClassPath, []string{*console})
	args = append(args, "-cp", strings.Join(path, string(os.PathListSeparator)),
		"org.junit.platform.console.ConsoleLauncher", "execute", "--details=summary", "--disable-banner")
	for _, class := range classes {
		args = append(args, "--select-class="+class)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(m.JDKHome, "bin", "java"), args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	err = cmd.Run()
	c.wall = time.Since(began)
	found := started.FindSubmatch(said.Bytes())
	if found == nil { // tests that fail are told by its exit code alone
		return c, fmt.Errorf("the console: %v\n%s", err, said.Bytes())
	}
	c.tests, _ = strconv.Atoi(string(found[1]))
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return c, nil
}
