package workspace

// This file decides which groups of JUnit 4 (categories) and TestNG a build's settings select.

import (
	"regexp"
	"strings"
)

// ownCategory stands before the name of a category that a test of JUnit 4 has itself, among its
// tags: there it is once more, as are the categories that it extends.
const ownCategory = "="

// groupMatcher tells how settings name groups: the result asks whether tests with some tags are in
// one.
func (t *TestSettings) groupMatcher() func(group string, have map[string]bool) bool {
	switch t.Framework {
	case JUnit3, JUnit4:
		return evalCategories
	case TestNG:
		return matchesGroup
	}
	return evalTag
}

// matchesGroup tells whether one of a test's groups is one of TestNG's, which names them by a
// regular expression.
func matchesGroup(group string, have map[string]bool) bool {
	if have[group] {
		return true
	}
	re, err := regexp.Compile("^(?:" + group + ")$")
	if err != nil {
		return false
	}
	for g := range have {
		if re.MatchString(g) {
			return true
		}
	}
	return false
}

// categoryToken is a word of an expression of categories.
var categoryToken = regexp.MustCompile(`&&?|\|\|?|[(),!]|[A-Za-z0-9_$#.\-]+`)

// evalCategories evaluates an expression of categories as Surefire does for JUnit 4: AND (&&), OR
// (|| and the comma), NOT (!), parentheses. Operators are of one rank, and what is on the right
// comes first: "a AND b, c" is "a AND (b OR c)". What stands behind a closed parenthesis at the
// outside counts for nothing. What is not well-formed is false.
func evalCategories(expr string, have map[string]bool) bool {
	p := &categoryParser{words: categoryToken.FindAllString(expr, -1), have: have}
	v := p.expression(0)
	return v && !p.bad
}

type categoryParser struct {
	words []string
	have  map[string]bool
	bad   bool
}

// next takes the next word.
func (p *categoryParser) next() string {
	if len(p.words) == 0 {
		p.bad = true
		return ""
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

// at tells whether the next word is one of some, and takes it if so.
func (p *categoryParser) at(words ...string) bool {
	for _, w := range words {
		if len(p.words) > 0 && p.words[0] == w {
			p.words = p.words[1:]
			return true
		}
	}
	return false
}

func (p *categoryParser) expression(depth int) bool {
	if depth > maxTagDepth {
		p.bad = true
		return false
	}
	not := p.at("!", "NOT")
	if p.at("(") {
		v := p.rest(p.expression(depth+1), depth)
		if !p.at(")") {
			p.bad = true
		}
		return v != not
	}
	return p.rest(p.category(p.next()) != not, depth)
}

// rest goes on behind a value, where an operator follows.
func (p *categoryParser) rest(v bool, depth int) bool {
	if len(p.words) == 0 || p.words[0] == ")" {
		return v
	}
	switch op := p.next(); strings.ToUpper(op) {
	case "AND", "&&", "&":
		w := p.expression(depth + 1)
		return v && w
	case "OR", "||", "|", ",":
		w := p.expression(depth + 1)
		return v || w
	default:
		p.bad = true
		return false
	}
}

// category tells whether the test is in a category: by its whole name, or that of one which it
// extends, or by the end of its name where Surefire finds no such class.
func (p *categoryParser) category(name string) bool {
	name = strings.TrimSuffix(name, ".class")
	if p.have[name] {
		return true
	}
	for tag := range p.have {
		if own, ok := strings.CutPrefix(tag, ownCategory); ok && strings.HasSuffix(own, name) {
			return true
		}
	}
	return false
}
