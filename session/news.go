package session

import (
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/catchlens/catchlens/codelens/news"
)

// This file keeps how catches stood at the end of runs, beside the results, and says what is new.

// newsOf is what a run that ends now has found that earlier ones had not, and keeps how the catches
// stand. Clones that share their results have a history each; one that has none is compared with
// the one that was kept last. nil: there is nothing to compare with.
func (s *Session) newsOf(now time.Time) *news.News {
	v := s.View()
	if v.Snap == nil || v.Results == nil {
		return nil
	}
	key := keyOf(s.roots)
	own := s.history(key)
	compared := own
	if own.Last == nil {
		compared = s.history(s.lastHistory())
	}
	reading := string(s.reading(v.Snap))
	found := compared.Of(v, now, reading)
	own.Add(news.RunOf(v, now, reading), compared.Last)
	if content, err := json.Marshal(own); err == nil {
		s.kept.write(standings, key, content)
	}
	return found
}

// history is what is kept under a key; empty where that is nothing, or damaged.
func (s *Session) history(key string) *news.History {
	h := &news.History{}
	if content, _ := s.kept.read(standings, key); len(content) > 0 && json.Unmarshal(content, h) != nil {
		return &news.History{}
	}
	return h
}

// lastHistory is the key of the history that was kept last; one that nothing is kept under if there
// is none.
func (s *Session) lastHistory() (key string) {
	key = "none"
	entries, _ := os.ReadDir(s.kept.folder)
	var newest time.Time
	for _, e := range entries {
		k, is := strings.CutPrefix(e.Name(), string(standings)+"-")
		if info, err := e.Info(); is && err == nil && info.ModTime().After(newest) {
			key, newest = k, info.ModTime()
		}
	}
	return key
}
