package record

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"catchlens/analysis/facts"
	"catchlens/analysis/snapshot"
)

// This file finds the lines of a stack trace again after an edit that moved code and changed none
// of it: a blank line, a comment or an import moves all that stands below.

// LineMark is a line of a method by what stands there: how many lines it is below the last call or
// throw that is not below it, or below the first one (a negative number).
type LineMark struct {
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
		m = LineMark{Desc: x.Desc, Code: digestText(digest), Site: at, Beyond: line - sites[at]}
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

// StackIn is the stack trace of a run with the lines that its frames have in other code, where that
// has the same methods on other lines.
func (t *Trial) StackIn(code Code) string {
	if len(t.Lines) == 0 {
		return t.Stack
	}
	return stackFrame.ReplaceAllStringFunc(t.Stack, func(text string) string {
		f := stackFrame.FindStringSubmatch(text)
		line, _ := strconv.Atoi(f[5])
		m, ok := t.Lines[frameKey(f[2], f[3], line)]
		if !ok {
			return text
		}
		if now, ok := m.line(code, f[2], f[3]); ok {
			line = now
		}
		return f[1] + f[2] + "." + f[3] + f[4] + strconv.Itoa(line) + f[6]
	})
}

// line is where a marked line stands in code; ok is false where the method is another one there.
func (m *LineMark) line(code Code, class, method string) (line int, ok bool) {
	c := code.Class(strings.ReplaceAll(class, ".", "/"))
	if c == nil {
		return 0, false
	}
	for i := range c.Facts.Methods {
		x := &c.Facts.Methods[i]
		if x.Name != method || x.Desc != m.Desc {
			continue
		}
		digest, known := code.MethodDigest(snapshot.MethodRef{Class: c.Name, Method: x.Name + x.Desc})
		sites := siteLines(x)
		if !known || digestText(digest) != m.Code || m.Site >= len(sites) {
			return 0, false
		}
		return sites[m.Site] + m.Beyond, true
	}
	return 0, false
}

// In is a cell with its stack trace as StackIn has it; the cell itself where nothing has moved.
func (c *Cell) In(code Code) *Cell {
	stack := c.StackIn(code)
	if stack == c.Stack {
		return c
	}
	moved := *c
	moved.Stack, moved.Lines = stack, MarkLines(code, stack)
	return &moved
}
