package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/audit"
	"github.com/catchlens/catchlens/internal/userfile"
)

// auditCmd draws links for somebody to judge, and holds an analysis to what was judged.
type auditCmd struct {
	common
	Sample  int      `default:"50" help:"How many links to draw, of those that nothing experienced." placeholder:"N"`
	Seed    int64    `default:"1" help:"Which links are drawn: the same number draws the same links." placeholder:"N"`
	Name    string   `default:"links" help:"Judgements are kept in audit/NAME.toml of the workspace, the page beside them in audit/NAME.md." placeholder:"NAME"`
	Sources []string `type:"path" help:"Archive with sources of the JDK or of a library, to show lines of. Without it: lib/src.zip of the JDK, if it is there." placeholder:"ZIP" sep:"none"`
	Check   bool     `help:"Draw nothing. Exit with 1 where a link judged feasible is not predicted, or one judged infeasible is predicted again or has happened. Settings are those that the file of judgements names."`
}

func (c *auditCmd) Run(ctx context.Context) error {
	tuneGC()
	if c.Sample < 0 {
		return fmt.Errorf("--sample %d: a sample has 0 links or more", c.Sample)
	}
	file, err := audit.File(c.Dir, c.Name)
	if err != nil {
		return fmt.Errorf("--name: %w", err)
	}
	known, err := audit.Read(file)
	if err != nil {
		return err
	}
	if c.Check {
		if known == nil {
			return fmt.Errorf("%s: there are no judgements; catchlens audit without --check begins such a file", file)
		}
		return c.check(ctx, file, known)
	}
	return c.draw(ctx, file, known)
}

// draw writes the page, and adds the links drawn to the file of judgements.
func (c *auditCmd) draw(ctx context.Context, file string, known *audit.Judgements) error {
	s, err := c.load(ctx, false, 0)
	if err != nil {
		return err
	}
	defer s.Close()
	v := s.View()
	cfg := audit.ConfigurationOf(v.Snap)
	if known == nil {
		known = &audit.Judgements{Configuration: cfg}
	} else if why := cfg.Differs(known.Configuration); why != "" {
		return fmt.Errorf("%s has judgements of other settings: %s; give another --name", file, why)
	}
	gone := known.NoteGone(v)
	links := audit.Candidates(v)
	drawn := audit.Draw(links, c.Sample, c.Seed)
	known.Add(drawn)
	sources, err := audit.OpenSources(v.Snap, c.Sources)
	if err != nil {
		return err
	}
	defer sources.Close()
	page := &audit.Page{View: v, Seed: c.Seed, Drawn: drawn, Of: len(links), Known: known, Sources: sources,
		File: audit.Folder + "/" + c.Name + ".toml"}
	if err := known.Write(file); err != nil {
		return err
	}
	to := strings.TrimSuffix(file, ".toml") + ".md"
	if err := userfile.Replace(to, func(w io.Writer) error { return page.Write(ctx, w) }); err != nil {
		return err
	}
	fmt.Printf("%s drawn of %d, seed %d\n\n%s", codelens.Count(len(drawn), "link"), len(links), c.Seed, page.Rates())
	if gone > 0 {
		fmt.Printf("\n%s judged infeasible gone since the last time\n", codelens.Count(gone, "link"))
	}
	fmt.Fprintln(os.Stderr, "wrote", to, "and", file)
	return nil
}

// check analyses as the file of judgements says, and compares.
func (c *auditCmd) check(ctx context.Context, file string, known *audit.Judgements) error {
	flags := c.common
	flags.CallGraph, flags.Exceptions = known.CallGraph, known.Exceptions
	flags.Sites, flags.EntryPoints = known.Sites, known.EntryPoints
	s, err := flags.load(ctx, false, 0)
	if err != nil {
		return err
	}
	defer s.Close()
	v := s.View()
	if why := audit.ConfigurationOf(v.Snap).Differs(known.Configuration); why != "" {
		return errors.New(file + " cannot be checked: " + why)
	}
	found := known.Contradictions(v)
	for _, line := range found {
		fmt.Println(line)
	}
	if len(found) > 0 {
		return findings{codelens.Count(len(found), "judgement") + " contradicted"}
	}
	fmt.Printf("%s agree with what is predicted\n", codelens.Count(len(known.Links), "judgement"))
	return nil
}
