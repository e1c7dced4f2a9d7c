// Package peers compares catchlens with other whole-program analyses of Java on
// the same input: the same class path, entry points and JDK.
//
//	go run ./bench peers -only commons-codec
//
// The input is a project of bench/projects. Its tests are the entry points: a
// generated main method calls them all (java/MakeDriver.java), because that is
// what every peer understands. Peers are fetched from Maven Central (pom.xml) and
// run as their users do, in a JVM of their own:
//
//   - Tai-e (Tan and Li, ISSTA 2023), its context-insensitive pointer analysis
//     with the call graph it builds on the fly: invokedynamic, reflection with
//     string constants, implicit entries, merged exceptions, strings and string
//     builders; the JDK is that of the JVM it runs in. On commons-lang3 it ends in exceptions
//     unless it follows no reflection (failsTaie).
//
//   - Spark (Lhoták and Hendren, CC 2003) as Soot 4.6.0 has it, with its default
//     options. That of SootUp, a port of it, is not on Maven Central: there is no
//     sootup.spark and no sootup.qilin of release 2.0.0, and the context-insensitive
//     analysis of sootup.qilin 1.3.0 ends in an exception on a JDK newer than 8, whose
//     entry points it lacks.
//
// Measured are the whole process (wall time, processor time, largest resident
// set), and the analysis alone as each reports it, cold, -n times, pair by pair,
// medians; with -heap also the smallest heap
// with which the peer stays within 1.2 of its best time, by bisection, and with -twice
// whether one of twice catchlens's memory is that large, in one run. Processor
// time decides both: other work on the machine does not change it. The reachable methods and
// call edges (pairs of methods) of each are compared, and what only one has is
// summed up by package and written in full below -work.
package peers

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	laidout "github.com/catchlens/catchlens/bench/projects"
)

// flags are those of the command line.
var flags = flag.NewFlagSet("peers", flag.ExitOnError)

var (
	program  = flags.String("catchlens", "build/catchlens", "the program to measure")
	projects = flags.String("projects", "",
		"folder of the projects; default: CATCHLENS_BENCH_DIR, else catchlens-bench in the user's cache folder")
	names = flags.String("only", "commons-codec,commons-csv,commons-io,commons-lang3,joda-time", "which projects")
	runs  = flags.Int("n", 1,
		"runs of each analysis, a peer's of minutes; 0: compare what the last run with this -work left")
	graphs  = flags.String("graphs", strings.Join(snapshot.CallGraphs, ","), "call graphs of catchlens")
	against = flags.String("against", "",
		"the call graph whose methods and edges are compared; default: pta where there is one, else rta")
	jdk = flags.String("jdk", os.Getenv("JAVA_HOME"),
		"home of the JDK that is analysed and runs the peers; default: JAVA_HOME, else that of javac on the path")
	with  = flags.String("peers", "tai-e,spark", "which peers")
	heap  = flags.Bool("heap", false, "find the smallest heap that serves the peer")
	twice = flags.Bool("twice", false,
		"run the peer with a heap of twice what catchlens takes in all for -against: does that serve it?")
	heapStep = flags.Int("heap-step", 128, "MB to which that is found")
	largest  = flags.Int("xmx", 8192, "MB of heap for the peer otherwise")
	limit    = flags.Duration("limit", 20*time.Minute,
		"time for one run of a peer; one that takes longer is not run again")
	work   = flags.String("work", "", "folder for what is made; default: a temporary one, removed at the end")
	output = flags.String("o", "", "file that the tables are written to; default: standard output")
)

