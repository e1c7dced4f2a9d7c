package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/chaintext"
	"github.com/catchlens/catchlens/codelens/news"
	"github.com/catchlens/catchlens/internal/tempdir"
	"github.com/catchlens/catchlens/session"
)

// Commands of the server beside those of lenses (docs/reference/commands.md).
const (
	commandCancel = "catchlens.cancel" // end what runs
	commandPause  = "catchlens.pause"  // hold runs
	commandResume = "catchlens.resume" // let them go on
	commandReload = "catchlens.reload" // analyse again
	commandReport = "catchlens.report" // write the HTML report and show it
	commandStatus = "catchlens.status" // returns session.Status
	commandTrust  = "catchlens.trust"  // argument: true or false
	commandCover  = "catchlens.cover"  // run tests for coverage (tests.go)
)

// failurePrefix before the ID of a link stands for all links of its failure.
const failurePrefix = "failure:"

// written is a document that a command has written, returned to the client; with its text, if
// the client does not show documents on request.
type written struct {
	URI  string `json:"uri"`
	Text string `json:"text,omitempty"`
}

func (s *Server) executeCommand(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	p, err := params[protocol.ExecuteCommandParams](req)
	if err != nil {
		return nil, err
	}
	ses := s.session()
	if ses == nil {
		return nil, fmt.Errorf("no folder is open: open the folder of a Java project first")
	}
	args := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		if json.Unmarshal(a, &args[i]) != nil {
			args[i] = string(a)
		}
	}
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	switch string(p.Command) {
	case codelens.CommandRunCatch:
		return s.answerInTime(ctx, p.WorkDoneToken, func(ctx context.Context) (any, error) {
			if len(args) > 1 {
				return s.runAt(ctx, ses, arg(0), arg(1), p.WorkDoneToken)
			}
			return s.run(ctx, ses, "Running a catch", p.WorkDoneToken,
				session.Scope{Catches: []string{arg(0)}, Again: true})
		})
	case codelens.CommandRunAll:
		return s.answerInTime(ctx, p.WorkDoneToken, func(ctx context.Context) (any, error) {
			return s.run(ctx, ses, "Running all catches", p.WorkDoneToken, session.Scope{Again: arg(0) == "again"})
		})
	case commandCover:
		return s.cover(ctx, ses, p.WorkDoneToken, args)
	case codelens.CommandExplain:
		return s.explain(ctx, arg(0))
	case codelens.CommandShowChains:
		return s.showChains(ctx, arg(0))
	case chaintext.CommandShow:
		return s.showCallChains(ctx, ses, arg(0), arg(1))
	case chaintext.CommandRun:
		return s.runCallChains(ctx, ses, p.WorkDoneToken)
	case codelens.CommandShowMatrix:
		return s.showMatrix(ctx, ses, arg(0), arg(1))
	case codelens.CommandInfeasible:
		return nil, s.judge(ctx, ses, arg(0), args)
	case codelens.CommandStretch:
		return s.stretch(ctx, ses, arg(0))
	case codelens.CommandWriteTest:
		return s.writeTest(ctx, ses, arg(0))
	case commandPause, commandResume:
		ses.Pause(string(p.Command) == commandPause)
		return nil, nil
	case commandCancel:
		s.tokens.cancelAll()
		ses.StopJudging()
		ses.Pause(false) // what is asked for next runs
		return nil, nil
	case commandReload:
		s.background("Analysing exceptions", ses.Reload)
		return nil, nil
	case commandReport:
		return s.report(ctx)
	case commandStatus:
		return protocol.LSPAny(must(shownStatus(ses))), nil
	case commandTrust:
		s.mu.Lock()
		s.settings.Trusted = ptr(arg(0) == "true")
		s.mu.Unlock()
		if err := s.configure(); err != nil { // said when they were set
			s.log.Debug("settings", "error", err)
		}
		return nil, nil
	}
	return nil, fmt.Errorf("%w: no command %q", jsonrpc2.ErrInvalidParams, p.Command)
}

// noReason is the reason of judgements made in editors that ask for none.
const noReason = "judged in the editor"

