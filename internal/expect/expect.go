// Package expect reads the expectations that stand in comments beside the Java
// code they speak about, and sees to it that none of them goes unchecked.
//
//	in.read();                      //@ site("read")
//	} catch (IOException e) {       //@ links("read", "p/Files.open") handlers(1)
//
// Input is Java source text; the grammar, the kinds of expectation and what
// each of them claims are defined in testdata/known/README.md. A kind that is
// not in the table Kinds, a configuration word that is none, a missing or
// superfluous argument: each is an error that names file and line, so that a
// misspelt expectation cannot pass for a fulfilled one.
//
// A test loads its cases with Load and says which kinds it checks. What it has
// not taken from the Set by its end fails it. Which expectation holds under a
// configuration (a call graph, a compiler, a JDK) is decided here once, by the
// most specific match.
//
// The reader knows comments, strings, characters and text blocks, and nothing
// else of the language. It takes time linear in the text.
package expect

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

// An Expectation is one claim about one line of a Java file.
type Expectation struct {
	File   string   // as given to Parse
	Line   int      // 1-based line of the code that it speaks about
	Kind   string   // one of Kinds
	Index  int      // 1-based: the n-th try, catch or throw of that line; 0: the only one
	Config []string // the words that must all hold for it to apply, sorted; none: always
	Args   []Arg    // in the order written
	At     int      // 1-based line of the comment itself
}

// An Arg is one argument, positional (no name) or name=value.
type Arg struct {
	Name  string
	Value string // unquoted
}

// Strings returns the positional arguments.
func (e Expectation) Strings() []string {
	var values []string
	for _, a := range e.Args {
		if a.Name == "" {
			values = append(values, a.Value)
		}
	}
	return values
}

// Get returns the argument of that name.
func (e Expectation) Get(name string) (string, bool) {
	for _, a := range e.Args {
		if a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// Int returns the number that the argument of that name (or, for an empty name,
// the first positional argument) states. Parse has checked that it is one where
// the kind demands it.
func (e Expectation) Int(name string) (int, bool) {
	for _, a := range e.Args {
		if a.Name == name {
			n, err := strconv.Atoi(a.Value)
			return n, err == nil
		}
	}
	return 0, false
}

// Position is the place of the code spoken about, as file:line.
func (e Expectation) Position() string { return fmt.Sprintf("%s:%d", e.File, e.Line) }

// String writes the expectation as it would stand in a comment.
func (e Expectation) String() string {
	var b strings.Builder
	b.WriteString(e.Kind)
	if e.Index > 0 {
		fmt.Fprintf(&b, "#%d", e.Index)
	}
	if len(e.Config) > 0 {
		fmt.Fprintf(&b, "[%s]", strings.Join(e.Config, ","))
	}
	if len(e.Args) == 0 {
		return b.String()
	}
	b.WriteByte('(')
	for i, a := range e.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		if a.Name != "" {
			b.WriteString(a.Name)
			b.WriteByte('=')
		}
		if isNumber(a.Value) || a.Name != "" && isWord(a.Value) {
			b.WriteString(a.Value)
		} else {
			b.WriteString(strconv.Quote(a.Value))
		}
	}
	b.WriteByte(')')
	return b.String()
}

// Format writes positional string arguments as an expectation ready to paste:
// Format("links", "p/A.m") is `links("p/A.m")`. They are sorted.
func Format(kind string, args ...string) string {
	args = append([]string(nil), args...)
	sort.Strings(args)
	for i, a := range args {
		args[i] = strconv.Quote(a)
	}
	return kind + "(" + strings.Join(args, ", ") + ")"
}

// Parse reads the expectations of one Java file, in the order written. The
// first malformed one is the error.
func Parse(file string) ([]Expectation, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ParseText(file, text)
}

// ParseText is Parse for text that has been read already; name stands in the
// results and in errors.
func ParseText(name string, text []byte) ([]Expectation, error) {
	comments, err := scan(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	var all []Expectation
	for _, c := range comments {
		p := parser{text: c.text}
		list, err := p.list()
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, c.line, err)
		}
		for _, e := range list {
			if c.codeLine == 0 && !Kinds[e.Kind].File {
				return nil, fmt.Errorf("%s:%d: no code follows that %s could speak about", name, c.line, e.Kind)
			}
			e.File, e.Line, e.At = name, c.codeLine, c.line
			if err := Kinds[e.Kind].check(e); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, c.line, err)
			}
			all = append(all, e)
		}
	}
	return all, nil
}
