package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/coveragepage"
	"github.com/catchlens/catchlens/codelens/coveragetext"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/internal/gitdiff"
	"github.com/catchlens/catchlens/session"
)

type coverageCmd struct {
	where
	Format string `default:"text" enum:"text,html,json,lcov,jacoco-xml,jacoco-exec,cobertura,sonar,testwise" help:"text, html, json, lcov, jacoco-xml, jacoco-exec, cobertura, sonar or testwise (Teamscale)." placeholder:"FORM"`
	output
	TestsOf   string  `help:"Name the tests that cover a line, and nothing else." placeholder:"FILE:LINE"`
	Minimise  bool    `help:"Name a small set of tests that cover what all cover, and nothing else."`
	Order     bool    `help:"Name the tests in the order in which coverage grows soonest, and nothing else."`
	Missed    bool    `help:"Name the lines that no test covers, the ways of branches that none takes, and what tests leave in the middle, and nothing else."`
	Diff      *string `help:"Report on the lines alone that have changed since this commit or branch." placeholder:"BASE"`
	FailUnder float64 `help:"Exit with 1 if fewer percent of the lines are covered." placeholder:"PERCENT"`
	Testspec  string  `type:"path" help:"File that names a technique for the probes of each method, as for catchlens plan. What is recorded is the same." placeholder:"FILE"`
	PlanCache bool    `help:"Keep the plans of the probes, by the shape of the control flow, and take those that are kept."`
	Again     bool    `help:"Run also the tests whose coverage is known and has not changed."`
	Quiet     bool    `short:"q" help:"Show no progress."`
	Jobs      int     `short:"j" help:"Test JVMs at once; 0 means one per core." placeholder:"N" default:"0"`
}

func (c *coverageCmd) Run(ctx context.Context) error {
	file, line, err := c.place()
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return err
	}
	changed, err := c.changed(ctx)
	if err != nil {
		return err
	}
	scope := session.CoverScope{Again: c.Again}
	if c.Testspec != "" {
		spec, err := readSpec(c.Testspec)
		if err != nil {
			return err
		}
		scope.Technique = spec.TechniqueOf
	}
	show := runProgress
	if c.Quiet {
		show = noProgress
	}
	s, err := c.openWith("", session.Options{Version: version, Trusted: true, RunFollows: true,
		Workers: c.Jobs, PlanCache: c.PlanCache})
	if err == nil {
		err = reloadToRun(ctx, s, show)
	}
	if err != nil {
		return err
	}
	defer s.Close()
	p, done := show("running")
	found, sum, err := s.Cover(ctx, scope, p)
	done()
	if err := covered(ctx, sum, err); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, coverageLine(len(found.Tests), sum.Times.Starts, sum.Failed))
	if c.TestsOf != "" {
		err := c.writeOutput(func(w io.Writer) error { return writeTestsOf(w, found, file, line) })
		return cmp.Or(err, notRun(sum))
	}
	if changed != nil {
		found = found.Of(changed)
	}
	if err := c.write(found, s.View().Snap); err != nil {
		return err
	}
	if n := found.Total; n.Lines > 0 && 100*float64(n.LinesCovered) < c.FailUnder*float64(n.Lines) {
		return findings{fmt.Sprintf("%d of %d lines are covered, less than %v%%", n.LinesCovered, n.Lines, c.FailUnder)}
	}
	return notRun(sum)
}

// check says which flags do not go together: each that names something does so as text, and names
// nothing else. It fails for what is no percentage.
func (c *coverageCmd) check() error {
	if !(c.FailUnder >= 0 && c.FailUnder <= 100) { // nor is what is no number
		return fmt.Errorf("--fail-under %v: not a percentage; use 0 to 100", c.FailUnder)
	}
	var named []string
	for _, x := range []struct {
		flag  string
		given bool
	}{{"--tests-of", c.TestsOf != ""}, {"--minimise", c.Minimise}, {"--order", c.Order}, {"--missed", c.Missed}} {
		if x.given {
			named = append(named, x.flag)
		}
	}
	switch {
	case len(named) > 1:
		return fmt.Errorf("%s cannot be combined; use one of them", strings.Join(named, ", "))
	case len(named) > 0 && c.Format != "text":
		return fmt.Errorf("--format %s cannot be used with %s, which writes text", c.Format, named[0])
	case c.TestsOf != "" && c.FailUnder > 0:
		return errors.New("--fail-under: the tests of a line have no percentage; leave out --tests-of")
	}
	return nil
}

// changed are the lines that --diff asks for, by file; nil: all.
func (c *coverageCmd) changed(ctx context.Context) (map[string]map[int]bool, error) {
	if c.Diff == nil {
		return nil, nil
	}
	if *c.Diff == "" { // of a variable that is not set: all lines are not what was asked for
		return nil, errors.New("--diff names no commit or branch")
	}
	if c.Minimise || c.Order || c.TestsOf != "" {
		return nil, errors.New("--diff: the lines that changed have reports, --missed and --fail-under; " +
			"leave out --minimise, --order and --tests-of")
	}
	if c.Format == "jacoco-exec" {
		return nil, errors.New("--diff: jacoco-exec has whole classes; take another form")
	}
	lines, err := gitdiff.Lines(ctx, c.Dir, *c.Diff)
	if err != nil {
		return nil, fmt.Errorf("--diff %s: %w", *c.Diff, err)
	}
	return lines, nil
}

