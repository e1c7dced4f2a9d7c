// Package planspec reads and writes planspec, the text form of saved test plans (Misurda 2011,
// 6.2.1, Table 6.1 and Figure 6.4).
//
// A text has these commands, each with its numbers behind it, parted by white space:
//
//	SeedSet LOCATION ...           the blocks with a probe
//	Table PROBES EDGES             a row for each of them, with that many edges in all
//	setNumPreds ROW N              the row records N edges
//	setPredAddr ROW PRED INDEX     the edge PRED of the row comes from the block of row INDEX
//
// It holds a branch plan whose probes stay, in blocks: which are seeded, and for each the edges
// that it records by the block that comes before. Locations are numbers of the caller's choice.
// The thesis numbers blocks by byte code index, and has -2 for its sentinel exit block.
//
// A text has no version and no name of what it is for, and the thesis gives it none: whoever keeps
// one keeps those beside it.
package planspec

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/catchlens/catchlens/instrument/planner"
)

// File is what a planspec text says.
type File struct {
	Seeds []int   // by row: the location of its block
	Rows  [][]int // by row: the rows that the recorded edges come from
}

// Edges returns the number of edges that are recorded.
func (f *File) Edges() int {
	n := 0
	for _, row := range f.Rows {
		n += len(row)
	}
	return n
}

// WriteTo writes the text, in the order of Figure 6.4.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	var text bytes.Buffer
	text.WriteString("SeedSet")
	for _, s := range f.Seeds {
		fmt.Fprintf(&text, " %d", s)
	}
	fmt.Fprintf(&text, "\nTable %d %d\n", len(f.Rows), f.Edges())
	for i, row := range f.Rows {
		fmt.Fprintf(&text, "setNumPreds %d %d\n", i, len(row))
	}
	for i, row := range f.Rows {
		for k, from := range row {
			fmt.Fprintf(&text, "setPredAddr %d %d %d\n", i, k, from)
		}
	}
	return text.WriteTo(w)
}

// Error says what is wrong at a line of a text.
type Error struct {
	Line    int // from 1
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("planspec, line %d: %s", e.Line, e.Message) }

// What a text may make us allocate: a method has at most 65,535 bytes of code, so not more blocks,
// and far fewer edges than a million.
const (
	maxRows  = 1 << 16
	maxEdges = 1 << 20
)

// reader reads the commands of a text.
type reader struct {
	text    []byte
	line    int
	file    File
	edges   int // those that Table promises
	sizes   int // the sum of what setNumPreds says
	table   bool
	unknown int      // rows whose size is not known yet
	sized   []bool   // by row
	set     [][]bool // by row and edge: whether it is known where it comes from
}

// Parse reads a text. The error is an *Error, which names the line: a text that is cut short, has
// a number out of range, or says a thing twice.
func Parse(text []byte) (*File, error) {
	r := &reader{text: text, line: 1}
	for {
		command := r.word()
		if command == "" {
			break
		}
		if err := r.command(command); err != nil {
			return nil, err
		}
	}
	if !r.table {
		return nil, r.fail("cut short: there is no Table")
	}
	if r.unknown > 0 {
		return nil, r.fail("cut short: %d of %d rows have no setNumPreds", r.unknown, len(r.file.Rows))
	}
	if n := r.file.Edges(); n != r.edges {
		return nil, r.fail("the rows have %d edges, Table says %d", n, r.edges)
	}
	for row, set := range r.set {
		if k := slices.Index(set, false); k >= 0 {
			return nil, r.fail("cut short: edge %d of row %d has no setPredAddr", k, row)
		}
	}
	return &r.file, nil
}

func (r *reader) fail(format string, args ...any) error {
	return &Error{r.line, fmt.Sprintf(format, args...)}
}

// word takes the next word of the text, "" at its end.
func (r *reader) word() string {
	for i, c := range r.text {
		switch c {
		case '\n':
			r.line++
		case ' ', '\t', '\r':
		default:
			end := bytes.IndexAny(r.text[i:], " \t\r\n")
			if end < 0 {
				end = len(r.text) - i
			}
			word := string(r.text[i : i+end])
			r.text = r.text[i+end:]
			return word
		}
	}
	r.text = nil
	return ""
}

// number takes a number from 0 to below limit.
func (r *reader) number(what string, limit int) (int, error) {
	word := r.word()
	if word == "" {
		return 0, r.fail("cut short: %s is missing", what)
	}
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0, r.fail("%s is a number, not %q", what, word)
	}
	if limit == 0 {
		return 0, r.fail("%s is %d, but there is none", what, n)
	}
	if n < 0 || n >= limit {
		return 0, r.fail("%s is %d, not from 0 to %d", what, n, limit-1)
	}
	return n, nil
}

// command reads what follows the name of a command.
func (r *reader) command(name string) error {
	switch name {
	case "SeedSet":
		return r.seedSet()
	case "Table":
		return r.makeTable()
	case "setNumPreds":
		return r.setNumPreds()
	case "setPredAddr":
		return r.setPredAddr()
	}
	return r.fail("there is no command %q", name)
}

