package expect

// This file finds the comments that hold expectations in Java source text.

import (
	"fmt"
	"strings"
)

// mark opens a comment that holds expectations.
const mark = "//@"

// A comment is the text of one expectation comment without its mark.
type comment struct {
	text     string
	line     int // 1-based line of the comment
	codeLine int // 1-based line of the code it speaks about; 0: there is none
}

// scan finds the expectation comments of a Java text. One that stands beside
// code speaks about that line, one that stands alone speaks about the next line
// that has code.
func scan(text string) ([]comment, error) {
	s := scanner{text: text, line: 1}
	for s.pos < len(s.text) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	return s.comments, nil
}

type scanner struct {
	text     string
	pos      int
	line     int
	hasCode  bool // the current line has had code
	comments []comment
	waiting  []int // comments, by index, that stand alone and wait for code
}

// step consumes one lexical element.
func (s *scanner) step() error {
	rest := s.text[s.pos:]
	switch {
	case rest[0] == '\n':
		s.line++
		s.pos++
		s.hasCode = false
	case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\f':
		s.pos++
	case strings.HasPrefix(rest, "//"):
		s.lineComment(rest)
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			return fmt.Errorf("%d: comment does not end", s.line)
		}
		s.advance(end + 4)
	case strings.HasPrefix(rest, `"""`):
		return s.quoted(rest, `"""`, true)
	case rest[0] == '"':
		return s.quoted(rest, `"`, false)
	case rest[0] == '\'':
		return s.quoted(rest, `'`, false)
	default:
		s.code()
		s.pos++
	}
	return nil
}

// lineComment consumes a comment up to the end of its line.
func (s *scanner) lineComment(rest string) {
	end := strings.IndexByte(rest, '\n')
	if end < 0 {
		end = len(rest)
	}
	if text, ok := strings.CutPrefix(rest[:end], mark); ok {
		c := comment{text: strings.TrimRight(text, "\r"), line: s.line}
		if s.hasCode {
			c.codeLine = s.line
		} else {
			s.waiting = append(s.waiting, len(s.comments))
		}
		s.comments = append(s.comments, c)
	}
	s.pos += end
}

// quoted consumes a literal that begins and ends with the given quotes.
func (s *scanner) quoted(rest, quotes string, lines bool) error {
	s.code()
	for i := len(quotes); i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case rest[i] == '\n' && !lines:
			return fmt.Errorf("%d: literal does not end on its line", s.line)
		case strings.HasPrefix(rest[i:], quotes):
			s.advance(i + len(quotes))
			s.hasCode = true // the closing quotes may stand on a later line
			return nil
		}
	}
	return fmt.Errorf("%d: literal does not end", s.line)
}

// code notes that the current line has code.
func (s *scanner) code() {
	s.hasCode = true
	for _, i := range s.waiting {
		s.comments[i].codeLine = s.line
	}
	s.waiting = s.waiting[:0]
}

// advance consumes n bytes that may hold line ends.
func (s *scanner) advance(n int) {
	passed := s.text[s.pos : s.pos+n]
	if lines := strings.Count(passed, "\n"); lines > 0 {
		s.line += lines
		s.hasCode = false
	}
	s.pos += n
}
