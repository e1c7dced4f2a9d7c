// Package edits measures how long lenses take to follow edits: for each of many
// edits of a project's class files, the time from the changed files until a session
// shows the next snapshot, and how much memory the session holds.
//
// The edits are those of test/edits, in the shares of mix, which follow what an
// editing developer does between two saves: half of the edits change no call,
// object or exception.
// What changes the shape of a class is rare, and what renames or removes classes
// rarer. It works on a copy of the project. Compiling is not part of the time.
package edits

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/bench/projects"
	"github.com/catchlens/catchlens/internal/cputime"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/edits"
)

// mix is how often each kind of edit is made, in parts of a hundred.
var mix = []struct {
	kind  edits.Kind
	share int
}{
	{edits.Lines, 25}, {edits.Constant, 25},
	{edits.AddCall, 14}, {edits.AddObject, 6}, {edits.AddThrow, 5}, {edits.AddTry, 5},
	{edits.EmptyBody, 3}, {edits.NarrowCatch, 2}, {edits.Restore, 5},
	{edits.AddMethod, 4}, {edits.RemoveMethod, 1}, {edits.Declare, 1}, {edits.Access, 1},
	{edits.AddInterface, 1}, {edits.AddClass, 1},
	{edits.RenameClass, 1},
}

// undoEvery is after how many edits the project is made what it was.
const undoEvery = 100

// flags are those of the command line.
var flags = flag.NewFlagSet("edits", flag.ExitOnError)

var (
	project = flags.String("project", "",
		"folder of the project; default: commons-lang3 where bench/projects/fetch.sh puts it")
	graph   = flags.String("call-graph", snapshot.CallGraphs[0], "the call graph")
	n       = flags.Int("n", 500, "how many edits")
	seed    = flags.Uint64("seed", 1, "of the edits")
	verbose = flags.Bool("v", false, "print each edit")
)

// Run measures what the arguments say.
func Run(args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "catchlens-edits-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if *project == "" {
		root, err := projects.Root()
		if err != nil {
			return err
		}
		*project = filepath.Join(root, "commons-lang3")
	}
	work := filepath.Join(dir, "project")
	if err := os.CopyFS(work, os.DirFS(*project)); err != nil {
		return err
	}
	s, err := session.Open([]string{work}, session.Options{CacheDir: filepath.Join(dir, "cache"),
		Settings: snapshot.Settings{CallGraph: *graph}})
	if err != nil {
		return err
	}
	defer s.Close()
	editor, err := edits.New(filepath.Join(work, "target", "classes"), *seed)
	if err != nil {
		return err
	}
	m := &measurement{s: s, editor: editor, byKind: map[edits.Kind][]sample{}, rng: rand.New(rand.NewPCG(*seed, 3))}
	return m.run()
}

// sample is what one reload took.
type sample struct{ wall, cpu time.Duration }

// measurement makes edits and notes how long the session takes for each.
type measurement struct {
	s      *session.Session
	editor *edits.Editor
	rng    *rand.Rand

	all, same, other []sample // same: that change no call, object or exception
	byKind           map[edits.Kind][]sample
	reused           map[snapshot.Reuse]int
}

func (m *measurement) run() error {
	ctx := context.Background()
	m.reused = map[snapshot.Reuse]int{}
	for range 2 { // the second finds the facts of libraries in memory, as in a session that has been open
		if _, err := m.reload(ctx); err != nil {
			return err
		}
	}
	var scratch []sample
	for i := range 5 {
		// Another studied set, so that nothing of the analysis can be taken over.
		if err := m.s.Configure(snapshot.Settings{CallGraph: *graph,
			Exceptions: []string{"checked", "checked+own"}[i%2]}); err != nil {
			return err
		}
		d, err := m.reload(ctx)
		if err != nil {
			return err
		}
		if i > 0 {
			scratch = append(scratch, d)
		}
	}
	first := heap()
	fmt.Printf("%s %s, %s, %d cores: from scratch%s ms, heap %d MB\n", filepath.Base(*project), *graph,
		time.Now().UTC().Format("2006-01-02"), runtime.NumCPU(), figures(scratch), first>>20)
	for i := range *n {
		if i%undoEvery == undoEvery-1 {
			if err := m.editor.Undo(); err != nil {
				return err
			}
			if _, err := m.reload(ctx); err != nil {
				return err
			}
			fmt.Printf("after %d edits: heap %d MB\n", i, heap()>>20)
		}
		if err := m.edit(ctx); err != nil {
			return err
		}
	}
	m.print()
	fmt.Printf("heap at the end: %d MB\n", heap()>>20)
	return nil
}

