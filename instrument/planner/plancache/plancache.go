// Package plancache keeps test plans for the next process (test plan caching, Misurda 2011, 6.2):
// by technique, by where the probes stand, and by the shape of the graph. An edit that leaves the
// control flow of a method as it is finds the plan of before.
//
// A file has all plans of a technique, as text. Those of AGRAWAL_BRANCH in blocks are planspec,
// with the numbers of the shape's blocks as locations; of others the text lists what their counters
// record:
//
//	test plans 1 MINIMUM_NODE blocks
//	last 7304 found, 12 made
//	shape DIGEST
//	covers 0 2 5
//
// The digest is of the whole shape, and the file is sealed: what was written of another shape, by
// another version or cut short is no plan, but a line in the log, and is planned anew.
package plancache

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/instrument/planner/planspec"
	"github.com/catchlens/catchlens/internal/sealed"
)

const (
	version = 1
	// maxBytes is how large a file may become: 20 times what java.base takes. Where it is full,
	// plans that the process which writes did not use are dropped.
	maxBytes = 32 << 20
	suffix   = ".plans"
)

type digest = [len(planner.Shape{}.Digest)]byte

// kind is what a file is of.
type kind struct {
	technique planner.Technique
	place     planner.Place
}

func (k kind) String() string {
	if k.place == planner.OnEdges {
		return k.technique.String() + " edges"
	}
	return k.technique.String() + " blocks"
}

func (k kind) file(dir string) string {
	return filepath.Join(dir, strings.ReplaceAll(k.String(), " ", "-")+suffix)
}

// planspec tells whether plans of the kind are written as planspec.
func (k kind) planspec() bool { return k == kind{planner.AgrawalBranch, planner.InBlocks} }

// Cache makes plans, or finds them in a folder. It may be used by several goroutines.
type Cache struct {
	dir  string               // "": there are no files
	warn func(problem string) // what is wrong with a file

	mu    sync.Mutex
	files map[kind]*file
}

// file is what is known of the plans of a kind.
type file struct {
	saved map[digest][]byte // what the file has
	used  map[digest]*plan  // what this process asked for
	Counts
}

// plan is a plan as it is saved.
type plan struct {
	text   []byte
	covers []int32 // what its counters record, by the shape's numbers; nil of planspec
}

// Counts is how many plans were found, and how many made.
type Counts struct{ Found, Made int }

// Open returns the cache of a folder, which need not exist; "": one that has no files, and is not
// to be flushed. warn is told in one line what is wrong with a file; nil: nobody is.
func Open(dir string, warn func(problem string)) *Cache {
	if warn == nil {
		warn = func(string) {}
	}
	return &Cache{dir: dir, warn: warn, files: map[kind]*file{}}
}

// Make returns the plan of a graph, as planner.Make does: a saved one if there is one for the
// graph's shape. Techniques whose plans are made as quickly as read are always planned, and not
// counted; so are graphs of one block. The errors are those of planner.Make.
func (c *Cache) Make(g *planner.Graph, t planner.Technique, o planner.Options) (*planner.Plan, error) {
	if !t.Saves() || o.Literal || g.Blocks == 1 {
		return planner.Make(g, t, o)
	}
	shape, k := planner.ShapeOf(g), kind{t, o.Place}
	c.mu.Lock()
	f := c.fileOf(k)
	saved := f.used[shape.Digest]
	if text, known := f.saved[shape.Digest]; known && saved == nil {
		saved = &plan{text: text}
	}
	c.mu.Unlock()
	if saved != nil {
		p, covers, err := k.restore(g, shape, saved)
		if err == nil {
			c.note(f, shape, &plan{saved.text, covers}, Counts{Found: 1})
			return p, nil
		}
		c.warn(fmt.Sprintf("the saved plan %x of %s is planned anew: %v", shape.Digest[:4], k, err))
	}
	p, err := planner.Make(g, t, o)
	if err != nil {
		return nil, err
	}
	text, err := k.text(p, shape)
	if err != nil {
		return nil, err
	}
	c.note(f, shape, &plan{text: text}, Counts{Made: 1})
	return p, nil
}

