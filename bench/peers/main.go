// Command peers compares catchlens with other whole-program analyses of Java on
// the same input: the same class path, entry points and JDK.
//
//	go run ./bench/peers -only commons-codec
//
// The input is a project of bench/projects. Its tests are the entry points: a
// generated main method calls them all (java/MakeDriver.java), because that is
// what every peer understands. Peers are fetched from Maven Central (pom.xml) and
// run as their users do, in a JVM of their own:
//
//   - Tai-e (Tan and Li, ISSTA 2023), its context-insensitive pointer analysis
//     with the call graph it builds on the fly: invokedynamic, reflection with
//     string constants, implicit entries, merged exceptions, strings and string
//     builders; the JDK is that of the JVM it runs in.
//
// SootUp's Spark is not among them: release 2.0.0 on Maven Central has the class
// hierarchy and rapid type call graphs, and no artifact with Spark.
//
// Measured are the whole process (wall time, processor time, largest resident
// set), cold, -n times, pair by pair, medians; with -heap also the smallest heap
// with which the peer stays within 1.2 of its best time, by bisection. Processor
// time decides that: other work on the machine does not change it. The reachable methods and
// call edges (pairs of methods) of each are compared, and what only one has is
// summed up by package and written in full below -work.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"catchlens/analysis/snapshot"
)

var (
	program  = flag.String("catchlens", "build/catchlens", "the program to measure")
	projects = flag.String("projects", "", "folder of the projects; default: catchlens-bench in the user's cache folder")
	names    = flag.String("only", "commons-codec,commons-lang3", "which projects")
	runs     = flag.Int("n", 3, "runs of each analysis; 0: compare what the last run with this -work left")
	graphs   = flag.String("graphs", strings.Join(snapshot.CallGraphs, ","), "call graphs of catchlens")
	against  = flag.String("against", "", "the call graph whose methods and edges are compared; default: pta where there is one, else rta")
	jdk      = flag.String("jdk", os.Getenv("JAVA_HOME"), "home of the JDK that is analysed and runs the peers; default: JAVA_HOME, else that of javac on the path")
	heap     = flag.Bool("heap", false, "find the smallest heap that serves the peer")
	largest  = flag.Int("xmx", 8192, "MB of heap for the peer otherwise")
	limit    = flag.Duration("limit", 20*time.Minute, "time for one run of a peer")
	work     = flag.String("work", "", "folder for what is made; default: a temporary one, removed at the end")
	output   = flag.String("o", "", "file that the tables are written to; default: standard output")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	out := io.Writer(os.Stdout)
	if *output != "" {
		f, err := os.Create(*output)
		if err != nil {
			return err
		}
		defer f.Close()
		out = f
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	if *projects == "" {
		*projects = filepath.Join(cache, "catchlens-bench")
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
	jars, err := fetch(ctx, filepath.Join(cache, "catchlens-bench", "peers"))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, %s/%s, %d cores, %d runs each\n", time.Now().UTC().Format("2006-01-02"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), *runs)
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

// compareProject measures and compares everybody on one input.
func compareProject(ctx context.Context, out io.Writer, in *input, jars string) error {
	fmt.Fprintf(out, "\n## %s, %d entry points\n\n| analysis | wall | CPU | memory | methods | edges |\n|---|---|---|---|---|---|\n", in.name, in.entries)
	peer := &taie{in: in, jars: jars}
	times := map[string][]sample{}
	for range *runs { // pair by pair
		for _, g := range strings.Split(*graphs, ",") {
			s, err := runCatchlens(ctx, in, g)
			if err != nil {
				return err
			}
			times["catchlens "+g] = append(times["catchlens "+g], s)
		}
		s, err := peer.run(ctx, *largest)
		if err != nil {
			return err
		}
		times["Tai-e ci"] = append(times["Tai-e ci"], s)
	}
	theirs, err := peer.result()
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
		row(out, "catchlens "+g, times["catchlens "+g], r)
	}
	row(out, "Tai-e ci", times["Tai-e ci"], theirs)
	if *runs > 0 {
		fmt.Fprintf(out, "\nTai-e's pointer analysis alone: %.1f s (median).\n", peer.solver().Seconds())
	}
	if *heap && *runs > 0 {
		mb, s, err := peer.smallestHeap(ctx, median(times["Tai-e ci"], cpu))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "Smallest heap within 1.2 of its best time: %d MB (%.1f s of CPU, %d MB resident).\n", mb, s.cpu.Seconds(), s.rss>>20)
	}
	if ours == nil {
		return fmt.Errorf("-against %s is not among -graphs %s", *against, *graphs)
	}
	return report(out, in, ours, theirs)
}

func row(out io.Writer, name string, s []sample, r *result) {
	if len(s) == 0 {
		fmt.Fprintf(out, "| %s | - | - | - | %d | %d |\n", name, len(r.methods), len(r.edges))
		return
	}
	fmt.Fprintf(out, "| %s | %.2f s | %.2f s | %d MB | %d | %d |\n", name, median(s, wall).Seconds(), median(s, cpu).Seconds(), median(s, rss)>>20, len(r.methods), len(r.edges))
}