// edit makes one edit of the mix.
func (m *measurement) edit(ctx context.Context) error {
	at := m.rng.IntN(100)
	for _, x := range mix {
		if at -= x.share; at >= 0 {
			continue
		}
		e, err := m.editor.Make(x.kind)
		if err != nil && x.kind == edits.Restore {
			return nil // nothing was changed yet
		}
		if err != nil {
			return err
		}
		d, err := m.reload(ctx)
		if err != nil {
			return err
		}
		m.all, m.byKind[x.kind] = append(m.all, d), append(m.byKind[x.kind], d)
		if x.kind == edits.Lines || x.kind == edits.Constant {
			m.same = append(m.same, d)
		} else {
			m.other = append(m.other, d)
		}
		st := m.s.View().Snap.Stats
		m.reused[st.Reuse]++
		if *verbose {
			fmt.Printf("%5.0f ms (scan %.0f, graph %.0f, flow %.0f; %s) %v\n", 1000*d.wall.Seconds(),
				1000*st.ScanSeconds, 1000*st.GraphSeconds, 1000*st.FlowSeconds, st.Reuse, e)
		}
		return nil
	}
	return nil
}

// reload is the time from changed files to a new snapshot.
func (m *measurement) reload(ctx context.Context) (sample, error) {
	before := m.s.View().Snap
	cpu, start := cputime.Used(), time.Now()
	err := m.s.Reload(ctx, nil)
	d := sample{wall: time.Since(start), cpu: cputime.Used() - cpu}
	if err == nil && m.s.View().Snap == before {
		err = fmt.Errorf("no new snapshot")
	}
	return d, err
}

func (m *measurement) print() {
	fmt.Printf("%-26s %5s %8s %8s %8s %8s %8s %8s ms\n", "", "edits", "p50", "p95", "most", "CPU p50", "CPU p95",
		"most")
	row := func(what string, list []sample) {
		if len(list) > 0 {
			fmt.Printf("%-26s %5d%s\n", what, len(list), figures(list))
		}
	}
	row("all", m.all)
	row("no call or object changed", m.same)
	row("other", m.other)
	for _, x := range mix {
		row("  "+string(x.kind), m.byKind[x.kind])
	}
	for _, r := range []snapshot.Reuse{snapshot.ReuseAll, snapshot.ReuseGraph, snapshot.ReuseNothing} {
		fmt.Printf("reused %q: %d\n", strings.TrimSpace(string(r)), m.reused[r])
	}
}

// figures are the median, the 95th percentile and the largest, in milliseconds: of
// the time that passed, and of the processors' time.
func figures(list []sample) string {
	out := ""
	for _, of := range []func(sample) time.Duration{func(s sample) time.Duration { return s.wall },
		func(s sample) time.Duration { return s.cpu }} {
		var times []time.Duration
		for _, s := range list {
			times = append(times, of(s))
		}
		slices.Sort(times)
		for _, p := range []int{50, 95, 100} {
			out += fmt.Sprintf(" %8.0f", 1000*times[min(len(times)*p/100, len(times)-1)].Seconds())
		}
	}
	return out
}

// heap is what is in use after a collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var st runtime.MemStats
	runtime.ReadMemStats(&st)
	return st.HeapAlloc
}
