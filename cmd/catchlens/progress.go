package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
	"golang.org/x/text/width"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/session"
)

// This file says on standard error how far a command is, and at the end what a run was.

// clearLine empties a terminal's line and goes to its begin.
const clearLine = "\r\x1b[K"

// onTerminal tells whether somebody reads at a terminal what is written to w.
func onTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// inColor tells whether what is written to w may have colours: at a terminal, unless the user wants
// none (https://no-color.org).
func inColor(w io.Writer) bool { return onTerminal(w) && os.Getenv("NO_COLOR") == "" }

// usualColumns is the width of a terminal that does not tell its own.
const usualColumns = 80

// columns are those of a terminal now: its window may change.
func columns(f *os.File) int {
	if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
		return n
	}
	return usualColumns
}

// truncate cuts a text to less than so many columns of a terminal, since some go to the next line
// after the last one; … stands for what is missing. Characters of East Asia take two columns, marks
// on others none.
func truncate(text string, columns int) string {
	used, room := 0, columns-1
	end := 0 // of what fits with … behind it
	for i, r := range text {
		w := 1
		switch k := width.LookupRune(r).Kind(); {
		case unicode.Is(unicode.Mn, r):
			w = 0
		case k == width.EastAsianWide || k == width.EastAsianFullwidth:
			w = 2
		}
		if used+w > room {
			return text[:end] + "…"
		}
		if used += w; used < room {
			end = i + utf8.RuneLen(r)
		}
	}
	return text
}

// shower shows how far something is, called what; done ends that.
type shower func(what string) (p session.Progress, done func())

// noProgress shows nothing.
func noProgress(string) (session.Progress, func()) { return func(int, string) {}, func() {} }

// progress shows a line on a terminal, and nothing elsewhere; done clears it.
func progress(what string) (p session.Progress, done func()) {
	if !onTerminal(os.Stderr) {
		return noProgress(what)
	}
	return func(percent int, message string) {
			bar := ""
			if percent >= 0 {
				n := min(max(percent, 0), 100) / 5
				bar = fmt.Sprintf("[%s%s] %3d%% ", strings.Repeat("#", n), strings.Repeat(".", 20-n), percent)
			}
			text := truncate(codelens.Plain(what+": "+bar+message, false), columns(os.Stderr))
			fmt.Fprint(os.Stderr, clearLine+text)
		}, func() {
			fmt.Fprint(os.Stderr, clearLine)
		}
}

// runProgress is progress that shows lines where there is no terminal: runs take long, and logs are
// read, too.
func runProgress(what string) (session.Progress, func()) {
	if onTerminal(os.Stderr) {
		return progress(what)
	}
	l := &lineProgress{w: os.Stderr, what: what, now: time.Now}
	tick, stop := time.NewTicker(lineEvery/10), make(chan struct{})
	go func() {
		for {
			select {
			case <-tick.C:
				l.repeatNewest()
			case <-stop:
				return
			}
		}
	}()
	return l.show, func() {
		tick.Stop()
		close(stop)
		l.show(-1, "")
	}
}

// Times between two lines of progress: where it comes to another phase, and else.
const (
	phaseEvery = time.Second
	lineEvery  = 10 * time.Second
)

// lineProgress writes a line for each phase, which a message names in front of its first comma, and
// from time to time for how far it is, also where nothing new is said, as one test can take
// minutes.
type lineProgress struct {
	w    io.Writer
	what string
	now  func() time.Time

	mu      sync.Mutex
	last    time.Time // of the last line
	phase   string    // of the last line
	message string    // the newest one, empty if what is shown has ended
	since   time.Time // since when message is the newest
}

// show writes a line if it is time for one; an empty message ends what is shown.
func (l *lineProgress) show(_ int, message string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if message != l.message {
		l.message, l.since = message, now
	}
	phase, _, _ := strings.Cut(message, ": ")
	phase, _, _ = strings.Cut(phase, ", ")
	if passed := now.Sub(l.last); message == "" || passed < phaseEvery || phase == l.phase && passed < lineEvery {
		return
	}
	l.line(now)
}

// repeatNewest writes the newest message, and for how long it is that, if there has been no line
// for a while.
func (l *lineProgress) repeatNewest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.now(); l.message != "" && now.Sub(l.last) >= lineEvery {
		l.line(now)
	}
}

// line writes the newest message, with l.mu held.
func (l *lineProgress) line(now time.Time) {
	text := l.what + ": " + l.message
	if d := now.Sub(l.since); d >= phaseEvery {
		text += fmt.Sprintf(" (for %d s)", int(d.Seconds()))
	}
	l.last = now
	l.phase, _, _ = strings.Cut(l.message, ", ")
	fmt.Fprintln(l.w, codelens.Plain(text, false))
}

