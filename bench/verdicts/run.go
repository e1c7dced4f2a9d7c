package verdicts

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/discovery"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/bench/surefire"
	"github.com/catchlens/catchlens/instrument/buildtool"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
)

// This file runs the build's tests and catchlens.

// runBuild has Maven run a project's tests, in its folder, and returns what the reports
// say. Where reports are there already they count, unless -build is set. It fails
// where Maven leaves no report, or none of a module that the table names.
func runBuild(p project, dir string) ([]surefire.Case, error) {
	folders := reportFolders(p, dir)
	if *build || len(folders) == 0 {
		for _, f := range folders {
			if err := os.RemoveAll(f); err != nil {
				return nil, err
			}
		}
		args := append([]string{"-B", "-ntp", "test", "-Dmaven.test.failure.ignore=true"}, p.Arguments...)
		log.Printf("%s: mvn %s", p.Name, strings.Join(args, " "))
		cmd := exec.Command(*maven, args...)
		cmd.Dir = dir
		if said, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("mvn: %w\n%s", err, lastLines(string(said), 20))
		}
		folders = reportFolders(p, dir)
	}
	var all []surefire.Case
	for _, f := range folders {
		cases, err := surefire.Read(f)
		if err != nil {
			return nil, err
		}
		all = append(all, cases...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the build left no test reports in %s", dir)
	}
	return all, nil
}

// reportFolders are those of the modules that the table names, or of all there are.
func reportFolders(p project, dir string) []string {
	modules := p.Modules
	if len(modules) == 0 {
		modules = []string{".", "*", "*/*"}
	}
	var folders []string
	for _, m := range modules {
		found, _ := filepath.Glob(filepath.Join(dir, m, "target", "surefire-reports"))
		folders = append(folders, found...)
	}
	return folders
}

// campaignRun is what catchlens left of its runs on a project.
type campaignRun struct {
	before, after *report // after: of the second run
	ran           ranWithin
	tests         []*record.TestRun
	cells         []*record.Cell
	cost          cost
}

// cost is what a campaign took.
type cost struct {
	suite, campaign time.Duration
	processor       time.Duration // of the campaign, its JVMs included
	injected        int           // runs with an exception thrown in, fault runs not among them
	again           int           // records that the second run wrote
}

func (c cost) ratio() float64 { return c.campaign.Seconds() / c.suite.Seconds() }

// Files in a project's work folder.
const (
	beforeFile = "before.json"
	firstFile  = "first.json"
	afterFile  = "after.json"
	timeFile   = "campaign.time"
)

// runCampaign analyses a project, runs its campaign and runs it once more, or with -reuse
// takes what is left of that.
func runCampaign(dir, out string) (*campaignRun, error) {
	cache := filepath.Join(out, "cache")
	if !*reuse {
		if err := os.RemoveAll(cache); err != nil {
			return nil, err
		}
		steps := []struct{ file, command string }{{beforeFile, "analyze"}, {firstFile, "run"}, {afterFile, "run"}}
		for _, step := range steps {
			if err := start(dir, out, cache, step.file, step.command); err != nil {
				return nil, err
			}
		}
	}
	return readCampaign(dir, out, cache)
}

// start runs one command of catchlens. What it prints as errors is kept beside the report.
func start(dir, out, cache, file, command string) error {
	log.Printf("%s: catchlens %s", filepath.Base(dir), command)
	cmd := exec.Command(*program, command, "--format", "json", "--call-graph", *callGraph, "--cache", cache, dir)
	report, err := os.Create(filepath.Join(out, file))
	if err != nil {
		return err
	}
	defer report.Close()
	said, err := os.Create(filepath.Join(out, strings.TrimSuffix(file, ".json")+".log"))
	if err != nil {
		return err
	}
	defer said.Close()
	cmd.Stdout, cmd.Stderr = report, said
	began := time.Now()
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(said.Name())
		return fmt.Errorf("catchlens %s: %w\n%s", command, err, lastLines(string(text), 10))
	}
	if file != firstFile {
		return nil
	}
	ended := time.Now()
	processor := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // of what it waited for, too
	line := fmt.Appendf(nil, "%s %s %s\n", ended.Sub(began), processor, ended.Format(time.RFC3339Nano))
	return os.WriteFile(filepath.Join(out, timeFile), line, 0o666)
}

