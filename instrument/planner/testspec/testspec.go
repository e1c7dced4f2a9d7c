// Package testspec reads and writes testspec, the language that says which methods are tested with
// which technique (Misurda 2011, 3.2.3 and Figure 3.2).
//
// A rule stands on a line of its own:
//
//	package.Class:method:TECHNIQUE
//
// A > may stand in place of the first colon. The class is a name as in Class.getName (nested
// classes with $), or package.* for the classes of one package, or package.** for those of its
// subpackages too; * alone is the unnamed package, ** every class. The method is a name, which
// means all methods of that name, or =all. Empty lines and those that begin with # are skipped.
//
// A rule that names both class and method comes before one that does not; otherwise the earliest
// one counts. Rules that name both are found by hash, whatever their number.
package testspec

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/catchlens/catchlens/instrument/planner"
)

// AllMethods stands in a rule for every method of a class.
const AllMethods = "=all"

// Rule says with which technique methods are tested.
type Rule struct {
	Class     string // a name, or a pattern with * or ** at its end
	Method    string // a name, or AllMethods
	Technique planner.Technique
	Line      int // where it stands, from 1; 0 where it was not read
}

func (r Rule) String() string { return r.Class + ":" + r.Method + ":" + r.Technique.String() }

// literal tells whether the rule names both class and method.
func (r *Rule) literal() bool { return r.Method != AllMethods && !strings.HasSuffix(r.Class, "*") }

// matches tells whether the rule is about a method.
func (r *Rule) matches(class, method string) bool {
	if r.Method != AllMethods && r.Method != method {
		return false
	}
	if prefix, ok := strings.CutSuffix(r.Class, "**"); ok {
		return strings.HasPrefix(class, prefix)
	}
	if prefix, ok := strings.CutSuffix(r.Class, "*"); ok {
		rest, ok := strings.CutPrefix(class, prefix)
		return ok && !strings.Contains(rest, ".")
	}
	return r.Class == class
}

// Spec is a test specification. It never changes.
type Spec struct {
	Rules    []Rule // as they stand in the text
	literals map[[2]string]int
	patterns []int // the other rules
}

// New makes a specification of rules.
func New(rules []Rule) *Spec {
	s := &Spec{Rules: rules, literals: map[[2]string]int{}}
	for i := range rules {
		r := &rules[i]
		key := [2]string{r.Class, r.Method}
		if !r.literal() {
			s.patterns = append(s.patterns, i)
		} else if _, ok := s.literals[key]; !ok {
			s.literals[key] = i
		}
	}
	return s
}

// RuleOf returns the rule that counts for a method of a class, nil where there is none: the method
// is not tested. The class is named as in Class.getName.
func (s *Spec) RuleOf(class, method string) *Rule {
	if i, ok := s.literals[[2]string{class, method}]; ok {
		return &s.Rules[i]
	}
	for _, i := range s.patterns {
		if s.Rules[i].matches(class, method) {
			return &s.Rules[i]
		}
	}
	return nil
}

// TechniqueOf returns the technique of the rule that counts for a method of a class; false: there
// is no rule.
func (s *Spec) TechniqueOf(class, method string) (t planner.Technique, ok bool) {
	if r := s.RuleOf(class, method); r != nil {
		return r.Technique, true
	}
	return t, false
}

// WriteTo writes the rules, one a line.
func (s *Spec) WriteTo(w io.Writer) (int64, error) {
	var text strings.Builder
	for _, r := range s.Rules {
		text.WriteString(r.String())
		text.WriteByte('\n')
	}
	n, err := io.WriteString(w, text.String())
	return int64(n), err
}

// Error says what is wrong at a place of a specification, and what would be right.
type Error struct {
	Name         string // of the file
	Line, Column int    // from 1; columns are bytes
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Column, e.Message)
}

// maxErrors bounds how many errors are told of one text.
const maxErrors = 10

