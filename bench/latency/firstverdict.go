package latency

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/session"
)

// This file measures how soon a campaign shows its first verdict.

// firstVerdict runs the baseline of a workspace, and then a campaign in another session, and prints
// when that showed the first verdict that rests on a run, from its begin. scratch is a folder for
// the cache, where none is named.
func firstVerdict(dir, scratch string) error {
	if *cache == "" {
		*cache = filepath.Join(scratch, "cache")
	}
	// What an editor shows at once may be refined later; this is about a workspace that is.
	options := session.Options{CacheDir: *cache, Trusted: true, Settings: snapshot.Settings{CallGraph: *graph}}
	if *verbose {
		options.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	until := func(run func(s *session.Session, ctx context.Context, enough func()) error) error {
		s, err := session.Open([]string{dir}, options)
		if err != nil {
			return err
		}
		defer s.Close()
		if err := s.Reload(context.Background(), nil); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if err := run(s, ctx, cancel); err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	}
	if err := until(func(s *session.Session, ctx context.Context, enough func()) error {
		_, err := s.Run(ctx, session.Scope{}, func(_ int, message string) {
			if strings.HasPrefix(message, "injections, ") {
				enough()
			}
		})
		return err
	}); err != nil {
		return err
	}
	return until(func(s *session.Session, ctx context.Context, enough func()) error {
		if catch := anyVerdict(s); catch != "" {
			return fmt.Errorf("%s has a verdict on %s already: name another cache folder", *cache, catch)
		}
		began := time.Now()
		var once sync.Once
		s.Subscribe(func(session.Event) {
			if catch := anyVerdict(s); catch != "" {
				once.Do(func() {
					fmt.Printf("%s: the first verdict after %.2f s: %s\n", filepath.Base(dir),
						time.Since(began).Seconds(), catch)
					enough()
				})
			}
		})
		_, err := s.Run(ctx, session.Scope{}, func(_ int, message string) {
			if *verbose {
				fmt.Fprintf(os.Stderr, "%.2f s %s\n", time.Since(began).Seconds(), message)
			}
		})
		return err
	})
}

// anyVerdict is a catch of which a session shows a verdict that rests on runs; "" if it shows none.
func anyVerdict(s *session.Session) string {
	v := s.View()
	if v.Results == nil {
		return ""
	}
	for id, c := range v.Results.ByCatch {
		if known := c.Verdict.SourceIndependence; known != shortcircuit.Unknown && !c.Verdict.ByCode && !c.Stale {
			return id
		}
	}
	return ""
}