// covered tells what a run for coverage noted; its error says of one that was stopped how far it
// came.
func covered(ctx context.Context, sum session.Summary, err error) error {
	if stopped(ctx, err) {
		return errors.New(stoppedLine(sum))
	}
	if err != nil {
		return err
	}
	for _, n := range sum.Notes {
		fmt.Fprintln(os.Stderr, "note:", codelens.Plain(n, false))
	}
	return nil
}

// coverageLine says in one line what was run.
func coverageLine(tests, starts, failed int) string {
	line := codelens.Count(tests, "test")
	if failed > 0 {
		line += fmt.Sprintf(", %d failed", failed)
	}
	if starts == 0 {
		return line + ": known already, nothing was run"
	}
	return line + ", " + codelens.Count(starts, "JVM") + " started"
}

// place is what --tests-of names: a file, relative to the workspace, and a line.
func (c *coverageCmd) place() (file string, line int, err error) {
	if c.TestsOf == "" {
		return "", 0, nil
	}
	file, line, ok := parsePlace(c.Dir, c.TestsOf)
	if !ok {
		return "", 0, fmt.Errorf("--tests-of %s: write FILE:LINE", c.TestsOf)
	}
	return file, line, nil
}

// parsePlace reads FILE:LINE. The file is relative to the folder root, with slashes, where it is in
// there; else it is as it was written. ok is false where there is no line from 1 on.
func parsePlace(root, text string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i <= 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(text[i+1:])
	if err != nil || line <= 0 {
		return "", 0, false
	}
	return relativeTo(root, text[:i]), line, true
}

// relativeTo names a file relative to the folder root, with slashes, where it is in there, however
// it is given: from the root, from where the command runs, or in full.
func relativeTo(root, file string) string {
	file = filepath.Clean(file)
	from, rootErr := filepath.Abs(root)
	full, fileErr := filepath.Abs(file)
	if rel, err := filepath.Rel(from, full); errors.Join(rootErr, fileErr, err) == nil && filepath.IsLocal(rel) {
		if _, err := os.Stat(full); err == nil {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}

func writeTestsOf(w io.Writer, found *coverage.Suite, file string, line int) error {
	tests, known := found.TestsOf(file, line)
	if !known {
		return fmt.Errorf("%s:%d: no code of the workspace is on this line", file, line)
	}
	for _, t := range tests {
		fmt.Fprintln(w, codelens.Plain(t, false))
	}
	return nil
}

// write writes what was asked for.
func (c *coverageCmd) write(found *coverage.Suite, snap *snapshot.Snapshot) error {
	return c.writeOutput(func(w io.Writer) error {
		switch {
		case c.Minimise:
			return writeTests(w, found.Minimise())
		case c.Order:
			tests, _ := found.Order()
			return writeTests(w, tests)
		case c.Missed:
			return coveragetext.Missed(w, found)
		}
		return c.report(w, found, snap)
	})
}

// report writes a report in the form that was asked for.
func (c *coverageCmd) report(w io.Writer, found *coverage.Suite, snap *snapshot.Snapshot) error {
	name := filepath.Base(c.Dir)
	switch c.Format {
	case "html":
		return coveragepage.Write(w, found, name, version)
	case "json":
		return coverage.WriteJSON(w, found)
	case "lcov":
		return coverage.WriteLCOV(w, found)
	case "jacoco-xml":
		return coverage.WriteJaCoCo(w, found, name)
	case "jacoco-exec":
		leftOut, err := coverage.WriteExec(w, found, snap)
		for _, x := range leftOut {
			fmt.Fprintln(os.Stderr, "left out:", codelens.Plain(x, false))
		}
		if cache, e := session.CacheDir(c.Cache); e == nil {
			for _, dir := range compiledHere(snap.Workspace, session.CompiledDir(cache)) {
				fmt.Fprintln(os.Stderr, "note: catchlens compiled classes anew, and JaCoCo knows them by their class "+
					"files: its report needs those in", codelens.Plain(dir, false))
			}
		}
		return err
	case "cobertura":
		return coverage.WriteCobertura(w, found, c.Dir)
	case "sonar":
		return coverage.WriteSonar(w, found)
	case "testwise":
		return coverage.WriteTestwise(w, found)
	}
	if err := coveragetext.Text(w, found); err != nil || c.Diff == nil {
		return err
	}
	return coveragetext.Missed(w, found)
}

// compiledHere are the folders with classes of the workspace that are in a folder.
func compiledHere(ws *workspace.Workspace, in string) (folders []string) {
	for _, m := range ws.Modules {
		for _, dir := range m.MainOutputs {
			if rel, err := filepath.Rel(in, dir); err == nil && filepath.IsLocal(rel) {
				folders = append(folders, dir)
			}
		}
	}
	return folders
}

func writeTests(w io.Writer, tests []coverage.TestCoverage) error {
	for _, t := range tests {
		if _, err := fmt.Fprintln(w, codelens.Plain(t.Test, false)); err != nil {
			return err
		}
	}
	return nil
}
