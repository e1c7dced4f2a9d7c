package plancache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/internal/sealed"
)

// kinds are those whose plans are saved.
var kinds = []kind{{planner.AgrawalNode, planner.InBlocks}, {planner.MinimumNode, planner.InBlocks},
	{planner.AgrawalBranch, planner.InBlocks}, {planner.AgrawalBranch, planner.OnEdges},
	{planner.MinimumBranch, planner.OnEdges}}

// drawn is a graph with its blocks under other numbers: number says which.
type drawn struct {
	blocks int
	edges  []planner.Edge
	leaves []bool
}

// draw draws a graph where control comes to every block and leaves from each.
func draw(r *rand.Rand) drawn {
	n := 2 + r.IntN(14)
	d := drawn{blocks: n, leaves: make([]bool, n)}
	add := func(from, to int) {
		d.edges = append(d.edges, planner.Edge{From: int32(from), To: int32(to), Exceptional: r.IntN(4) == 0})
	}
	for to := 1; to < n; to++ {
		add(max(0, to-1-r.IntN(3)), to)
	}
	for range r.IntN(n) {
		add(r.IntN(n), r.IntN(n))
	}
	for _, e := range d.edges {
		if e.To <= e.From {
			d.leaves[e.To] = true
		}
	}
	for b := range d.leaves {
		out := slices.ContainsFunc(d.edges, func(e planner.Edge) bool { return e.From == int32(b) })
		d.leaves[b] = d.leaves[b] || !out || r.IntN(4) == 0
	}
	return d
}

