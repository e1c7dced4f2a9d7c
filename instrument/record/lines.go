package record

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file finds the lines of a stack trace again after an edit that moved code and changed none
// of it: a blank line, a comment or an import moves all that stands below.

// LineMark is a line of a method by what stands there: how many lines it is below the last call or
// throw that is not below it, or below the first one (a negative number).
type LineMark struct {
	Line   int    `json:"l"`           // as it was recorded
	Desc   string `json:"d"`           // of the method: there may be several of a name
	Code   string `json:"c"`           // digest of its code: of other code nothing is said
	Site   int    `json:"s"`           // among calls and throws in the order of the code
	Beyond int    `json:"b,omitempty"` // lines
}

// Code is what marks are made of, and found in: a snapshot.
type Code interface {
	Class(name string) *snapshot.Class
	MethodDigest(m snapshot.MethodRef) ([16]byte, bool)
}

// stackFrame is a frame of a stack trace with a line: class, method, line.
var stackFrame = regexp.MustCompile(`(?m)^(\s*at (?:[^\s(/]*/)*)([^\s(/]+)\.([^\s(.]+)(\([^():]*:)(\d+)(\))`)

// MarkLines marks the lines of a stack trace that stand in code of the workspace, by class, method
// and line.
func MarkLines(code Code, stack string) map[string]LineMark {
	var marks map[string]LineMark
	for _, f := range stackFrame.FindAllStringSubmatch(stack, -1) {
		line, _ := strconv.Atoi(f[5])
		if m, ok := mark(code, f[2], f[3], line); ok {
			if marks == nil {
				marks = map[string]LineMark{}
			}
			marks[frameKey(f[2], f[3], line)] = m
		}
	}
	return marks
}

func frameKey(class, method string, line int) string {
	return fmt.Sprintf("%s.%s:%d", class, method, line)
}

// frameNames are class and method of a frameKey.
func frameNames(key string) (class, method string) {
	name := key[:strings.LastIndexByte(key, ':')]
	dot := strings.LastIndexByte(name, '.')
	return name[:dot], name[dot+1:]
}

func mark(code Code, class, method string, line int) (m LineMark, ok bool) {
	c := code.Class(strings.ReplaceAll(class, ".", "/"))
	if c == nil {
		return m, false
	}
	best := -1 // of several of a name the one that begins last before the line
	for i := range c.Facts.Methods {
		x := &c.Facts.Methods[i]
		sites := siteLines(x)
		if x.Name != method || len(sites) == 0 || int(x.FirstLine) > line || int(x.FirstLine) <= best {
			continue
		}
		digest, known := code.MethodDigest(snapshot.MethodRef{Class: c.Name, Method: x.Name + x.Desc})
		if !known {
			continue
		}
		at := 0
		for k, l := range sites {
			if l <= line && l >= sites[at] || sites[at] > line && l < sites[at] {
				at = k
			}
		}
		best, ok = int(x.FirstLine), true
		m = LineMark{Line: line, Desc: x.Desc, Code: digestText(digest), Site: at, Beyond: line - sites[at]}
	}
	return m, ok
}

func digestText(d [16]byte) string { return fmt.Sprintf("%x", d[:8]) }

// siteLines are the lines of a method's calls and throws in the order of its code.
func siteLines(m *facts.Method) (lines []int) {
	var sites []facts.Site
	for i := range m.Calls {
		sites = append(sites, m.Calls[i].Site)
	}
	for _, t := range m.Throws() {
		sites = append(sites, t.Site)
	}
	slices.SortFunc(sites, func(a, b facts.Site) int { return cmp.Compare(a.PC, b.PC) })
	for _, s := range sites {
		if s.Line > 0 {
			lines = append(lines, int(s.Line))
		}
	}
	return lines
}

// Locator finds marked lines in code; it remembers what it has looked at, for one goroutine.
type Locator struct {
	code  Code
	known map[snapshot.MethodRef]sites
}

// sites are the lines of a method's calls and throws, and the digest of its code.
type sites struct {
	code  string
	lines []int
}

// NewLocator makes a locator.
func NewLocator(code Code) *Locator {
	return &Locator{code: code, known: map[snapshot.MethodRef]sites{}}
}

func (l *Locator) sites(m snapshot.MethodRef) sites {
	found, ok := l.known[m]
	if ok {
		return found
	}
	if c := l.code.Class(m.Class); c != nil {
		for i := range c.Facts.Methods {
			x := &c.Facts.Methods[i]
			if len(x.Name)+len(x.Desc) != len(m.Method) || x.Name+x.Desc != m.Method {
				continue
			}
			if digest, ok := l.code.MethodDigest(m); ok {
				found = sites{digestText(digest), siteLines(x)}
			}
		}
	}
	l.known[m] = found
	return found
}

// line is where a line of a frame stands in the code; that of the frame where the method is another
// one there.
func (l *Locator) line(class, method string, m LineMark) int {
	at := l.sites(snapshot.MethodRef{Class: strings.ReplaceAll(class, ".", "/"), Method: method + m.Desc})
	if at.code != m.Code || m.Site >= len(at.lines) {
		return m.Line
	}
	return at.lines[m.Site] + m.Beyond
}

// Stack is the stack trace of a run with the lines that its frames have in the code, where that has
// the same methods on other lines.
func (l *Locator) Stack(t *Trial) string {
	moved := false
	for key, m := range t.Lines {
		class, method := frameNames(key)
		moved = moved || l.line(class, method, m) != m.Line
	}
	if !moved {
		return t.Stack
	}
	return stackFrame.ReplaceAllStringFunc(t.Stack, func(text string) string {
		f := stackFrame.FindStringSubmatch(text)
		line, _ := strconv.Atoi(f[5])
		if m, ok := t.Lines[frameKey(f[2], f[3], line)]; ok {
			line = l.line(f[2], f[3], m)
		}
		return f[1] + f[2] + "." + f[3] + f[4] + strconv.Itoa(line) + f[6]
	})
}

// Cell is a cell with its stack trace as Stack has it; the cell itself where nothing has moved.
func (l *Locator) Cell(c *Cell) *Cell {
	stack := l.Stack(&c.Trial)
	if stack == c.Stack {
		return c
	}
	moved := *c
	moved.Stack, moved.Lines = stack, MarkLines(l.code, stack)
	return &moved
}
