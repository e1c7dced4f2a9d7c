// Command catchlens shows, for every try/catch of a Java workspace, which
// exceptions can arrive there and from where, which of them a test has really
// made happen, and whether the handler copes.
//
// This package is flags and wiring, nothing else. Results go to standard
// output, everything else to standard error; the exit code is 0 (done), 1 (done,
// and findings that --fail-on names exist) or 2 (usage or input error, said in
// one line).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/sandbox"
)

// version is set by the build (-ldflags "-X main.version=..."), or is that of the module.
var version = "0.1.0-dev"

func init() {
	if info, ok := debug.ReadBuildInfo(); ok {
		version = versionOf(version, info)
	}
}

// versionOf returns the version of a program that was built from a published module (`go install
// PATH@VERSION`), and set for any other: only a module that was fetched has a checksum.
func versionOf(set string, info *debug.BuildInfo) string {
	if info.Main.Sum == "" {
		return set
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

type cli struct {
	Analyze  analyzeCmd  `cmd:"" help:"Show which exceptions can reach each catch. Reads files only; nothing of the workspace is executed."`
	Run      runCmd      `cmd:"" help:"Run the workspace's tests, then again with exceptions thrown at the start of each try, and show the verdicts."`
	Coverage coverageCmd `cmd:"" help:"Run the workspace's tests once, where that is not known, and show which lines and branches they cover."`
	Plan     planCmd     `cmd:"" help:"Say how many coverage probes each method outside tests gets, by which technique. Runs no tests, but for --count."`
	Report   reportCmd   `cmd:"" help:"Write a report from the results that are there."`
	Compare  compareCmd  `cmd:"" help:"Compare the analyses on this workspace: predicted and experienced links, coverage and time of each call graph."`
	Explain  explainCmd  `cmd:"" help:"Say why the links of one catch are there, why others are not, and what its verdict rests on."`
	Chains   chainsCmd   `cmd:"" help:"List the call chains of a component: by which sequences of calls its methods are reached from what others may call."`
	Audit    auditCmd    `cmd:"" help:"Draw links for a reader to judge, and hold later analyses to what was judged."`
	Dump     dumpCmd     `cmd:"" help:"Print what catchlens makes of one class: members, register code, facts or probes; or the links of a workspace, to be compared."`
	Lsp      lspCmd      `cmd:"" help:"Serve an editor on standard input and output (Language Server Protocol)."`
	Doctor   doctorCmd   `cmd:"" help:"Say what catchlens finds here: JDKs, modules, class paths, test frameworks, confinement, and what is missing."`
	Demo     demoCmd     `cmd:"" help:"Show the main job on the bundled example."`
	Version  versionCmd  `cmd:"" help:"Print the version."`

	Completion completionCmd `cmd:"" help:"Print a script with which a shell completes commands, flags and their values."`
	Complete   completeCmd   `cmd:"" hidden:"" help:"List what the last of some words can become; the scripts of completion call it."`

	CPUProfile string `name:"cpuprofile" type:"path" hidden:"" help:"Write a CPU profile to this file." placeholder:"FILE"`
	Trace      string `type:"path" hidden:"" help:"Write an execution trace to this file." placeholder:"FILE"`
}

// profile starts what --cpuprofile and --trace ask for; the result ends it.
func (c *cli) profile() (stop func(), err error) {
	var ends []func()
	begin := func(path string, start func(io.Writer) error, end func()) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		ends = append(ends, func() { end(); f.Close() })
		return start(f)
	}
	if c.CPUProfile != "" {
		err = begin(c.CPUProfile, pprof.StartCPUProfile, pprof.StopCPUProfile)
	}
	if c.Trace != "" && err == nil {
		err = begin(c.Trace, trace.Start, trace.Stop)
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}, err
}

// findings is the error of a command that is done and found what --fail-on names.
type findings struct{ text string }

func (f findings) Error() string { return f.text }

func main() {
	sandbox.MaybeRunAsHelper()
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	ctx, stop := untilSignal()
	defer stop()
	var c cli
	code := -1
	parser, err := kong.New(&c, kong.Name("catchlens"),
		kong.Description("Trust your error handling: which exceptions reach each catch, which of them your tests "+
			"made happen, and whether the handler copes."),
		kong.UsageOnError(), kong.Exit(func(n int) { code = n }), kong.Writers(os.Stdout, os.Stderr),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		return fail(err)
	}
	if len(args) > 0 && args[0] == "help" { // as other tools have it: help, help run
		args = append(slices.Clone(args[1:]), "--help")
	}
	if len(args) == 0 {
		return fail(errors.New("no command: `catchlens --help` lists all, and `catchlens analyze` looks at the " +
			"Java project in this folder"))
	}
	k, err := parser.Parse(args)
	if code >= 0 { // --help
		return code
	}
	if err != nil {
		return fail(err)
	}
	stopProfile, err := c.profile()
	defer stopProfile()
	if err != nil {
		return fail(err)
	}
	if err := k.Run(); err != nil {
		var f findings
		if errors.As(err, &f) {
			fmt.Fprintln(os.Stderr, "catchlens:", f.text)
			return 1
		}
		return fail(err)
	}
	return 0
}

// oneRequest is how long signals count as the one that came first: timeout(1) and what else sends
// them to a process and to the group that it is in sends each twice.
const oneRequest = time.Second

// endGrace is how long what was begun may take to end after the first signal: what it has done is
// on disk by then. What hangs longer hangs for ever.
var endGrace = 15 * time.Second

// A grace is what untilSignal says of endGrace in its context, by graceKey.
type grace struct {
	lift, end func() // they make it count no more, and end the process
}

type graceKey struct{}

// liftGrace returns the context in which to report what was done until a signal came. What that
// asked to end has ended, and the report may take as long as it needs, where it has many links or
// the machine is busy: more than endGrace. A further signal ends it. Once it is there, reported is
// to be called: what comes then has endGrace again.
func liftGrace(ctx context.Context) (report context.Context, reported func()) {
	g, ok := ctx.Value(graceKey{}).(grace)
	if !ok {
		return context.WithoutCancel(ctx), func() {}
	}
	g.lift()
	return context.WithoutCancel(ctx), func() { time.AfterFunc(endGrace, g.end) }
}

// exitTerminated is what a shell says of a process that SIGTERM has ended.
const exitTerminated = 128 + 15

// untilSignal is a context that the first Ctrl-C or request to end cancels, so that what was done
// is kept; one that comes later than oneRequest ends the process, whatever it waits for.
func untilSignal() (context.Context, func()) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	over := make(chan struct{})
	g := grace{lift: sync.OnceFunc(func() { close(over) }), end: func() {
		fmt.Fprintln(os.Stderr, "catchlens: ended before it was done with what it was asked to give up")
		os.Exit(exitTerminated)
	}}
	context.AfterFunc(ctx, func() {
		time.AfterFunc(oneRequest, stop)
		select {
		case <-over:
		case <-time.After(endGrace):
			g.end()
		}
	})
	return context.WithValue(ctx, graceKey{}, g), func() {
		g.lift()
		stop()
	}
}

func fail(err error) int {
	// An error may name files of a workspace, or quote what its build tool said.
	fmt.Fprintln(os.Stderr, "catchlens:", codelens.Plain(strings.Join(strings.Fields(err.Error()), " "), false))
	return 2
}

type versionCmd struct{}

func (versionCmd) Run() error {
	fmt.Println("catchlens", version)
	return nil
}
