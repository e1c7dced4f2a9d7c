package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
)

type compareCmd struct {
	where
	CallGraph []string `help:"Compare only these call graphs, such as cha,rta,pta." placeholder:"NAME"`
	Format    string   `default:"text" enum:"text,json" help:"text or json." placeholder:"FORM"`
}

// Run analyses the workspace once with each call graph, each in a session of its
// own, so that none profits from what another computed; they share what the
// cache knows of libraries.
func (c *compareCmd) Run(ctx context.Context) error {
	names := snapshot.ByPrecision()
	if len(c.CallGraph) > 0 {
		for _, n := range c.CallGraph {
			if !slices.Contains(names, n) {
				return fmt.Errorf("call graph %q: use %s", n, strings.Join(names, ", "))
			}
		}
		names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(c.CallGraph, n) })
	}
	out := codelens.NewComparison(version)
	for _, name := range names {
		if err := c.add(ctx, out, name); err != nil {
			return err
		}
	}
	b := bufio.NewWriter(os.Stdout)
	var err error
	if c.Format == "json" {
		enc := json.NewEncoder(b)
		enc.SetIndent("", "  ")
		err = enc.Encode(out)
	} else {
		err = out.Text(b)
	}
	return errors.Join(err, b.Flush())
}

// add analyses the workspace with one call graph.
func (c *compareCmd) add(ctx context.Context, out *codelens.Comparison, name string) error {
	s, err := c.open(name, version, false, 0)
	if err != nil {
		return err
	}
	if err := reload(ctx, s, name, progress); err != nil {
		return err
	}
	out.Add(s.View())
	return s.Close()
}