// Run measures and compares as the arguments say.
func Run(args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx := context.Background()
	out := io.Writer(os.Stdout)
	if *output != "" {
		f, err := os.Create(*output)
		if err != nil {
			return err
		}
		defer f.Close()
		out = f
	}
	root, err := laidout.Root()
	if err != nil {
		return err
	}
	if *projects == "" {
		*projects = root
	}
	if *jdk == "" {
		if *jdk, err = defaultJDK(); err != nil {
			return err
		}
	}
	dir := *work
	if dir == "" {
		if dir, err = os.MkdirTemp("", "catchlens-peers-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if *against == "" {
		*against = "rta"
		if slices.Contains(snapshot.CallGraphs, "pta") {
			*against = "pta"
		}
	}
	jars := map[string]string{}
	for _, name := range strings.Split(*with, ",") {
		if jars[name], err = fetch(ctx, name, filepath.Join(root, "peers", name)); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%s, %s/%s, %d cores, %d runs each\n", time.Now().UTC().Format("2006-01-02"), runtime.GOOS,
		runtime.GOARCH, runtime.NumCPU(), *runs)
	for _, name := range strings.Split(*names, ",") {
		in, err := prepare(ctx, name, filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := compareProject(ctx, out, in, jars); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// peersOf are the peers that were asked for.
func peersOf(ctx context.Context, in *input, jars map[string]string) ([]*peer, error) {
	var peers []*peer
	for _, name := range strings.Split(*with, ",") {
		switch name {
		case "tai-e":
			p, err := newTaie(in, jars[name])
			if err != nil {
				return nil, err
			}
			peers = append(peers, p)
		case "spark":
			p, err := newSpark(ctx, in, jars[name])
			if err != nil {
				return nil, err
			}
			peers = append(peers, p)
		}
	}
	return peers, nil
}

// timePeers runs the analyses of catchlens and its peers on one input, pair by pair, and returns
// what they took by name; own is the part that is the analysis alone. A peer that is late is not
// run again.
func timePeers(ctx context.Context, in *input,
	peers []*peer) (times map[string][]sample, own map[string][]time.Duration, err error) {
	times, own = map[string][]sample{}, map[string][]time.Duration{}
	for range *runs {
		for _, g := range strings.Split(*graphs, ",") {
			s, alone, err := runCatchlens(ctx, in, g)
			if err != nil {
				return nil, nil, err
			}
			times["catchlens "+g], own["catchlens "+g] = append(times["catchlens "+g], s),
				append(own["catchlens "+g],
					alone)
		}
		for _, p := range peers {
			if p.late {
				continue
			}
			s, err := p.run(ctx, *largest, 0)
			if p.late = errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil; p.late {
				p.until = s
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			times[p.name] = append(times[p.name], s)
		}
	}
	return times, own, nil
}

// compareProject measures and compares everybody on one input.
func compareProject(ctx context.Context, out io.Writer, in *input, jars map[string]string) error {
	peers, err := peersOf(ctx, in, jars)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n## %s, %d entry points\n\n| analysis | wall | CPU | memory | analysis alone | methods | "+
		"edges |\n|---|---|---|---|---|---|---|\n", in.name, in.entries)
	times, own, err := timePeers(ctx, in, peers)
	if err != nil {
		return err
	}
	var ours *result
	for _, g := range strings.Split(*graphs, ",") {
		r, err := catchlensResult(ctx, in, g)
		if err != nil {
			return err
		}
		if g == *against {
			ours = r
		}
		row(out, "catchlens "+g, times["catchlens "+g], own["catchlens "+g], r)
	}
	if ours == nil {
		return fmt.Errorf("-against %s is not among -graphs %s", *against, *graphs)
	}
	theirs := map[*peer]*result{}
	for _, p := range peers {
		if p.late {
			fmt.Fprintf(out, "| %s | more than %.0f s | more than %.0f s | %d MB until then | | | |\n", p.name,
				p.until.wall.Seconds(), p.until.cpu.Seconds(), p.until.rss>>20)
			continue
		}
		if theirs[p], err = p.result(p); err != nil {
			return err
		}
		row(out, p.name, times[p.name], p.times, theirs[p])
	}
	for _, p := range peers {
		if *twice && *runs > 0 {
			var best time.Duration
			if !p.late {
				best = median(times[p.name], cpu)
			}
			said, err := p.withTwice(ctx, best, int(2*median(times["catchlens "+*against], resident)>>20))
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "\n%s\n", said)
		}
		if p.late {
			continue
		}
		if *heap && *runs > 0 {
			mb, s, err := p.smallestHeap(ctx, median(times[p.name], cpu), *heapStep)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "\n%s, smallest heap within 1.2 of its best time: "+
				"%d MB (%.1f s of CPU, %d MB resident).\n",
				p.name, mb, s.cpu.Seconds(), s.rss>>20)
		}
		if err := report(out, p, ours, theirs[p]); err != nil {
			return err
		}
	}
	return nil
}

func row(out io.Writer, name string, s []sample, alone []time.Duration, r *result) {
	if len(s) == 0 {
		fmt.Fprintf(out, "| %s | - | - | - | - | %d | %d |\n", name, len(r.methods), len(r.edges))
		return
	}
	fmt.Fprintf(out, "| %s | %.2f s | %.2f s | %d MB | %.2f s | %d | %d |\n", name, median(s, wall).Seconds(),
		median(s, cpu).Seconds(), median(s, resident)>>20,
		medianOf(alone).Seconds(), len(r.methods), len(r.edges))
}