// judge judges a link, or the links of a failure; the second argument is the reason. It says what
// was done, where that is written and how it is taken back.
func (s *Server) judge(ctx context.Context, ses session.API, what string, args []string) error {
	reason := noReason
	if len(args) > 1 {
		reason = args[1]
	}
	link, ofFailure := strings.CutPrefix(what, failurePrefix)
	takesBack := strings.TrimSpace(reason) == ""
	v := ses.View()
	l := linkOf(v, link)
	if _, judged := v.Infeasible[link]; l != nil && takesBack && !judged {
		return errors.New("there is nothing to take back: this has not been marked as impossible")
	}
	if err := ses.Judge(link, ofFailure, reason); err != nil || l == nil {
		return err
	}
	text := "marked as impossible: %s. This is written in catchlens.toml. " +
		"The code action \"Take back\" at the catch undoes it."
	if takesBack {
		text = "taken back: %s. This is no longer in catchlens.toml, and it counts again."
	}
	s.showMessage(ctx, 3, "catchlens: "+fmt.Sprintf(text, nameJudged(v, l, ofFailure, takesBack)))
	return nil
}

// nameJudged is what the code action that judges a link, or takes that back, calls it.
func nameJudged(v codelens.View, l *snapshot.Link, ofFailure, takesBack bool) string {
	for _, j := range codelens.Judgements(v, l.Catch, math.MaxInt) {
		if j.Link == l.ID && j.TakeBack == takesBack && (takesBack || j.Failure == ofFailure) {
			return j.Name()
		}
	}
	return codelens.Plain(l.Exception, false) + " from " + codelens.SiteName(*l.Site)
}

// run runs a campaign with progress and returns its summary. Asking for a run
// is the user's explicit command that DESIGN D9 waits for, unless the client
// has said that the workspace is not trusted.
func (s *Server) run(asking context.Context, ses session.API, title string, token protocol.ProgressToken,
	scope session.Scope) (any, error) {
	s.mu.Lock()
	how := s.settings.run()
	s.mu.Unlock()
	scope.Isolation, scope.FineGrain, scope.Faults = how.Isolation, how.FineGrain, how.Faults
	var sum session.Summary
	answer, err := s.runAndCount(asking, ses, title, token,
		func(ctx context.Context, p session.Progress) (_ session.Summary, err error) {
			sum, err = ses.Run(ctx, scope, p)
			return sum, err
		})
	if err != nil {
		return nil, err
	}
	if v := s.view(); v.Snap != nil {
		answer.Outcome, answer.New = codelens.Message(news.Outcome(v, sum.News)), s.newPlaces(v, sum.News)
		if len(sum.Catches) == 1 && v.Snap.ByID[sum.Catches[0]] != nil {
			answer.Catch = sum.Catches[0]
			answer.Verdict = codelens.Message(news.Verdict(v, v.Snap.ByID[answer.Catch]))
		}
	}
	return protocol.LSPAny(must(answer)), nil
}

// runs has work run tests, as run does, and returns its summary.
func (s *Server) runs(asking context.Context, ses session.API, title string, token protocol.ProgressToken,
	work func(context.Context, session.Progress) (session.Summary, error)) (any, error) {
	answer, err := s.runAndCount(asking, ses, title, token, work)
	if err != nil {
		return nil, err
	}
	return protocol.LSPAny(must(answer)), nil
}

// runAndCount has work run tests, and returns its counts.
func (s *Server) runAndCount(asking context.Context, ses session.API, title string, token protocol.ProgressToken,
	work func(context.Context, session.Progress) (session.Summary, error)) (ran, error) {
	s.mu.Lock()
	trusted := s.settings.Trusted
	s.mu.Unlock()
	if trusted == nil {
		ses.SetTrusted(true)
	}
	var t any
	switch v := token.(type) {
	case protocol.String:
		t = clone(string(v))
	case protocol.Integer:
		t = int64(v)
	}
	var sum session.Summary
	err := s.withProgress(asking, title, t, func(ctx context.Context, p session.Progress) error {
		var err error
		sum, err = work(ctx, p)
		return err
	})
	if err != nil {
		return ran{}, err
	}
	notes := make([]string, len(sum.Notes))
	for i, n := range sum.Notes {
		notes[i] = codelens.Message(n)
	}
	return ran{
		Tests: sum.Tests, Passed: sum.Passed, Failed: sum.Failed, Flaky: sum.Flaky, Skipped: sum.Skipped,
		Injected: sum.Cells, Known: sum.Reused,
		Unpredicted: sum.Unpredicted, Notes: notes, Seconds: sum.Elapsed.Seconds(),
	}, nil
}