func (c *Cache) note(f *file, shape *planner.Shape, p *plan, n Counts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.used[shape.Digest] = p
	f.Found += n.Found
	f.Made += n.Made
}

// Counts is how many plans were found since the cache was opened, and how many made.
func (c *Cache) Counts() (n Counts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.files {
		n.Found += f.Found
		n.Made += f.Made
	}
	return n
}

// fileOf is the file of a kind, which is read when it is first asked for. Callers hold c.mu.
func (c *Cache) fileOf(k kind) *file {
	f := c.files[k]
	if f == nil {
		f = &file{saved: map[digest][]byte{}, used: map[digest]*plan{}}
		c.files[k] = f
		if c.dir == "" {
			return f
		}
		saved, _, err := read(k, c.dir)
		if err == nil {
			f.saved = saved
		} else if !errors.Is(err, fs.ErrNotExist) {
			c.warn(fmt.Sprintf("saved plans are not used and made anew: %v", err))
		}
	}
	return f
}

// restore makes the plan of a graph from a saved one, and returns what that covers.
func (k kind) restore(g *planner.Graph, shape *planner.Shape, saved *plan) (p *planner.Plan, of []int32, err error) {
	if k.planspec() {
		spec, err := planspec.Parse(saved.text)
		if err != nil {
			return nil, nil, err
		}
		for i, b := range spec.Seeds {
			if b < 0 || b >= len(shape.Blocks) {
				return nil, nil, fmt.Errorf("a probe is in block %d of %d", b, len(shape.Blocks))
			}
			spec.Seeds[i] = int(shape.Blocks[b])
		}
		p, err = spec.PlanOf(g, k.technique)
		return p, nil, err
	}
	numbers := k.numbers(shape)
	of = saved.covers
	if of == nil {
		if of, err = parseCovers(saved.text, len(numbers)); err != nil {
			return nil, nil, err
		}
	}
	covers := make([]int32, len(of))
	for i, n := range of {
		covers[i] = numbers[n]
	}
	p, err = planner.Restore(g, k.technique, k.place, covers)
	return p, of, err
}

// parseCovers reads what counters record, of a shape that has so many things to record.
func parseCovers(text []byte, numbers int) ([]int32, error) {
	words := strings.Fields(string(text))
	if len(words) == 0 || words[0] != "covers" {
		return nil, errors.New("it does not begin with covers")
	}
	covers := make([]int32, 0, len(words)-1)
	for _, w := range words[1:] {
		n, err := strconv.Atoi(w)
		if err != nil || n < 0 || n >= numbers {
			return nil, fmt.Errorf("it covers %.20q of %d", w, numbers)
		}
		covers = append(covers, int32(n))
	}
	return covers, nil
}

// numbers are the graph's numbers of what plans record, by those of the shape.
func (k kind) numbers(shape *planner.Shape) []int32 {
	if k.technique.Branch() {
		return shape.Edges
	}
	return shape.Blocks
}