// Parse reads a specification. The name is that of the file, for errors: each is an *Error, they
// are joined, and of a text with many the first ten are told.
func Parse(name, text string) (*Spec, error) {
	var rules []Rule
	var errs []error
	line := 0
	for raw := range strings.Lines(text) {
		line++
		trimmed := strings.TrimSpace(raw)
		if line == 1 {
			trimmed = strings.TrimSpace(strings.TrimPrefix(trimmed, "\uFEFF"))
		}
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		rule, at, message := parseRule(trimmed)
		if message == "" {
			rule.Line = line
			rules = append(rules, rule)
			continue
		}
		errs = append(errs, &Error{name, line, strings.Index(raw, trimmed) + at + 1, message})
		if len(errs) == maxErrors {
			break
		}
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	return New(rules), nil
}

// form is what a rule looks like.
const form = "package.Class:method:TECHNIQUE"

// parseRule reads one rule. Where it is wrong, it says at which byte and how.
func parseRule(text string) (r Rule, at int, message string) {
	methodAt := strings.IndexAny(text, ":>") + 1
	last := strings.LastIndexByte(text, ':')
	if methodAt == 0 {
		return r, 0, "a rule is " + form + ": this one has no method"
	}
	if last < methodAt {
		return r, len(text), "a rule is " + form + ": this one has no technique"
	}
	r.Class, r.Method = text[:methodAt-1], text[methodAt:last]
	if at, message = classError(r.Class); message != "" {
		return r, at, message
	}
	if at, message = methodError(r.Method); message != "" {
		return r, methodAt + at, message
	}
	technique, err := planner.TechniqueOf(text[last+1:])
	if err != nil {
		return r, last + 1, err.Error()
	}
	r.Technique = technique
	return r, 0, ""
}

// classError says what is wrong with a class or a pattern of classes.
func classError(class string) (at int, message string) {
	if i := strings.IndexByte(class, '/'); i >= 0 {
		return i, "packages are parted by dots: write " + strings.ReplaceAll(class, "/", ".")
	}
	if at, message := nameError(class, ";[\"<"); message != "" {
		return at, message
	}
	stars := strings.TrimRight(class, "*")
	if n := len(class) - len(stars); n > 0 {
		switch {
		case n > 2:
			return len(stars), "write * for the classes of a package, ** for those of its subpackages too"
		case stars != "" && !strings.HasSuffix(stars, "."):
			return len(stars), "a * stands for whole names of classes: write it behind a dot, as in java.util.*"
		}
		if stars == "" {
			return 0, ""
		}
		stars = strings.TrimSuffix(stars, ".")
	}
	if i := strings.IndexByte(stars, '*'); i >= 0 {
		return i, "a * stands at the end of a class only, as in java.util.*"
	}
	for part := range strings.SplitSeq(stars, ".") {
		if part == "" {
			return at, "a name is missing: a class is written as in java.util.List"
		}
		at += len(part) + 1
	}
	return 0, ""
}

// methodError says what is wrong with a method.
func methodError(method string) (at int, message string) {
	switch {
	case method == AllMethods:
		return 0, ""
	case method == "":
		return 0, "a method is missing: write its name, or =all for all methods"
	case strings.HasPrefix(method, "="):
		return 0, "all methods are written =all"
	case strings.Contains(method, "*"):
		return strings.IndexByte(method, '*'), "a method has no pattern: write =all for all methods"
	case strings.Contains(method, "(") && !strings.Contains(method, " "): // Kotlin has names with both
		return strings.IndexByte(method, '('), "a method is its name alone, which means all methods of that name"
	}
	return nameError(method, ":;[/.\"")
}

// nameError says which byte no name of a class or method has, or that it has space around it.
func nameError(name, never string) (at int, message string) {
	if i := strings.IndexAny(name, never); i >= 0 {
		return i, fmt.Sprintf("a name has no %q in it", name[i])
	}
	if len(strings.TrimSpace(name)) < len(name) {
		return 0, "the parts of a rule have no space around them"
	}
	return 0, ""
}