// graph makes the graph with block b under the number number[b].
func (d *drawn) graph(t testing.TB, number []int32) *planner.Graph {
	t.Helper()
	var edges []planner.Edge
	leaves := make([]bool, d.blocks)
	for _, e := range d.edges {
		edges = append(edges, planner.Edge{From: number[e.From], To: number[e.To], Exceptional: e.Exceptional})
	}
	for b, is := range d.leaves {
		leaves[number[b]] = is
	}
	g, err := planner.NewGraph(d.blocks, []int32{number[0]}, edges, leaves)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func identity(n int) (all []int32) {
	for i := range n {
		all = append(all, int32(i))
	}
	return all
}

// same tells whether two plans of one graph have the same probes and counters.
func same(a, b *planner.Plan) bool {
	return reflect.DeepEqual(a.Probes, b.Probes) && slices.Equal(a.Covers, b.Covers) && a.Counters == b.Counters
}

// A plan that is found is the one that would be made, also where another process saved it, and of a
// graph whose blocks had other numbers; and it tells the same of what is hit.
func TestFoundPlansAreThoseThatAreMade(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	dir, found, renumbered := t.TempDir(), 0, 0
	var graphs []drawn
	for range 300 {
		graphs = append(graphs, draw(r))
	}
	for round := range 2 {
		c := Open(dir, func(problem string) { t.Error(problem) })
		for i := range graphs {
			number := identity(graphs[i].blocks)
			if round == 1 && i%2 == 0 {
				r.Shuffle(len(number), func(a, b int) { number[a], number[b] = number[b], number[a] })
			}
			g := graphs[i].graph(t, number)
			for _, k := range kinds {
				before := c.Counts()
				got, err := c.Make(g, k.technique, planner.Options{Place: k.place})
				if err != nil {
					t.Fatal(err)
				}
				want, err := planner.Make(g, k.technique, planner.Options{Place: k.place})
				if err != nil {
					t.Fatal(err)
				}
				if !same(got, want) {
					t.Fatalf("round %d, graph %d, %s: %+v, not %+v", round, i, k, got, want)
				}
				hits := make([]bool, want.Counters)
				for h := range hits {
					hits[h] = r.IntN(2) == 0
				}
				if a, b := got.Coverage(hits), want.Coverage(hits); !slices.Equal(a, b) {
					t.Fatalf("graph %d, %s: %v covers %v, not %v", i, k, found, a, b)
				}
				if round == 1 && c.Counts().Found > before.Found {
					if found++; i%2 == 0 {
						renumbered++
					}
				} else if round == 1 && i%2 == 1 {
					t.Errorf("graph %d, %s was planned again", i, k)
				}
			}
		}
		if err := c.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if renumbered == 0 {
		t.Error("no graph was found under other numbers")
	}
	for _, u := range Inspect(dir) {
		if u.Err != nil || u.Plans == 0 || u.Bytes == 0 || u.Last.Found == 0 {
			t.Errorf("%+v", u)
		}
	}
}

// Whatever is changed of a graph, the plan is that of the graph as it is.
func TestOtherShapesAreNotFound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	c := Open(t.TempDir(), nil)
	for i := range 500 {
		d := draw(r)
		g := d.graph(t, identity(d.blocks))
		changed := d
		changed.edges, changed.leaves = slices.Clone(d.edges), slices.Clone(d.leaves)
		switch e := r.IntN(len(d.edges)); r.IntN(3) {
		case 0:
			changed.edges[e].Exceptional = !changed.edges[e].Exceptional
		case 1:
			changed.edges = append(changed.edges, planner.Edge{From: d.edges[e].To, To: d.edges[e].From})
		case 2:
			b := r.IntN(d.blocks)
			changed.leaves[b] = !changed.leaves[b]
		}
		other, err := planner.NewGraph(changed.blocks, []int32{0}, changed.edges, changed.leaves)
		if err != nil {
			continue // control cannot leave from somewhere
		}
		alike := slices.Equal(g.Edges, other.Edges) && slices.Equal(g.Leaves, other.Leaves)
		if (planner.ShapeOf(g).Digest == planner.ShapeOf(other).Digest) != alike {
			t.Fatalf("graph %d: the shapes of\n%+v\n%+v", i, g, other)
		}
		for _, g := range []*planner.Graph{g, other} {
			got, err := c.Make(g, planner.MinimumNode, planner.Options{})
			want, _ := planner.Make(g, planner.MinimumNode, planner.Options{})
			if err != nil || !same(got, want) {
				t.Fatalf("graph %d: %v", i, err)
			}
		}
	}
}

// A file that is damaged, cut short, of another version or of another technique is one line, and
// its plans are made anew and saved.
func TestBadFilesArePlannedAnew(t *testing.T) {
	d := draw(rand.New(rand.NewPCG(5, 6)))
	g, k := d.graph(t, identity(d.blocks)), kind{planner.AgrawalBranch, planner.InBlocks}
	write := func(dir, text string) {
		path := k.file(dir)
		if err := sealed.Write(path, filepath.Base(path), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	shape := fmt.Sprintf("shape %x\n", planner.ShapeOf(g).Digest)
	head := fmt.Sprintf("test plans %d %s\nlast 1 found, 2 made\n", version, k)
	for name, damage := range map[string]func(dir string, good []byte){
		"cut short": func(dir string, good []byte) { os.WriteFile(k.file(dir), good[:len(good)/2], 0o600) },
		"a bit":     func(dir string, good []byte) { good[40] ^= 4; os.WriteFile(k.file(dir), good, 0o600) },
		"empty":     func(dir string, _ []byte) { os.WriteFile(k.file(dir), nil, 0o600) },
		"version":   func(dir string, _ []byte) { write(dir, strings.Replace(head, "plans 1", "plans 9", 1)+shape) },
		"technique": func(dir string, _ []byte) { write(dir, strings.Replace(head, "BRANCH", "NODE", 1)+shape) },
		"no shape":  func(dir string, _ []byte) { write(dir, head+"shape 12\n") },
		"no plan":   func(dir string, _ []byte) { write(dir, head+shape) },
		"other blocks": func(dir string, _ []byte) {
			write(dir, head+shape+"SeedSet 99\nTable 1 0\nsetNumPreds 0 0\n")
		},
		"planspec": func(dir string, _ []byte) { write(dir, head+shape+"SeedSet 0 0\n") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			make := func(c *Cache) *planner.Plan {
				p, err := c.Make(g, k.technique, planner.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Flush(); err != nil {
					t.Fatal(err)
				}
				return p
			}
			want := make(Open(dir, nil))
			good, err := os.ReadFile(k.file(dir))
			if err != nil {
				t.Fatal(err)
			}
			damage(dir, bytes.Clone(good))
			var said []string
			c := Open(dir, func(problem string) { said = append(said, problem) })
			if got := make(c); !same(got, want) || c.Counts() != (Counts{Made: 1}) {
				t.Errorf("got %+v, %+v", got, c.Counts())
			}
			if len(said) != 1 || strings.Contains(said[0], "\n") || !strings.Contains(said[0], "anew") {
				t.Errorf("%q was said", said)
			}
			c = Open(dir, func(problem string) { t.Error(problem) })
			if make(c); c.Counts() != (Counts{Found: 1}) {
				t.Errorf("afterwards %+v", c.Counts())
			}
		})
	}
}

// A cache without a folder has no files: not those of the folder that the process happens to be in.
func TestNoFolder(t *testing.T) {
	dir, g := t.TempDir(), draw(rand.New(rand.NewPCG(5, 6)))
	graph := g.graph(t, identity(g.blocks))
	for _, folder := range []string{dir, ""} {
		c := Open(folder, func(problem string) { t.Errorf("%q: %s", folder, problem) })
		if _, err := c.Make(graph, planner.MinimumNode, planner.Options{}); err != nil {
			t.Fatal(err)
		}
		if n := c.Counts(); n != (Counts{Made: 1}) {
			t.Errorf("%q: %+v", folder, n)
		}
		if folder != "" {
			if err := c.Flush(); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
		}
	}
}

// Plans that were not used go when there is no room; those that were stay.
func TestSizeIsBounded(t *testing.T) {
	dir, k := t.TempDir(), kind{planner.MinimumNode, planner.InBlocks}
	c := Open(dir, nil)
	c.mu.Lock()
	f := c.fileOf(k)
	for i := range 40 {
		f.saved[digest{byte(i)}] = append(bytes.Repeat([]byte("covers "), 1<<20/7), '\n')
	}
	used := digest{1, 2, 3}
	f.used[used], f.Made = &plan{text: []byte("covers 1\n")}, 1
	c.mu.Unlock()
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(k.file(dir))
	if err != nil || info.Size() > maxBytes+1000 {
		t.Errorf("%v, %v", info, err)
	}
	plans, _, err := read(k, dir)
	if err != nil || string(plans[used]) != "covers 1\n" || len(plans) < 20 {
		t.Errorf("%d plans, %v", len(plans), err)
	}
}

// What is saved of a form is as it was when shapeVersion got its number: where a change of package
// planner makes another form, or another plan of it, what was saved before would be found.
func TestSavedPlansAreOfThisVersion(t *testing.T) {
	const ofVersion1 = "3a54d076a638a60d"
	r, h := rand.New(rand.NewPCG(7, 8)), sha256.New()
	for range 300 {
		d := draw(r)
		g := d.graph(t, identity(d.blocks))
		shape := planner.ShapeOf(g)
		for _, k := range kinds {
			p, err := planner.Make(g, k.technique, planner.Options{Place: k.place})
			if err != nil {
				t.Fatal(err)
			}
			text, err := k.text(p, shape)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(h, "%s %x %s", k, shape.Digest, text)
		}
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != ofVersion1 {
		t.Errorf("forms or plans are others: raise planner's shapeVersion and write %s here, not %s", got, ofVersion1)
	}
}

// What several processes write at a time is there as one of them wrote it, and each finds what it
// needs or makes it.
func TestWritersAtATime(t *testing.T) {
	r, dir := rand.New(rand.NewPCG(9, 10)), t.TempDir()
	var graphs []*planner.Graph
	for range 40 {
		d := draw(r)
		graphs = append(graphs, d.graph(t, identity(d.blocks)))
	}
	var wait sync.WaitGroup
	for n := range 4 {
		wait.Go(func() {
			for range 20 {
				c := Open(dir, func(problem string) { t.Error(problem) })
				for i := n; i < len(graphs); i += n + 1 {
					got, err := c.Make(graphs[i], planner.MinimumNode, planner.Options{})
					want, _ := planner.Make(graphs[i], planner.MinimumNode, planner.Options{})
					if err != nil || !same(got, want) {
						t.Errorf("graph %d: %v", i, err)
					}
				}
				if err := c.Flush(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	files, err := os.ReadDir(dir)
	if use := Inspect(dir); err != nil || len(files) != 1 || len(use) != 1 || use[0].Err != nil || use[0].Plans == 0 {
		t.Errorf("%v, %v, %+v", files, err, use)
	}
}

// What a process left that ended while it wrote goes with the next file; what another one writes
// now stays.
func TestPartsOfFilesGo(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{".new-1": keepParts + time.Minute,
		".new-2": keepParts - time.Minute} {
		path, at := filepath.Join(dir, name), time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	d := draw(rand.New(rand.NewPCG(5, 6)))
	c := Open(dir, nil)
	if _, err := c.Make(d.graph(t, identity(d.blocks)), planner.MinimumNode, planner.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".new-*")); len(left) != 1 || filepath.Base(left[0]) != ".new-2" {
		t.Errorf("there are %q", left)
	}
}

// Whatever a file has, and whatever plan it has for a graph, is read, or an error says why not; and
// a plan that is made of it can be asked what is covered.
func FuzzFile(f *testing.F) {
	d := draw(rand.New(rand.NewPCG(5, 6)))
	g := d.graph(f, identity(d.blocks))
	shape := planner.ShapeOf(g)
	for i, k := range kinds {
		p, err := planner.Make(g, k.technique, planner.Options{Place: k.place})
		if err != nil {
			f.Fatal(err)
		}
		text, err := k.text(p, shape)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(i), fmt.Appendf(nil, "test plans %d %s\nlast 1 found, 2 made\nshape %x\n%s", version, k,
			shape.Digest, text))
	}
	f.Fuzz(func(t *testing.T, of byte, text []byte) {
		k := kinds[int(of)%len(kinds)]
		plans, _, err := parse(k, text)
		if err != nil {
			return
		}
		for _, text := range plans {
			p, _, err := k.restore(g, shape, &plan{text: text})
			if err != nil {
				continue
			}
			hits := make([]bool, p.Counters)
			for i := range hits {
				hits[i] = i%2 == 0
			}
			if n := len(p.Coverage(hits)); n == 0 {
				t.Fatalf("a plan that covers nothing was made of %q", text)
			}
		}
	})
}