// newPlaces are where the catches stand that are new: in open documents as they are edited by now;
// one that an edit has taken away, where it stood.
func (s *Server) newPlaces(v codelens.View, n *news.News) []newPlace {
	places := []newPlace{}
	if n == nil || len(n.New) == 0 {
		return places
	}
	documents := map[string]*document{} // by the path of their file
	for _, d := range s.docs.all() {
		if _, p := s.placed(v, d); p != nil {
			documents[p.file.Path] = d
		}
	}
	for _, c := range n.New {
		place := newPlace{URI: fileOf(v, c.File.Path), Line: c.Line - 1}
		if d := documents[c.File.Path]; d != nil {
			place.URI = d.uri
			if at := javasource.Carry(c.File.Source, d.source)[c.Source]; at != nil {
				place.Line = d.source.Line(at.Keyword.Start) - 1
			}
		}
		places = append(places, place)
	}
	return places
}

// newPlace is where a catch stands that is new.
type newPlace struct {
	URI  string `json:"uri"`
	Line int    `json:"line"` // from 0
}

// shownStatus is a session's status, for a status item.
func shownStatus(ses session.API) session.Status {
	st := ses.Status()
	st.JDK, st.Unconfined, st.Activity = codelens.Message(st.JDK), codelens.Message(st.Unconfined),
		codelens.Message(st.Activity)
	return st
}

// ran is what a run answers (docs/reference/commands.md).
type ran struct {
	Tests       int      `json:"tests"` // of the baseline, by outcome
	Passed      int      `json:"passed"`
	Failed      int      `json:"failed"`
	Flaky       int      `json:"flaky"`
	Skipped     int      `json:"skipped"`  // not run by their framework: disabled, or an assumption did not hold
	Injected    int      `json:"injected"` // injected runs done now
	Known       int      `json:"known"`    // injected runs whose results still hold
	Unpredicted int      `json:"unpredicted"`
	Notes       []string `json:"notes"`
	Seconds     float64  `json:"seconds"`
	// how the catches of the workspace stand now, and what is new since an earlier run, in a line
	Outcome string     `json:"outcome,omitempty"`
	New     []newPlace `json:"new,omitempty"` // the catches that are, in the order of the line
	// of a run of one catch its ID, and how it stands now, in a sentence
	Catch   string `json:"catch,omitempty"`
	Verdict string `json:"verdict,omitempty"`
}

// ranText says what a run has done, in a line; answer is what Server.run returns.
func ranText(answer any) string {
	var r ran
	if data, ok := answer.(protocol.LSPAny); !ok || json.Unmarshal(data, &r) != nil {
		return "the run has ended"
	}
	text := fmt.Sprintf("%s (%d passed, %d failed), %s with an injected exception", codelens.Count(r.Tests, "test"),
		r.Passed, r.Failed, codelens.Count(r.Injected, "run"))
	if said := cmp.Or(r.Verdict, r.Outcome); said != "" {
		text = said + "; " + text
	}
	return strings.Join(append([]string{text}, r.Notes...), "; ")
}

func (s *Server) showChains(ctx context.Context, id string) (any, error) {
	v := s.view()
	if v.Snap == nil || v.Snap.ByID[id] == nil {
		return nil, fmt.Errorf("the catch %s is not known any more: save the file and try again", id)
	}
	dir, err := s.scratch()
	if err != nil {
		return nil, err
	}
	text := codelens.ChainsPage(v, v.Snap.ByID[id], s.sources.Links(v.Snap, linksFrom(dir, v.Snap.Workspace.Root)))
	return s.show(ctx, shownDocument{name: "chains.md", data: []byte(text)})
}

// showMatrix shows the matrix of a catch, which is named by its ID, or by a
// document's URI and a line of it (0-based): the nearest catch at or above it.
func (s *Server) showMatrix(ctx context.Context, ses session.API, what, line string) (any, error) {
	c, v, err := s.catchAt(what, line)
	if err != nil {
		return nil, err
	}
	dir, err := s.scratch()
	if err != nil {
		return nil, err
	}
	text := codelens.MatrixPage(v, c, s.sources.Links(v.Snap, linksFrom(dir, v.Snap.Workspace.Root)), ses.LocateTest)
	return s.show(ctx, shownDocument{name: "matrix.md", data: []byte(text)})
}

// catchAt finds the catch that a command names.
func (s *Server) catchAt(what, line string) (*snapshot.Catch, codelens.View, error) {
	v := s.view()
	if v.Snap == nil {
		return nil, v, fmt.Errorf("the first analysis is not done yet")
	}
	if line == "" {
		if c := v.Snap.ByID[what]; c != nil {
			return c, v, nil
		}
		return nil, v, fmt.Errorf("the catch %s is not known any more: save the file and try again", what)
	}
	d, row, err := s.lineOf(what, line)
	if err != nil {
		return nil, v, err
	}
	v, p := s.viewOf(d)
	if p != nil {
		if at := s.nearest(d, p, row, false); at != nil {
			return p.known(at), v, nil
		}
	}
	return nil, v, errNoCatch
}

