package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/catchlens/catchlens/codelens"
)

type demoCmd struct {
	Dir    string `arg:"" optional:"" type:"path" help:"The example to use instead of the one that is looked for beside the program and in the current folder."`
	Output string `short:"o" type:"path" default:"catchlens-demo.html" help:"Where the HTML report goes." placeholder:"FILE"`
	Cache  string `type:"path" help:"Cache folder instead of the user's own." placeholder:"DIR"`
}

// Run analyses and runs the example and writes the report.
func (c *demoCmd) Run(ctx context.Context) error {
	dir := c.Dir
	if dir == "" {
		for _, d := range demoPlaces() {
			if _, err := os.Stat(filepath.Join(d, "pom.xml")); err == nil {
				dir = d
				break
			}
		}
	}
	if dir == "" {
		return errors.New("the example was not found: run this in a clone of catchlens, or name the folder of " +
			"examples/filedrop")
	}
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("%s: no such folder", dir)
	}
	flags := common{where: where{Dir: dir, studied: studied{Cache: c.Cache}}}
	fmt.Printf("What can reach the catches of %s? It is compiled if it has not been, and analysed; no test is run.\n",
		filepath.Base(dir))
	s, err := flags.load(ctx, true, 0)
	if err != nil {
		return err
	}
	err = codelens.Text(ctx, os.Stdout, s.View(), codelens.TextOptions{Brief: true})
	s.Close()
	if err != nil {
		return err
	}
	fmt.Printf("\nDo they cope? Its tests are run, then again with exceptions thrown at the start of each try.\n\n")
	if err := (&runCmd{common: flags, Format: "text", Again: true, Untold: true}).Run(ctx); err != nil {
		return err
	}
	if s, err = flags.load(ctx, false, 0); err != nil {
		return err
	}
	fmt.Println()
	codelens.Story(os.Stdout, s.View())
	fmt.Printf("All: %s\n\n", codelens.Summary(s.View()))
	s.Close()
	if err := (&reportCmd{common: flags, Format: "html", output: output{c.Output}}).Run(ctx); err != nil {
		return err
	}
	fmt.Printf("Open %s in a browser for every catch, or list them here: `catchlens report --format text %s`.\n"+
		"Next, what comes of a full disk or a broken connection: `catchlens run %s --faults-only` makes them happen.\n",
		c.Output, dir, dir)
	return nil
}

func demoPlaces() []string {
	places := []string{filepath.Join("examples", "filedrop")}
	if exe, err := os.Executable(); err == nil {
		places = append(places, filepath.Join(filepath.Dir(exe), "examples", "filedrop"),
			filepath.Join(filepath.Dir(exe), "..", "examples", "filedrop"))
	}
	return places
}