// text is what is saved of a plan.
func (k kind) text(p *planner.Plan, shape *planner.Shape) ([]byte, error) {
	var b bytes.Buffer
	if k.planspec() {
		spec, err := planspec.Of(p)
		if err != nil {
			return nil, err
		}
		for i, block := range spec.Seeds {
			spec.Seeds[i] = int(shape.Block(int32(block)))
		}
		_, err = spec.WriteTo(&b)
		return b.Bytes(), err
	}
	b.WriteString("covers")
	for n, target := range k.numbers(shape) {
		if p.Counter(target) >= 0 {
			fmt.Fprintf(&b, " %d", n)
		}
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// Flush writes what was planned since the cache was opened. The errors are those of the file
// system.
func (c *Cache) Flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for k, f := range c.files {
		if f.Found+f.Made > 0 {
			errs = append(errs, c.write(k, f))
		}
	}
	return errors.Join(errs...)
}

// write writes a file: what this process used, and then of the others what there is room for.
func (c *Cache) write(k kind, f *file) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	sweep(c.dir)
	if now, _, err := read(k, c.dir); err == nil { // another process may have written meanwhile
		f.saved = now
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "test plans %d %s\nlast %d found, %d made\n", version, k, f.Found, f.Made)
	add := func(d digest, text []byte) {
		if b.Len()+len(text) < maxBytes {
			fmt.Fprintf(&b, "shape %x\n%s", d, text)
		}
	}
	for d, p := range f.used {
		add(d, p.text)
	}
	for d, text := range f.saved {
		if f.used[d] == nil {
			add(d, text)
		}
	}
	path := k.file(c.dir)
	return sealed.Write(path, filepath.Base(path), b.Bytes())
}

// keepParts is how long a file that is being written stays, which takes less than a second.
const keepParts = time.Hour

// sweep removes files that processes left which ended while they wrote them.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir) // what cannot be listed stays
	for _, e := range entries {
		if info, err := e.Info(); err == nil && sealed.IsTemp(e.Name()) && time.Since(info.ModTime()) > keepParts {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// read reads the plans of a kind, and how many were found and made when they were written.
func read(k kind, dir string) (map[digest][]byte, Counts, error) {
	path, n := k.file(dir), Counts{}
	text, err := sealed.Read(path, filepath.Base(path))
	if err != nil {
		return nil, n, err
	}
	plans, n, err := parse(k, text)
	if err != nil {
		return nil, n, fmt.Errorf("%s: %w", path, err)
	}
	return plans, n, nil
}

// parse reads the text of a file.
func parse(k kind, text []byte) (plans map[digest][]byte, n Counts, err error) {
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	if want := fmt.Sprintf("test plans %d %s", version, k); string(head) != want {
		return nil, n, fmt.Errorf("it begins with %.60q, not %q", head, want)
	}
	last, rest, _ := bytes.Cut(rest, []byte("\n"))
	if _, err := fmt.Sscanf(string(last), "last %d found, %d made", &n.Found, &n.Made); err != nil {
		return nil, n, fmt.Errorf("line 2 is %.60q", last)
	}
	plans = map[digest][]byte{}
	for len(rest) > 0 {
		var name []byte
		name, rest, _ = bytes.Cut(rest, []byte("\n"))
		var d digest
		digits, is := bytes.CutPrefix(name, []byte("shape "))
		if size, err := hex.Decode(d[:], digits[:min(len(digits), 2*len(d))]); !is || err != nil || size != len(d) {
			return nil, n, fmt.Errorf("%.80q is no shape", name)
		}
		end := len(rest)
		if i := bytes.Index(rest, []byte("\nshape ")); i >= 0 {
			end = i + 1
		}
		plans[d], rest = rest[:end:end], rest[end:]
	}
	return plans, n, nil
}

// FileInfo is what a folder has of a kind.
type FileInfo struct {
	Kind  string // technique and place
	Plans int
	Bytes int64
	Last  Counts // of the process that wrote it
	Err   error  // why it will be planned anew
}

// Inspect says what a folder has.
func Inspect(dir string) (all []FileInfo) {
	for _, t := range planner.Techniques() {
		for _, place := range []planner.Place{planner.InBlocks, planner.OnEdges} {
			k := kind{t, place}
			info, err := os.Stat(k.file(dir))
			if err != nil || !t.Saves() {
				continue
			}
			plans, n, err := read(k, dir)
			all = append(all, FileInfo{k.String(), len(plans), info.Size(), n, err})
		}
	}
	slices.SortFunc(all, func(a, b FileInfo) int { return strings.Compare(a.Kind, b.Kind) })
	return all
}