// seedSet reads locations up to the next command, on however many lines.
func (r *reader) seedSet() error {
	if r.file.Seeds != nil || r.table {
		return r.fail("SeedSet comes once, before Table")
	}
	r.file.Seeds = []int{}
	seen := map[int]bool{}
	for {
		text, line := r.text, r.line
		word := r.word()
		n, err := strconv.Atoi(word)
		if err != nil {
			r.text, r.line = text, line // the next command
			return nil
		}
		if seen[n] {
			return r.fail("location %d has two rows", n)
		}
		if seen[n] = true; len(seen) > maxRows {
			return r.fail("more than %d locations", maxRows)
		}
		r.file.Seeds = append(r.file.Seeds, n)
	}
}

func (r *reader) makeTable() error {
	if r.file.Seeds == nil || r.table {
		return r.fail("Table comes once, after SeedSet")
	}
	rows, err := r.number("the number of rows", maxRows+1)
	if err != nil {
		return err
	}
	if rows != len(r.file.Seeds) {
		return r.fail("Table has %d rows, SeedSet %d locations", rows, len(r.file.Seeds))
	}
	if r.edges, err = r.number("the number of edges", min(rows*rows, maxEdges)+1); err != nil {
		return err
	}
	r.table, r.unknown = true, rows
	r.file.Rows, r.sized, r.set = make([][]int, rows), make([]bool, rows), make([][]bool, rows)
	return nil
}

func (r *reader) setNumPreds() error {
	row, err := r.number("the row", len(r.file.Rows))
	if err != nil {
		return err
	}
	n, err := r.number("the number of edges of the row", len(r.file.Rows)+1)
	if err != nil {
		return err
	}
	if r.sized[row] {
		return r.fail("the size of row %d is set twice", row)
	}
	if r.sizes += n; r.sizes > r.edges {
		return r.fail("the rows have more than the %d edges of Table", r.edges)
	}
	r.sized[row] = true
	r.unknown--
	r.file.Rows[row], r.set[row] = make([]int, n), make([]bool, n)
	return nil
}

func (r *reader) setPredAddr() error {
	row, err := r.number("the row", len(r.file.Rows))
	if err != nil {
		return err
	}
	k, err := r.number("the edge of the row", len(r.file.Rows[row]))
	if err != nil {
		return err
	}
	from, err := r.number("the row that the edge comes from", len(r.file.Rows))
	if err != nil {
		return err
	}
	if r.set[row][k] {
		return r.fail("edge %d of row %d is set twice", k, row)
	}
	r.file.Rows[row][k], r.set[row][k] = from, true
	return nil
}

// Of returns the text's content for a plan, with the blocks' numbers as locations. It fails for
// plans that planspec has no words for: all but STATIC_BRANCH and AGRAWAL_BRANCH in blocks.
func Of(p *planner.Plan) (*File, error) {
	if t := p.Technique; p.Place != planner.InBlocks || t != planner.StaticBranch && t != planner.AgrawalBranch {
		return nil, fmt.Errorf("planspec holds STATIC_BRANCH and AGRAWAL_BRANCH in blocks, not %s", t)
	}
	f := &File{Seeds: []int{}, Rows: make([][]int, len(p.Probes))}
	rowOf := map[int32]int{}
	for row, probe := range p.Probes {
		f.Seeds = append(f.Seeds, int(probe.Location))
		rowOf[probe.Location] = row
	}
	for _, e := range p.Covers {
		edge := p.Graph.Edges[e]
		row := rowOf[edge.To]
		f.Rows[row] = append(f.Rows[row], rowOf[edge.From])
	}
	return f, nil
}

// PlanOf returns the plan of a text for a graph, where t is the technique that it was saved for:
// what [Of] made the text of. Nothing is planned. It fails where the text names a block or an edge
// that the graph does not have, or has probes that its edges do not need. That the graph has the
// shape of the one that was planned is for the caller to know.
func (f *File) PlanOf(g *planner.Graph, t planner.Technique) (*planner.Plan, error) {
	if t != planner.StaticBranch && t != planner.AgrawalBranch {
		return nil, fmt.Errorf("no %s is saved: only STATIC_BRANCH and AGRAWAL_BRANCH", t)
	}
	for _, location := range f.Seeds {
		if location < 0 || location >= int(g.Blocks) {
			return nil, fmt.Errorf("planspec has a probe in block %d, the method has blocks 0 to %d",
				location, g.Blocks-1)
		}
	}
	var edges []int32
	for row, preds := range f.Rows {
		for _, from := range preds {
			e := g.EdgeBetween(int32(f.Seeds[from]), int32(f.Seeds[row]))
			if e < 0 {
				return nil, fmt.Errorf("planspec records an edge from block %d to %d, the method has none",
					f.Seeds[from], f.Seeds[row])
			}
			edges = append(edges, e)
		}
	}
	p, err := planner.Restore(g, t, planner.InBlocks, edges)
	if err != nil {
		return nil, err
	}
	for _, location := range f.Seeds {
		if p.At(int32(location)) == nil {
			return nil, fmt.Errorf("planspec has a probe in block %d, which no edge of %s needs", location, t)
		}
	}
	if len(p.Probes) != len(f.Seeds) {
		return nil, fmt.Errorf("planspec has probes in %d blocks, %s in %d", len(f.Seeds), t, len(p.Probes))
	}
	return p, nil
}
