package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/codelens/news"
	"github.com/catchlens/catchlens/instrument/campaign"
	"github.com/catchlens/catchlens/internal/userfile"
	"github.com/catchlens/catchlens/lsp"
	"github.com/catchlens/catchlens/session"
)

// common are the flags of every command that shows a workspace.
type common struct {
	where
	CallGraph string `help:"How the call graph is built: auto (the default) is the most precise that can be had, obj-dr. By cha, rta, pta or inpta, each more precise and slower than the one before; pta-dr, inpta-dr and obj-dr also leave out links that no object makes possible." placeholder:"NAME"`
}

// where says what to look at.
type where struct {
	Dir string `arg:"" optional:"" default:"." type:"path" help:"The workspace: a folder with a Maven, Gradle or plain Java project."`
	studied
}

// studied says what of a workspace counts, and where what is kept of it is.
type studied struct {
	Exceptions  string   `help:"Which exceptions count: checked+own (the default: checked ones from anywhere and every exception that the workspace itself throws), io, checked or all." placeholder:"SET"`
	Sites       []string `help:"Which throw sites count: any of native, explicit (the default) and implicit." placeholder:"KIND"`
	EntryPoints string   `help:"Where execution starts: tests (the default), mains or public." placeholder:"WHERE"`
	Reading     string   `help:"Which reading of source independence is shown first: usage (the default: exceptions are thrown where tests had them caught) or paper (in every execution of the try)." placeholder:"READING"`
	Cache       string   `type:"path" help:"Cache folder instead of the user's own." placeholder:"DIR"`
	Verbose     bool     `short:"v" help:"Say what is being done."`
}

func (c common) open(version string, trusted bool, workers int) (*session.Session, error) {
	return c.where.open(c.CallGraph, version, trusted, workers)
}

func (c where) open(callGraph, version string, trusted bool, workers int) (*session.Session, error) {
	// Commands for which code of the workspace may run, run its tests.
	return c.openWith(callGraph, session.Options{Version: version, Trusted: trusted, RunFollows: trusted,
		Workers: workers})
}

// openSession is session.Open; tests look at what commands give it.
var openSession = session.Open

