package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/session"
)

// explainCmd says why a catch is said to be what it is.
type explainCmd struct {
	Catch string `arg:"" help:"Which catch: FILE:LINE of it, or of the nearest one above; the end of the path is enough. Or its ID." placeholder:"CATCH"`
	Link  string `arg:"" optional:"" help:"Only links whose exception, throw site or ID contains this." placeholder:"LINK"`
	Dir   string `default:"." type:"path" help:"The workspace instead of the folder that you are in." placeholder:"DIR"`
	studied
	CallGraph string `help:"How the call graph is built, as for analyze." placeholder:"NAME"`
}

func (c *explainCmd) Run(ctx context.Context) error {
	flags := common{where: where{Dir: c.Dir, studied: c.studied}, CallGraph: c.CallGraph}
	s, err := flags.load(ctx, false, 0)
	if err != nil {
		return err
	}
	defer s.Close()
	return c.explain(s)
}

func (c *explainCmd) explain(s *session.Session) error {
	v := s.View()
	target, err := findCatch(v.Snap, c.Catch)
	if err != nil {
		return err
	}
	if codelens.Explain(os.Stdout, v, target, c.Link) == 0 && c.Link != "" {
		return fmt.Errorf("%s: no link and no ruled out throw site of this catch contains that; %s", c.Link,
			codelens.WhyNoLink(v, target, c.Link))
	}
	return nil
}

// findCatch finds the catch that a user means by its ID, or by FILE:LINE: the last one in the file
// that begins at the line or above it.
func findCatch(snap *snapshot.Snapshot, name string) (*snapshot.Catch, error) {
	if c := snap.ByID[name]; c != nil {
		return c, nil
	}
	file, line, ok := parsePlace(snap.Workspace.Root, name)
	if !ok {
		return nil, fmt.Errorf("%s: neither the ID of a catch nor FILE:LINE", name)
	}
	var found *snapshot.Catch
	known := false
	for _, f := range snap.Files {
		if !strings.HasSuffix("/"+f.Path, "/"+file) {
			continue
		}
		known = true
		for _, c := range f.Catches {
			if c.Line <= line && (found == nil || found.File == f) {
				found = c
			} else if c.Line <= line {
				return nil, fmt.Errorf("%s: both %s and %s end so; give more of the path", file, found.File.Path,
					f.Path)
			}
		}
	}
	switch {
	case found != nil:
		return found, nil
	case known:
		return nil, fmt.Errorf("%s: there is no catch at line %d or above it", file, line)
	}
	return nil, fmt.Errorf("%s: no such source file in the workspace %s, whose catches `catchlens analyze --all` lists",
		file, snap.Workspace.Root)
}

// findCatches finds the catches that a user means by names as findCatch reads them, each once.
func findCatches(snap *snapshot.Snapshot, names []string) (found []*snapshot.Catch, err error) {
	for _, name := range names {
		c, err := findCatch(snap, name)
		if err != nil {
			return nil, fmt.Errorf("--catch %w", err)
		}
		if !slices.Contains(found, c) {
			found = append(found, c)
		}
	}
	return found, nil
}

// idsOf are the IDs of catches.
func idsOf(catches []*snapshot.Catch) (ids []string) {
	for _, c := range catches {
		ids = append(ids, c.ID)
	}
	return ids
}

// byID are the catches that have these IDs in a snapshot: a run may have made another one.
func byID(snap *snapshot.Snapshot, ids []string) (found []*snapshot.Catch) {
	for _, id := range ids {
		if c := snap.ByID[id]; c != nil {
			found = append(found, c)
		}
	}
	return found
}