// verdictNews writes the verdicts on catches as soon as they are there: the tests that these rest
// on run first, and others for long after them.
type verdictNews struct {
	w     io.Writer
	ids   []string
	view  func() codelens.View
	known map[string]string // verdicts, by ID
	told  map[string]string // those of them that were told
}

// newVerdictNews begins with what is known of the catches now, which is no news.
func newVerdictNews(w io.Writer, ids []string, view func() codelens.View) *verdictNews {
	n := &verdictNews{w: w, ids: ids, view: view, known: map[string]string{}, told: map[string]string{}}
	n.each(func(c *snapshot.Catch, verdict string) { n.known[c.ID] = verdict })
	return n
}

// each calls f for the catches that there is a verdict on.
func (n *verdictNews) each(f func(c *snapshot.Catch, verdict string)) {
	v := n.view()
	for _, id := range n.ids {
		c := v.Snap.ByID[id]
		if c == nil || v.Stale(c) {
			continue
		}
		if key, _, verdict := codelens.Part(v, c); key == "depends" || key == "copes" {
			f(c, verdict)
		}
	}
}

// with is progress that tells what is new before it is shown.
func (n *verdictNews) with(p session.Progress) session.Progress {
	return func(percent int, message string) {
		n.tell()
		p(percent, message)
	}
}

// tell writes what is new.
func (n *verdictNews) tell() {
	n.each(func(c *snapshot.Catch, verdict string) {
		if n.known[c.ID] == verdict {
			return
		}
		n.known[c.ID], n.told[c.ID] = verdict, verdict
		n.line(c, verdict)
	})
}

// line writes what there is to say of a catch.
func (n *verdictNews) line(c *snapshot.Catch, text string) {
	clear := ""
	if onTerminal(n.w) {
		clear = clearLine
	}
	fmt.Fprintf(n.w, "%s%s:%d  %s\n", clear, codelens.Plain(c.File.Path, false), c.Line, codelens.Plain(text, false))
}

// end tells what is new at the end of a run, and takes back what was told and does not count any
// more: what came after it may have shown that a test is flaky, or the code has changed. Before the
// end a verdict may be away for a moment.
func (n *verdictNews) end() {
	n.tell()
	n.each(func(c *snapshot.Catch, _ string) { delete(n.told, c.ID) })
	v := n.view()
	for _, id := range n.ids {
		c, was := v.Snap.ByID[id], n.told[id]
		if c == nil || was == "" {
			continue
		}
		_, _, now := codelens.Part(v, c)
		n.line(c, "taken back: "+was+"; now: "+now)
		delete(n.told, id)
		delete(n.known, id)
	}
}

// summaryLine is a run in one line, as the editors show it.
func summaryLine(sum session.Summary) string {
	elapsed := fmt.Sprintf(", %.1f s", sum.Elapsed.Seconds())
	begun := ""
	if sum.Begun > 0 {
		begun = "the baseline is not complete: " + codelens.Count(sum.Begun, "test") + " run once"
		if sum.Tests == 0 {
			return begun + elapsed
		}
		begun += "; before that "
	}
	outcomes := fmt.Sprintf("%d passed", sum.Passed)
	for _, o := range []struct {
		n    int
		what string
	}{{sum.Failed, "failed"}, {sum.Flaky, "flaky"}, {sum.Skipped, "skipped"}} {
		if o.n > 0 {
			outcomes += fmt.Sprintf(", %d %s", o.n, o.what)
		}
	}
	known := ""
	if sum.Reused > 0 {
		known = fmt.Sprintf(", %d known already", sum.Reused)
	}
	if sum.Confirmed > 0 {
		known += fmt.Sprintf(", %d checked again", sum.Confirmed)
	}
	faults := ""
	if sum.Faults > 0 {
		faults = fmt.Sprintf(", %d with a fault", sum.Faults)
	}
	return fmt.Sprintf("%s%s (%s), %s with an injected exception%s%s%s", begun, codelens.Count(sum.Tests, "test"),
		outcomes, codelens.Count(sum.Cells, "run"), faults, known, elapsed)
}

// notRun is the error of a run of all tests that left out those of some modules; nil where it left
// out none. Notes have said why.
func notRun(sum session.Summary) error {
	if len(sum.NotRun) == 0 || len(sum.Catches) > 0 {
		return nil
	}
	return fmt.Errorf("not all tests were run: those of %s are left out", strings.Join(sum.NotRun, ", "))
}

// stopped tells whether a run that ended with an error was stopped by its user, whatever the error
// says of it: what is stopped in the middle of something may call that failed.
func stopped(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.Is(err, context.Canceled))
}

// stoppedLine says what is kept of a run that was stopped.
func stoppedLine(sum session.Summary) string {
	switch {
	case sum.Begun > 0:
		return "stopped in the baseline: what tests have shown is kept, and the next run begins that baseline again"
	case sum.Tests+sum.Cells+sum.Faults == 0:
		return "stopped before any test was done"
	}
	return "stopped: what was done is kept, and the next run goes on from there"
}