// openWith opens the workspace with options, but for those that the flags say.
func (c where) openWith(callGraph string, opt session.Options) (*session.Session, error) {
	set := snapshot.Settings{CallGraph: callGraph, Exceptions: c.Exceptions, Sites: c.Sites, EntryPoints: c.EntryPoints}
	if _, err := set.Config(); err != nil {
		return nil, err
	}
	info, err := os.Stat(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("%s: no such folder", c.Dir)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: not a folder; give the folder of the Java project", c.Dir)
	}
	log := slog.New(newMessages(os.Stderr))
	if c.Verbose {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	opt.CacheDir, opt.Settings, opt.Once, opt.Log, opt.Reading = c.Cache, set, true, log, c.Reading
	return openSession([]string{c.Dir}, opt)
}

// load opens and analyses the workspace. It fails only if there is nothing to show.
func (c common) load(ctx context.Context, trusted bool, workers int) (*session.Session, error) {
	s, err := c.open(version, trusted, workers)
	if err != nil {
		return nil, err
	}
	return s, reload(ctx, s, "analysing", progress)
}

// reload analyses an open workspace, and closes it if that fails.
func reload(ctx context.Context, s *session.Session, what string, show shower) error {
	p, done := show(what)
	err := s.Reload(ctx, p)
	done()
	if err != nil {
		s.Close()
	}
	return err
}

// reloadToRun is reload for commands that run tests. It fails where a workspace has no code: a
// folder that was given by mistake has no tests that pass. What it cannot run it says first.
func reloadToRun(ctx context.Context, s *session.Session, show shower) error {
	if err := reload(ctx, s, "analysing", show); err != nil {
		return err
	}
	snap := s.View().Snap
	left := session.LeftTests(snap)
	for _, n := range left {
		fmt.Fprintln(os.Stderr, "warning:", codelens.Plain(n, false))
	}
	if len(left)+len(snap.Files)+snap.Stats.Classes > 0 {
		return nil
	}
	s.Close()
	return noCode(snap.Workspace)
}

// noCode is the error of a workspace that has neither sources nor classes. It names the first
// thing that could not be read of it, if any; a warning, as of a setting, hides no code.
func noCode(ws *workspace.Workspace) error {
	const nothing = "no Java code was found"
	for _, p := range ws.Problems {
		if p.Severity == workspace.Error {
			return fmt.Errorf("%s: %s: %s", cmp.Or(p.File, ws.Root), nothing, p.Message)
		}
	}
	for _, p := range ws.Problems {
		if strings.HasPrefix(p.Message, nothing) {
			return fmt.Errorf("%s: %s", cmp.Or(p.File, ws.Root), p.Message)
		}
	}
	return fmt.Errorf("%s: %s: see catchlens doctor", ws.Root, nothing)
}

// reported are the flags that say what of a workspace a report has.
type reported struct {
	All   bool `help:"With text: list all catches, also those that cope."`
	Links bool `help:"With text: list the links of each catch with their shortest chains."`
	Tests bool `help:"With json: include catches in test sources."`

	DocsURL string `help:"With sarif: where docs/ is published; rules then link to their pages there." placeholder:"URL"`

	News string `kong:"-"` // with text: ends the line on how many cope
}

// Validate implements kong's interface: those who read SARIF refuse all of it for an address that
// is none.
func (r reported) Validate() error {
	u, err := url.Parse(r.DocsURL)
	if r.DocsURL == "" || err == nil && u.IsAbs() && u.Host != "" && u.String() == r.DocsURL {
		return nil
	}
	return fmt.Errorf("--docs-url %s is not an address such as https://example.org/docs", r.DocsURL)
}

type analyzeCmd struct {
	common
	Format string `default:"text" enum:"text,json,sarif,html" help:"text, json, sarif or html." placeholder:"FORM"`
	reported
}

func (c *analyzeCmd) Run(ctx context.Context) error {
	tuneGC()
	s, err := c.load(ctx, false, 0)
	if err != nil {
		return err
	}
	defer s.Close()
	return write(ctx, os.Stdout, s, c.Format, c.reported)
}

type runCmd struct {
	common
	Format string `default:"text" enum:"text,json,sarif,html" help:"text, json, sarif or html." placeholder:"FORM"`
	reported
	Catch         []string `help:"Run only this catch, and list it alone: FILE:LINE of it, or of the nearest one above, or its ID; may be given several times." placeholder:"CATCH" sep:"none"`
	Again         bool     `help:"Run also what is known and has not changed."`
	FailOn        []string `help:"Exit with 1 if there is such a finding: source-dependent, never-entered, without-handler, unpredicted; or fault-catch=RATIO, if the overall fault-catch coverage is below it." placeholder:"FINDING"`
	Baseline      string   `type:"path" help:"With --fail-on: a file of findings that are known; only others count." placeholder:"FILE"`
	WriteBaseline string   `type:"path" help:"Write the findings there are into a file for --baseline." placeholder:"FILE"`
	Isolation     string   `help:"How injected runs are kept from each other: shared (one JVM for many, the default), loader (a class loader each) or fork (a JVM each)." placeholder:"RUNG"`
	FineGrain     int      `help:"Also throw exceptions inside tries, before statements and at calls: at so many places of each, at most." placeholder:"PLACES"`
	Order         int64    `help:"Seed of another order of the runs." placeholder:"SEED" hidden:""`
	Faults        string   `default:"jvm" enum:"off,jvm,os" aliases:"engine" help:"Make faults of the environment happen for links from the JDK: jvm (the default) fails native operations inside the test JVM, os fails system calls below it (Linux), off does not." placeholder:"ENGINE"`
	FaultsOnly    bool     `help:"Leave short-circuit testing out: run the tests as they are, then with faults."`
	Untold        bool     `kong:"-"` // nothing is written to standard output: who runs this does
	Quiet         bool     `short:"q" help:"Show no progress."`
	Jobs          int      `short:"j" help:"Test JVMs at once; 0 means one per core, and for tests that mostly wait two more per core, at most eight." placeholder:"N" default:"0"`
}

func (c *runCmd) Run(ctx context.Context) error {
	for _, f := range c.FailOn {
		if _, gate, err := faultGate(f); err != nil {
			return err
		} else if codelens.CodeOf[f] == "" && !gate {
			return fmt.Errorf("--fail-on %s: not a finding; use source-dependent, never-entered, without-handler, "+
				"unpredicted or fault-catch=RATIO", f)
		}
	}
	if c.FaultsOnly && c.Faults == "off" {
		return errors.New("--faults-only and --faults off leave nothing to run but the tests as they are: use one " +
			"of them")
	}
	known, err := readBaseline(c.Baseline)
	if err != nil {
		return err
	}
	show := runProgress
	if c.Quiet {
		show = noProgress
	}
	s, err := c.open(version, true, c.Jobs)
	if err == nil {
		err = reloadToRun(ctx, s, show)
	}
	if err != nil {
		return err
	}
	defer s.Close()
	only, err := findCatches(s.View().Snap, c.Catch)
	if err != nil {
		return err
	}
	p, done := show("running")
	told := newVerdictNews(os.Stderr, idsOf(only), s.View)
	if !c.Quiet {
		p = told.with(p)
	}
	sum, err := s.Run(ctx, session.Scope{Catches: idsOf(only), Again: c.Again, Isolation: c.Isolation,
		FineGrain: c.FineGrain, Order: c.Order, Faults: c.Faults, OnlyFaults: c.FaultsOnly}, p)
	done()
	if !c.Quiet {
		told.end()
	}
	return c.report(ctx, s, sum, err, idsOf(only), known)
}

// report shows what a run that ended with some error, or none, has done with catches; nil: all. The
// error is what the command ends with. A run that did not notice a signal any more was stopped.
func (c *runCmd) report(ctx context.Context, s *session.Session, sum session.Summary, err error,
	only []string, known map[string]bool) error {
	if err = cmp.Or(err, ctx.Err()); err != nil && !stopped(ctx, err) {
		return err
	}
	fmt.Fprintln(os.Stderr, summaryLine(sum))
	if c.Verbose {
		tellTimes(os.Stderr, sum.Times)
	}
	for _, n := range sum.Notes {
		fmt.Fprintln(os.Stderr, "note:", codelens.Plain(n, false))
	}
	tellNew(os.Stderr, s.View(), sum.News)
	if text := sum.News.Text(); text != "" {
		c.News = "; " + text
	}
	shown := ctx
	if err != nil { // what a cancelled run has shown is shown
		var reported func()
		shown, reported = liftGrace(ctx)
		defer reported()
	}
	if c.Untold {
		return err
	}
	if werr := write(shown, os.Stdout, s, c.Format, c.reported, only...); werr != nil {
		return werr
	}
	if err != nil {
		return errors.New(stoppedLine(sum))
	}
	if c.WriteBaseline != "" {
		if err := writeBaseline(c.WriteBaseline, s.View()); err != nil {
			return err
		}
	}
	return cmp.Or(failOn(os.Stderr, s.View(), c.FailOn, known), notRun(sum))
}

// tellTimes says where the time of a run went.
func tellTimes(w io.Writer, t campaign.Times) {
	fmt.Fprintf(w, "times: baseline %.1f s, injections %.1f s, confirmation %.1f s, stretching %.1f s; "+
		"in the tests themselves: with an exception %.1f s, clean reruns %.1f s, as often as injected into in "+
		"the baseline %.1f s; %d requested runs, %.2f ms of our own each; %d JVMs started in %.1f s (%d to "+
		"confirm verdicts), which had nothing to do for %.1f s\n",
		t.Baseline.Seconds(), t.Injections.Seconds(), t.Confirmation.Seconds(), t.Stretching.Seconds(),
		t.Injected.Seconds(), t.Clean.Seconds(), t.Chosen.Seconds(), t.Runs, t.Own().Seconds()*1000,
		t.Starts, t.Starting.Seconds(), t.Fresh, t.Waiting.Seconds())
}

// tellNew lists the catches that are new, with their places: before everything else that a run says
// of catches.
func tellNew(w io.Writer, v codelens.View, n *news.News) {
	if n == nil || len(n.New) == 0 {
		return
	}
	fmt.Fprintf(w, "new since %s:\n", n.Since)
	for _, c := range n.New {
		_, _, verdict := codelens.Part(v, c)
		fmt.Fprintf(w, "  %s:%d  %s\n", codelens.Plain(c.File.Path, false), c.Line, codelens.Plain(verdict, false))
	}
}

type reportCmd struct {
	common
	Format string `default:"html" enum:"text,json,sarif,html" help:"text, json, sarif or html." placeholder:"FORM"`
	output
	reported
}

// output is where a command writes what it has found.
type output struct {
	Output string `short:"o" type:"path" help:"File to write instead of standard output." placeholder:"FILE"`
}

// writeOutput calls write with the file that is asked for, or standard output. A file is replaced
// once all of it has been written.
func (c *output) writeOutput(write func(io.Writer) error) error {
	if c.Output == "" {
		return write(os.Stdout)
	}
	err := userfile.Replace(c.Output, func(f io.Writer) error { return write(f) })
	if err == nil {
		fmt.Fprintln(os.Stderr, "wrote", c.Output)
	}
	return err
}

func (c *reportCmd) Run(ctx context.Context) error {
	s, err := c.load(ctx, false, 0)
	if err != nil {
		return err
	}
	defer s.Close()
	return c.writeOutput(func(w io.Writer) error { return write(ctx, w, s, c.Format, c.reported) })
}

// manyLinks is how many links a report may list without a word about it. With implicit throw sites
// there are millions.
const manyLinks = 200_000

// jsonLink is about how many bytes a link takes in a JSON report of so many: 13.3 GB for the 2.6
// million of commons-io.
const jsonLink = 5000

// sizeNote says that a report lists a great many links; "" where it does not.
func sizeNote(v codelens.View, format string, links, tests bool) string {
	n := 0
	for _, c := range v.Snap.Catches {
		if !c.InTests || format == "json" && tests {
			n += len(v.Links(c))
		}
	}
	if n <= manyLinks || format == "sarif" || format == "text" && !links {
		return ""
	}
	size := ""
	if format == "json" {
		size = fmt.Sprintf(", about %.0f GB", float64(n)*jsonLink/1e9)
	}
	return fmt.Sprintf("the report lists %d e-c links%s; without implicit throw sites (--sites) or with a smaller "+
		"set of exceptions (--exceptions) there are fewer", n, size)
}

// write writes a report; as text it lists only the catches with these IDs, if there are any. The
// error is that of ctx if it ends meanwhile.
func write(ctx context.Context, w io.Writer, s *session.Session, format string, what reported, only ...string) error {
	b := bufio.NewWriter(w)
	v := s.View()
	if note := sizeNote(v, format, what.Links, what.Tests); note != "" {
		fmt.Fprintln(os.Stderr, "note:", note)
	}
	var err error
	switch format {
	case "json":
		err = codelens.WriteReport(ctx, b, v, version, what.Tests)
	case "sarif":
		err = codelens.SARIF(b, v, version, what.DocsURL, s.LocateTest)
	case "html":
		err = codelens.HTMLReport(ctx, b, v, version)
	default:
		err = codelens.Text(ctx, b, v, codelens.TextOptions{All: what.All, Links: what.Links, Color: inColor(w),
			Only: byID(v.Snap, only), News: what.News})
	}
	return errors.Join(err, b.Flush())
}

type lspCmd struct {
	Log     string `type:"path" help:"Write a log to this file." placeholder:"FILE"`
	Docs    string `help:"Where diagnostics link to for an explanation." placeholder:"URL" hidden:""`
	Stdio   bool   `help:"Accepted for editors that pass it; standard input and output are always used."`
	Process int    `name:"clientProcessId" help:"Accepted for editors that pass it." hidden:""`
}

func (c *lspCmd) Run(ctx context.Context) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	if c.Log != "" {
		f, err := os.OpenFile(c.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		log = slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	sources := func(dir string) string {
		cache, err := session.CacheDir(dir)
		if err != nil { // opening a session says so
			return ""
		}
		return session.SourcesDir(cache)
	}
	srv := lsp.New(lsp.Options{Version: version, DocsURL: c.Docs, Log: log, Sources: sources,
		Open: func(folders []string, opt session.Options) (session.API, error) { return session.Open(folders, opt) }})
	return srv.Serve(ctx, os.Stdin, os.Stdout)
}
