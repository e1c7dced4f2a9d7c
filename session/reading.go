package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
)

// This file chooses the reading in which source independence is shown.

// SetReading implements API.
func (s *Session) SetReading(reading string) error {
	if err := checkReading(reading); err != nil {
		return err
	}
	s.state.Lock()
	same := s.state.reading == reading
	s.state.reading = reading
	s.state.Unlock()
	if v := s.View(); !same && v.Snap != nil {
		o := s.overlayResults(v.Snap)
		s.replaceView(func(now *codelens.View) {
			if now.Snap == v.Snap {
				now.Results = o
			}
		})
		s.events.tell(ResultsChanged)
	}
	return nil
}

// checkReading refuses what is no reading; "" is left to the workspace.
func checkReading(reading string) error {
	if reading != "" && !slices.Contains(workspace.Readings, reading) {
		return fmt.Errorf("reading %s: use %s", reading, strings.Join(workspace.Readings, " or "))
	}
	return nil
}

// reading is the one that is asked for, by the client or else by the workspace.
func (s *Session) reading(snap *snapshot.Snapshot) shortcircuit.Reading {
	s.state.Lock()
	defer s.state.Unlock()
	if r := s.state.reading; r != "" {
		return shortcircuit.Reading(r)
	}
	if cfg := snap.Workspace.Config; cfg != nil && cfg.Campaign != nil && cfg.Campaign.Reading != "" {
		return shortcircuit.Reading(cfg.Campaign.Reading)
	}
	return shortcircuit.Usage
}
