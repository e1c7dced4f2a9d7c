package expect

// This file reads the text of one expectation comment:
//
//	list        = expectation { expectation } .
//	expectation = kind [ "#" number ] [ "[" word { "," word } "]" ] [ "(" [ arg { "," arg } ] ")" ] .
//	arg         = [ name "=" ] value .
//	value       = quoted | word | number .
//
// White space between the parts of an expectation means nothing, except that
// kind, "#", "[" and "(" follow each other without any.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type parser struct {
	text string
	pos  int
}

func (p *parser) list() ([]Expectation, error) {
	var all []Expectation
	for {
		p.space()
		if p.pos == len(p.text) {
			break
		}
		e, err := p.expectation()
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s without an expectation", mark)
	}
	return all, nil
}

func (p *parser) expectation() (Expectation, error) {
	var e Expectation
	e.Kind = p.word()
	if e.Kind == "" {
		return e, fmt.Errorf("an expectation was expected at %q", p.text[p.pos:])
	}
	if _, ok := Kinds[e.Kind]; !ok {
		return e, fmt.Errorf("unknown kind of expectation %q", e.Kind)
	}
	if p.accept('#') {
		n, err := strconv.Atoi(p.word())
		if err != nil || n < 1 {
			return e, fmt.Errorf("%s#: a number from 1 on was expected", e.Kind)
		}
		e.Index = n
	}
	if p.accept('[') {
		if err := p.config(&e); err != nil {
			return e, err
		}
	}
	if p.accept('(') {
		if err := p.args(&e); err != nil {
			return e, err
		}
	}
	if p.pos < len(p.text) && !isSpace(p.text[p.pos]) {
		return e, fmt.Errorf("after %s: white space was expected at %q", e.Kind, p.text[p.pos:])
	}
	return e, nil
}

func (p *parser) config(e *Expectation) error {
	for {
		p.space()
		word := p.word()
		if !isConfigWord(word) {
			return fmt.Errorf("%s: %q is no configuration word", e.Kind, word)
		}
		if slices.Contains(e.Config, word) {
			return fmt.Errorf("%s: configuration word %q twice", e.Kind, word)
		}
		e.Config = append(e.Config, word)
		p.space()
		if p.accept(']') {
			slices.Sort(e.Config)
			return nil
		}
		if !p.accept(',') {
			return fmt.Errorf("%s: ] or a comma was expected at %q", e.Kind, p.text[p.pos:])
		}
	}
}

func (p *parser) args(e *Expectation) error {
	p.space()
	if p.accept(')') {
		return nil
	}
	for {
		p.space()
		a, err := p.arg()
		if err != nil {
			return fmt.Errorf("%s: %w", e.Kind, err)
		}
		e.Args = append(e.Args, a)
		p.space()
		if p.accept(')') {
			return nil
		}
		if !p.accept(',') {
			return fmt.Errorf("%s: ) or a comma was expected at %q", e.Kind, p.text[p.pos:])
		}
	}
}

func (p *parser) arg() (Arg, error) {
	if v, ok, err := p.quoted(); ok || err != nil {
		return Arg{Value: v}, err
	}
	word := p.word()
	if word == "" {
		return Arg{}, fmt.Errorf("an argument was expected at %q", p.text[p.pos:])
	}
	p.space()
	if !p.accept('=') {
		return Arg{Value: word}, nil
	}
	p.space()
	if v, ok, err := p.quoted(); ok || err != nil {
		return Arg{Name: word, Value: v}, err
	}
	value := p.word()
	if value == "" {
		return Arg{}, fmt.Errorf("a value for %s was expected at %q", word, p.text[p.pos:])
	}
	return Arg{Name: word, Value: value}, nil
}

// quoted reads a string literal; the boolean is false when there is none.
func (p *parser) quoted() (string, bool, error) {
	if p.pos == len(p.text) || p.text[p.pos] != '"' {
		return "", false, nil
	}
	literal, err := strconv.QuotedPrefix(p.text[p.pos:])
	if err != nil {
		return "", false, fmt.Errorf("malformed string at %q", p.text[p.pos:])
	}
	p.pos += len(literal)
	value, err := strconv.Unquote(literal)
	return value, true, err
}

func (p *parser) space() {
	for p.pos < len(p.text) && isSpace(p.text[p.pos]) {
		p.pos++
	}
}

func (p *parser) accept(c byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// word reads letters, digits, and the signs that occur in configuration words.
func (p *parser) word() string {
	start := p.pos
	for p.pos < len(p.text) && isWordByte(p.text[p.pos]) {
		p.pos++
	}
	return p.text[start:p.pos]
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '+'
}

func isWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r > 127 || !isWordByte(byte(r)) }) < 0
}
