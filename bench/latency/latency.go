// Command verdict measures how soon after an edit inside a try its verdict is back.
// It copies a project, runs one catch, and then changes a statement of that try again
// and again: saves it, waits until the session shows the new code, and runs the catch.
//
//	go run ./bench latency [-project NAME] [-catch ID] [-old TEXT] [-new TEXT] [-n EDITS]
//	go run ./bench latency -first DIR [-cache DIR]
//
// The second form measures how soon a campaign whose baseline is known shows its first verdict.
//
// Each edit replaces the only occurrence of old in the catch's source by new with a
// number in place of %d. What is reported is the wall time from the save to the verdict,
// not yet confirmed, as the session shows it, to the end of the run, and its parts. The
// median counts: machines are busy.
package latency

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	laidout "github.com/catchlens/catchlens/bench/projects"
	"github.com/catchlens/catchlens/instrument/shortcircuit"
	"github.com/catchlens/catchlens/session"
)

// flags are those of the command line.
var flags = flag.NewFlagSet("latency", flag.ExitOnError)

var (
	project = flags.String("project", "commons-codec",
		"which of the laid out projects; table1/NAME for those of bench/reproduction")
	catch = flags.String("catch", "org/apache/commons/codec/net/URLCodec.encode(String)#0",
		"the catch that is edited and run")
	old     = flags.String("old", "return encode(str, getDefaultCharset());", "what stands in its try")
	changed = flags.String("new",
		"if (str.length() == -%d) { return null; } return encode(str, getDefaultCharset());", "what is put there")
	edits   = flags.Int("n", 5, "how many edits")
	first   = flags.String("first", "", "a workspace: measure how soon its campaign shows the first verdict")
	graph   = flags.String("call-graph", "obj-dr", "with -first: the call graph")
	verbose = flags.Bool("v", false, "log what the session does")
	cache   = flags.String("cache", "", "cache folder; default: one that is removed afterwards")
)

// Run measures what the arguments say.
func Run(args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "catchlens-verdict-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if *first != "" {
		return firstVerdict(*first, scratch)
	}
	root, err := laidout.Root()
	if err != nil {
		return err
	}
	dir := filepath.Join(scratch, "project")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, *project))); err != nil {
		return err
	}
	if *cache == "" {
		*cache = filepath.Join(scratch, "cache")
	}
	options := session.Options{CacheDir: *cache, Trusted: true}
	if *verbose {
		options.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	s, err := session.Open([]string{dir}, options)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx := context.Background()
	if err := s.Reload(ctx, nil); err != nil {
		return err
	}
	c := s.View().Snap.ByID[*catch]
	if c == nil {
		return fmt.Errorf("%s has no catch %s", *project, *catch)
	}
	scope := session.Scope{Catches: []string{*catch}}
	sum, err := s.Run(ctx, scope, nil)
	if err != nil {
		return err
	}
	fmt.Printf("first run: %d tests, %d injected runs, %.1f s\n", sum.Tests, sum.Cells, sum.Elapsed.Seconds())
	path := filepath.Join(dir, filepath.FromSlash(c.File.Path))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if bytes.Count(text, []byte(*old)) != 1 {
		return fmt.Errorf("%s: %q stands there %d times", path, *old, bytes.Count(text, []byte(*old)))
	}
	var shown, total []time.Duration
	for i := range *edits {
		v, d, err := one(ctx, s, scope, path, bytes.Replace(text, []byte(*old), fmt.Appendf(nil, *changed, i+2), 1))
		if err != nil {
			return err
		}
		shown, total = append(shown, v), append(total, d)
	}
	slices.Sort(shown)
	slices.Sort(total)
	fmt.Printf("medians of %d edits: verdict %.2f s, confirmed %.2f s\n", *edits, shown[len(shown)/2].Seconds(),
		total[len(total)/2].Seconds())
	return nil
}

// settled waits until the session shows a verdict on the present code, and tells when
// that was.
func settled(s *session.Session, catch string) <-chan time.Time {
	at := make(chan time.Time, 1)
	look := func() {
		v := s.View()
		if v.Results == nil || v.Results.ByCatch[catch] == nil {
			return
		}
		if c := v.Results.ByCatch[catch]; !c.Stale && c.Verdict.SourceIndependence != shortcircuit.Unknown {
			select {
			case at <- time.Now():
			default:
			}
		}
	}
	s.Subscribe(func(session.Event) { look() })
	return at
}

// one saves a text, waits for the snapshot that has it, and runs the scope.
func one(ctx context.Context, s *session.Session, scope session.Scope, path string, text []byte,
) (shown, all time.Duration, err error) {
	before := s.View().Snap
	saved := make(chan struct{}, 1)
	cancel := s.Subscribe(func(e session.Event) {
		if e&session.SnapshotChanged != 0 {
			select {
			case saved <- struct{}{}:
			default:
			}
		}
	})
	defer cancel()
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	s.FilesChanged([]string{path})
	for s.View().Snap == before {
		select {
		case <-saved:
		case <-time.After(2 * time.Minute):
			return 0, 0, fmt.Errorf("the edit of %s is not analysed", path)
		}
	}
	seen := time.Since(began)
	at := settled(s, scope.Catches[0])
	sum, err := s.Run(ctx, scope, nil)
	if err != nil {
		return 0, 0, err
	}
	all = time.Since(began)
	shown = all
	select {
	case t := <-at:
		shown = t.Sub(began)
	default:
	}
	v := s.View().Results.ByCatch[scope.Catches[0]]
	fmt.Printf("verdict %.2f s, confirmed %.2f s: compiled and analysed %.2f s, run %.2f s (tests of the try %.2f s, "+
		"baseline %.2f s, injections %.2f s, confirmation %.2f s; tests themselves %.2f s): %d injected runs, source "+
		"independence %s, stale %v\n",
		shown.Seconds(), all.Seconds(), seen.Seconds(), sum.Elapsed.Seconds(), sum.Times.Ahead.Seconds(),
		sum.Times.Baseline.Seconds(), sum.Times.Injections.Seconds(), sum.Times.Confirmation.Seconds(),
		(sum.Times.Injected + sum.Times.Clean).Seconds(), sum.Cells, v.Verdict.SourceIndependence, v.Stale)
	return shown, all, nil
}