func readCampaign(dir, out, cache string) (*campaignRun, error) {
	var r campaignRun
	for file, to := range map[string]**report{beforeFile: &r.before, afterFile: &r.after} {
		data, err := os.ReadFile(filepath.Join(out, file))
		if err != nil {
			return nil, err
		}
		if *to, err = parseReport(data); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	ended, err := r.cost.read(filepath.Join(out, timeFile))
	if err != nil {
		return nil, err
	}
	return &r, r.readStore(dir, cache, ended)
}

// read reads what start left of the first run, and returns when that ended.
func (c *cost) read(file string) (ended time.Time, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return ended, err
	}
	words := strings.Fields(string(text))
	if len(words) != 3 {
		return ended, fmt.Errorf("%s: %d words, not 3", file, len(words))
	}
	if c.campaign, err = time.ParseDuration(words[0]); err != nil {
		return ended, fmt.Errorf("%s: %w", file, err)
	}
	if c.processor, err = time.ParseDuration(words[1]); err != nil {
		return ended, fmt.Errorf("%s: %w", file, err)
	}
	if ended, err = time.Parse(time.RFC3339Nano, words[2]); err != nil {
		return ended, fmt.Errorf("%s: %w", file, err)
	}
	return ended, nil
}

// readStore reads the results in the cache; records younger than the end of the first
// run are those of the second one.
func (r *campaignRun) readStore(dir, cache string, ended time.Time) error {
	folders, _ := filepath.Glob(filepath.Join(cache, "results", "*"))
	if len(folders) != 1 {
		return fmt.Errorf("%d result folders in %s, not one", len(folders), cache)
	}
	store, err := results.Open(folders[0])
	if err != nil {
		return err
	}
	defer store.Close()
	r.tests, r.cells = store.Runs(), store.Cells()
	if len(r.tests) == 0 {
		return fmt.Errorf("no test runs in %s: was this command built from other sources than catchlens?", folders[0])
	}
	missed, err := missedMethods(store, dir, cache)
	if err != nil {
		return err
	}
	name := func(id record.MethodID) string {
		m := store.Method(id)
		return nameOfMethod(m.Class, m.Method)
	}
	r.ran = ranIn(r.tests, name, missed)
	r.cost.injected = len(r.cells)
	r.cost.again = since(r.tests, func(t *record.TestRun) time.Time { return t.At }, ended) +
		since(r.cells, func(c *record.Cell) time.Time { return c.At }, ended) +
		since(store.FaultRuns(), func(f *record.FaultRun) time.Time { return f.At }, ended) +
		since(store.StretchedRuns(), func(x *record.Stretched) time.Time { return x.At }, ended)
	return nil
}

// missedMethods are the methods of a project that runs entered and that no call
// of the analysis of then led to.
func missedMethods(store *results.Store, dir, cache string) (map[string]bool, error) {
	ctx := context.Background()
	ws, err := discovery.Open(ctx, []string{dir}, workspace.Options{})
	if err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for _, m := range buildtool.Recall(ctx, ws, cache).Modules {
		keys[m.Name] = record.ClassPathKey(m, nil)
	}
	missed := map[string]bool{}
	for _, e := range store.Observed(func(module string) string { return keys[module] }).Extra.Edges {
		missed[nameOfMethod(e.To.Class, e.To.Name+e.To.Desc)] = true
	}
	return missed, nil
}

// nameOfMethod is a method as the frames of reports name it: class in source form, name and
// descriptor.
func nameOfMethod(class, method string) string {
	return strings.ReplaceAll(class, "/", ".") + "." + method
}

// since counts the records that are younger than a time.
func since[T any](records []T, at func(T) time.Time, ended time.Time) (n int) {
	for _, r := range records {
		if at(r).After(ended) {
			n++
		}
	}
	return n
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// runsOf are the injected runs of one catch, in the order of their tests.
func (r *campaignRun) runsOf(catch string) []*record.Cell {
	var all []*record.Cell
	for _, c := range r.cells {
		if c.Catch == catch {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b *record.Cell) int { return strings.Compare(a.Test, b.Test) })
	return all
}
