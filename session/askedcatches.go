package session

import (
	"fmt"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file follows catches that a run is asked for through the edits that come before its turn.

// followed lists the IDs that catches, given by their IDs in one snapshot, have in a later one: an
// ID counts the catches of its member, so that one that is inserted above takes it over. The error
// names the first that the later one does not have, or that neither has.
func followed(ids []string, asked, now *snapshot.Snapshot) ([]string, error) {
	if asked == nil || asked == now {
		asked = now
	}
	out := make([]string, 0, len(ids))
	carried := map[*snapshot.File]map[*javasource.Catch]*javasource.Catch{}
	for _, id := range ids {
		c := asked.ByID[id]
		if c == nil {
			return nil, fmt.Errorf("there is no catch %s", id)
		}
		if asked == now || c.File == nil || c.File == now.ByPath[c.File.Path] {
			out = append(out, id)
			continue
		}
		f := now.ByPath[c.File.Path]
		if f == nil {
			return nil, fmt.Errorf("the catch of line %d of %s is gone, as is the file, since the run was asked for",
				c.Line, c.File.Path)
		}
		if carried[c.File] == nil {
			carried[c.File] = javasource.Carry(c.File.Source, f.Source)
		}
		at := carried[c.File][c.Source]
		here := catchAt(f, at)
		if here == nil {
			return nil, fmt.Errorf("the catch of line %d of %s is gone since the run was asked for",
				c.Line, c.File.Path)
		}
		out = append(out, here.ID)
	}
	return out, nil
}

// followToShown gives the IDs in the snapshot that is shown of catches that have been run; empty
// where an edit has taken one of them away, nil for none.
func (s *Session) followToShown(ids []string, ran *snapshot.Snapshot) []string {
	if len(ids) == 0 {
		return nil
	}
	now, err := followed(ids, ran, s.View().Snap)
	if err != nil {
		return []string{}
	}
	return now
}

// catchAt is the catch of a file that stands at a clause; nil: there is none.
func catchAt(f *snapshot.File, at *javasource.Catch) *snapshot.Catch {
	for _, c := range f.Catches {
		if at != nil && c.Source == at {
			return c
		}
	}
	return nil
}