// errNoCatch is the answer where a document has no catch to which a line belongs.
var errNoCatch = errors.New("there is no catch at or above this line")

// lineOf finds the document and the line (0-based) that a command names.
func (s *Server) lineOf(uri, line string) (*document, int, error) {
	row, err := strconv.Atoi(line)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: the line %q is not a number", jsonrpc2.ErrInvalidParams, line)
	}
	d := s.docs.get(uri)
	if d == nil {
		return nil, 0, errors.New("the document is not open")
	}
	return d, row, nil
}

// nearest is the catch of a document that stands at a line or nearest above it, of those that the
// snapshot knows or of all; nil if there is none.
func (s *Server) nearest(d *document, p *placement, row int, all bool) (best *javasource.Catch) {
	nearest := -1
	consider := func(at *javasource.Catch) {
		if n := int(s.enc.span(d.source, d.text, at.Keyword.Start, at.Keyword.End).Start.Line); n <= row &&
			n >= nearest {
			best, nearest = at, n
		}
	}
	for c, at := range p.at {
		if at != nil && !c.InTests {
			consider(at)
		}
	}
	if all && !p.file.InTests {
		for _, at := range p.fresh {
			consider(at)
		}
	}
	return best
}

// known is the snapshot's catch that stands at a clause of the document; nil if it has none.
func (p *placement) known(at *javasource.Catch) *snapshot.Catch {
	for c, a := range p.at {
		if a == at {
			return c
		}
	}
	return nil
}

// linksFrom makes links for a page in a folder: relative paths, which Markdown
// previews follow where they refuse file URIs. A source on another volume has no
// relative path and gets its URI.
func linksFrom(dir, root string) codelens.SourceURI {
	absolute := codelens.FileURI(root)
	return func(at snapshot.Frame) string {
		path, line := at.File, at.Line
		if path == "" {
			return ""
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, filepath.FromSlash(path))
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return absolute(snapshot.Frame{File: path, Line: line})
		}
		u := url.URL{Path: filepath.ToSlash(rel)}
		if line > 0 {
			u.Fragment = fmt.Sprintf("L%d", line)
		}
		return u.String()
	}
}

func (s *Server) report(ctx context.Context) (any, error) {
	v := s.view()
	if v.Snap == nil {
		return nil, fmt.Errorf("the first analysis is not done yet")
	}
	var b strings.Builder
	if err := codelens.HTMLReport(ctx, &b, v, s.opt.Version); err != nil {
		return nil, err
	}
	return s.show(ctx, shownDocument{name: "report.html", data: []byte(b.String()), external: true})
}

// shownDocument is a document that the client is asked to show.
type shownDocument struct {
	name     string // below the folder of such documents
	data     []byte
	external bool   // in a browser
	line     int    // from 1, to begin with; 0: at its beginning
	heading  string // the same as the fragment of a link, for a client that shows the page as a reader sees it
}

// show writes a document into a private temporary folder and asks the client
// to show it.
func (s *Server) show(ctx context.Context, d shownDocument) (any, error) {
	dir, err := s.scratch()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, d.name)
	if err := os.WriteFile(path, d.data, 0o600); err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	uri := pathURI(path)
	if s.caps.showDocument {
		show := map[string]any{"uri": uri, "external": d.external, "takeFocus": true}
		if d.heading != "" {
			show["uri"] = uri + "#" + d.heading
		}
		if d.line > 0 {
			at := positionJSON{Line: uint32(d.line - 1)}
			show["selection"] = rangeJSON{at, at}
		}
		if err := s.call(ctx, "window/showDocument", show, nil); err != nil {
			s.log.Warn("the client did not show a document", "uri", uri, "error", err)
		}
	}
	w := written{URI: uri}
	if !s.caps.showDocument && !d.external {
		w.Text = string(d.data)
	}
	return protocol.LSPAny(must(w)), nil
}

// scratchFolder is the server's folder for documents it shows; it goes with the server.
type scratchFolder struct {
	dir *tempdir.Dir // under Server.mu; nil: not made yet

	pages      sync.Once // the documentation is written
	pagesError error
}

// scratch makes sure of that folder. The result is its path.
func (s *Server) scratch() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown.dir == nil {
		dir, err := tempdir.New("shown-")
		if err != nil {
			return "", err
		}
		s.shown.dir = dir
	}
	return s.shown.dir.Path, nil
}
