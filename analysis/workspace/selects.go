package workspace

// This file decides which tests a module's settings select.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Selects says whether the settings run a test. class is a class name in any
// form ("p.CTest", "p/CTest", "p/CTest$Nested"), method may be "" for the class
// as a whole. The reason says what left it out, "" when it runs. Tags are
// SelectsTags' business.
//
// A nested class comes with its outermost class, as frameworks find it there: patterns of
// excludes, which a build applies to class files, leave out neither without the other. Filters
// count for both.
func (t *TestSettings) Selects(class, method string) (ok bool, reason string) {
	path, top := classPaths(class)
	if x := t.excludedByName(path, top, method); x != nil {
		return false, fmt.Sprintf("excluded in %s: %s", ConfigName, x.Reason)
	}
	if len(t.SuiteFiles) > 0 {
		return true, "" // the suites say what runs
	}
	if ok, reason = t.selects(path, top, method); ok {
		return true, ""
	}
	if it := t.Integration; it != nil {
		if ok, _ := it.selects(path, top, method); ok {
			if it.Run {
				return true, ""
			}
			return false, integrationOnly
		}
	}
	return false, reason
}

// integrationOnly is why an integration test does not run.
const integrationOnly = "an integration test of the build; `integration = true` below [test] in " + ConfigName +
	" runs it with the others"

// LeavesToIntegration tells whether a test class would run if integration tests were asked for.
func (t *TestSettings) LeavesToIntegration(class string) bool {
	_, reason := t.Selects(class, "")
	return reason == integrationOnly
}

// classPaths are a class's name, and its outermost class's, with slashes.
func classPaths(class string) (path, top string) {
	path = strings.ReplaceAll(class, ".", "/")
	if top, _, _ = strings.Cut(path, "$"); top == "" {
		top = path
	}
	return path, top
}

// selects is Selects for the patterns and filters of the build.
func (t *Selection) selects(path, top, method string) (ok bool, reason string) {
	if len(t.Includes) > 0 && !matchesIncludes(t.Includes, top, method) && !matchesIncludes(t.Includes, path, method) {
		return false, "no include pattern of the build matches"
	}
	for _, p := range t.Excludes {
		if p == "**/*$*" { // nested classes run with their outermost one
			continue
		}
		if compilePattern(p).leavesOut(top, method) {
			return false, fmt.Sprintf("excluded by the build's pattern %q", p)
		}
	}
	if len(t.IncludeFilters) > 0 && !filterMatches(t.IncludeFilters, path, method) {
		return false, "no test filter of the build matches"
	}
	if filterMatches(t.ExcludeFilters, path, method) {
		return false, "excluded by the build's test filter"
	}
	return true, ""
}

// matchesIncludes applies patterns, of which some may be negated ("!p").
func matchesIncludes(list []string, path, method string) bool {
	hit, positive := false, false
	for _, p := range list {
		if neg, ok := strings.CutPrefix(p, "!"); ok {
			if compilePattern(neg).leavesOut(path, method) {
				return false
			}
			continue
		}
		positive = true
		hit = hit || compilePattern(p).matches(path, method)
	}
	return hit || !positive
}

// excludedByName applies the exclusions of catchlens.toml.
func (t *TestSettings) excludedByName(path, top, method string) *TestExclusion {
	dotted := strings.ReplaceAll(path, "/", ".")
	for i := range t.Exclusions {
		x := &t.Exclusions[i]
		switch {
		case x.Test != "":
			c, m, hasMethod := strings.Cut(x.Test, "#")
			outer := strings.ReplaceAll(top, "/", ".")
			if (c == dotted || c == outer) && (!hasMethod || method != "" && sameMethod(m, method)) {
				return x
			}
		case x.Pattern != "":
			if wildMatch(x.Pattern, dotted) || method != "" && wildMatch(x.Pattern, dotted+"#"+plainMethod(method)) {
				return x
			}
		}
	}
	return nil
}

// plainMethod is a method's name without parameters or invocation.
func plainMethod(m string) string {
	if i := strings.IndexAny(m, "([{"); i > 0 {
		m = m[:i]
	}
	return m
}

func sameMethod(a, b string) bool { return a == b || a == plainMethod(b) }

// classPattern is one compiled include or exclude.
type classPattern struct {
	class  *regexp.Regexp // on "p/q/C", or with file on "p/q/C.class"; nil matches every class
	method *regexp.Regexp // nil matches every method
	// file: class is asked for the name of the class file. It must begin with all of ahead then,
	// and with none of not.
	file       bool
	ahead, not []*regexp.Regexp
}

func (p *classPattern) matches(path, method string) bool {
	if p.file {
		path += ".class"
	}
	begins := func(r *regexp.Regexp) bool { return r.MatchString(path) }
	if p.class != nil && !p.class.MatchString(path) || slices.ContainsFunc(p.not, begins) ||
		slices.ContainsFunc(p.ahead, func(r *regexp.Regexp) bool { return !begins(r) }) {
		return false
	}
	return p.method == nil || method == "" || p.method.MatchString(plainMethod(method))
}

// leavesOut is matches for a pattern that leaves tests out: one that names methods leaves out no
// class as a whole.
func (p *classPattern) leavesOut(path, method string) bool {
	return (p.method == nil || method != "") && p.matches(path, method)
}

var patternCache sync.Map // string -> *classPattern

// never matches nothing: an invalid pattern selects no test.
var never = regexp.MustCompile(`^[^\x00-\x{10FFFF}]$`)

// compilePattern understands Surefire's and Gradle's class patterns: Ant
// patterns of source or class files, qualified names, %ant[...] and
// %regex[...], and methods behind '#' ('+' separates alternatives).
func compilePattern(s string) *classPattern {
	if p, ok := patternCache.Load(s); ok {
		return p.(*classPattern)
	}
	p := &classPattern{}
	s = strings.TrimSpace(s)
	body, regex := s, false
	if rest, ok := strings.CutPrefix(s, "%regex["); ok && strings.HasSuffix(rest, "]") {
		body, regex = strings.TrimSpace(rest[:len(rest)-1]), true
	} else if rest, ok := strings.CutPrefix(s, "%ant["); ok && strings.HasSuffix(rest, "]") {
		body = rest[:len(rest)-1]
	}
	class, method, hasMethod := strings.Cut(body, "#")
	if hasMethod {
		var alts []string
		for _, m := range strings.Split(method, "+") {
			if regex {
				alts = append(alts, m)
			} else {
				alts = append(alts, wildRegexp(m))
			}
		}
		p.method = mustOrNever("^(?:" + strings.Join(alts, "|") + ")$")
	}
	if class != "" {
		if regex {
			p.setFile(class)
		} else {
			p.class = mustOrNever("^" + antRegexp(class) + "$")
		}
	}
	patternCache.Store(s, p)
	return p
}

// setFile sets a regular expression that Surefire matches against the path of the class file. Those
// of Java may begin by looking ahead, which is asked for by itself.
func (p *classPattern) setFile(re string) {
	p.file = true
	re = strings.TrimPrefix(re, "^")
	for strings.HasPrefix(re, "(?!") || strings.HasPrefix(re, "(?=") {
		end := closing(re)
		if end < 0 {
			break
		}
		r := mustOrNever("^(?:" + re[3:end] + ")")
		switch {
		case r == never:
			p.class = never
			return
		case re[2] == '!':
			p.not = append(p.not, r)
		default:
			p.ahead = append(p.ahead, r)
		}
		re = re[end+1:]
	}
	p.class = mustOrNever("^(?:" + strings.ReplaceAll(re, `\/`, "/") + ")$")
}

// closing is the position of the parenthesis that closes the one at the start of a regular
// expression; -1 if there is none.
func closing(re string) int {
	open, class := 0, false
	for i := 0; i < len(re); i++ {
		switch c := re[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			open++
		case c == ')':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}

// Unreadable lists the patterns of a build that are read as none, those that select tests and those
// that leave tests out: regular expressions that Go does not know.
func (t *Selection) Unreadable() (includes, excludes []string) {
	for k, list := range [][]string{t.Includes, t.Excludes} {
		for _, p := range list {
			plain, negated := strings.CutPrefix(p, "!")
			switch c := compilePattern(plain); {
			case c.class != never && c.method != never:
			case k == 1 || negated:
				excludes = append(excludes, p)
			default:
				includes = append(includes, p)
			}
		}
	}
	return includes, excludes
}

func mustOrNever(re string) *regexp.Regexp {
	r, err := regexp.Compile(re)
	if err != nil {
		return never
	}
	return r
}

// antRegexp turns an Ant pattern into a regular expression on "p/q/C".
func antRegexp(p string) string {
	for _, ext := range []string{".java", ".class"} {
		p = strings.TrimSuffix(p, ext)
	}
	p = strings.TrimSuffix(p, ".*")
	p = strings.ReplaceAll(strings.ReplaceAll(p, `\`, "/"), ".", "/")
	if strings.HasSuffix(p, "/") {
		p += "**"
	}
	if !strings.HasPrefix(p, "**/") && !strings.HasPrefix(p, "/") {
		p = "**/" + p
	}
	return antGlob(strings.TrimPrefix(p, "/"))
}

// antGlob turns the wildcards of an Ant pattern into a regular expression.
func antGlob(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); {
		switch {
		case strings.HasPrefix(p[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 3
		case strings.HasPrefix(p[i:], "**"):
			b.WriteString(".*")
			i += 2
		case p[i] == '*':
			b.WriteString("[^/]*")
			i++
		case p[i] == '?':
			b.WriteString("[^/]")
			i++
		default:
			b.WriteString(regexp.QuoteMeta(p[i : i+1]))
			i++
		}
	}
	return b.String()
}

// wildRegexp turns '*' and '?' into a regular expression.
func wildRegexp(p string) string {
	q := regexp.QuoteMeta(p)
	q = strings.ReplaceAll(q, `\*`, ".*")
	return strings.ReplaceAll(q, `\?`, ".")
}

func wildMatch(pattern, s string) bool {
	key := "wild:" + pattern
	v, ok := patternCache.Load(key)
	if !ok {
		v = &classPattern{class: mustOrNever("^" + wildRegexp(pattern) + "$")}
		patternCache.Store(key, v)
	}
	return v.(*classPattern).class.MatchString(s)
}

// filterMatches applies Gradle's test filters: "*" is any text; a pattern names
// a class, by full or simple name, or a method of it.
func filterMatches(list []string, path, method string) bool {
	dotted := strings.ReplaceAll(path, "/", ".")
	simple := dotted[strings.LastIndexByte(dotted, '.')+1:]
	for _, p := range list {
		for _, c := range []string{dotted, simple} {
			if wildMatch(p, c) || method != "" && wildMatch(p, c+"."+plainMethod(method)) {
				return true
			}
		}
		// "pkg" and "pkg.*" name everything in the package.
		if strings.HasPrefix(dotted, strings.TrimSuffix(p, "*")) && strings.HasSuffix(p, ".*") {
			return true
		}
	}
	return false
}

// SelectsTags says whether a test of a class with these tags (JUnit 5 tags, JUnit 4
// category names, TestNG groups) runs; the reason says what left it out.
func (t *TestSettings) SelectsTags(class string, tags []string) (ok bool, reason string) {
	have := map[string]bool{}
	for _, tag := range tags {
		have[tag] = true
	}
	for _, x := range t.Exclusions {
		if x.Tag != "" && evalTag(x.Tag, have) {
			return false, fmt.Sprintf("excluded in %s: %s", ConfigName, x.Reason)
		}
	}
	in := t.groupMatcher()
	ok, reason = t.selectsTags(have, in)
	if it := t.Integration; it != nil && it.Run {
		path, top := classPaths(class)
		if unit, _ := t.selects(path, top, ""); unit && ok {
			return true, ""
		}
		if apart, _ := it.selects(path, top, ""); apart {
			return it.selectsTags(have, in)
		}
	}
	return ok, reason
}

// selectsTags is SelectsTags for the tags of the build, which in tells to be among a test's.
func (t *Selection) selectsTags(have map[string]bool, in func(group string, have map[string]bool) bool) (ok bool,
	reason string) {
	if len(t.Groups) > 0 {
		if !slices.ContainsFunc(t.Groups, func(g string) bool { return in(g, have) }) {
			return false, "has none of the tags that the build runs: " + strings.Join(t.Groups, ", ")
		}
	}
	for _, g := range t.ExcludedGroups {
		if in(g, have) {
			return false, "has a tag that the build excludes: " + g
		}
	}
	return true, ""
}

// OneByOne tells whether the build's settings leave out some tests of a class
// by name or tag, so that they must be looked at one by one.
func (t *Selection) OneByOne() bool {
	if len(t.Groups) > 0 || len(t.ExcludedGroups) > 0 || len(t.IncludeFilters) > 0 || len(t.ExcludeFilters) > 0 {
		return true
	}
	names := func(p string) bool { return strings.Contains(p, "#") }
	return slices.ContainsFunc(t.Includes, names) || slices.ContainsFunc(t.Excludes, names)
}

// evalTag evaluates a JUnit 5 tag expression: '!', '&', '|', parentheses,
// any() and none(). What is not well-formed is false.
func evalTag(expr string, have map[string]bool) bool {
	p := &tagParser{s: expr, have: have}
	v := p.or(0)
	p.space()
	return v && p.i == len(p.s) && !p.bad
}

type tagParser struct {
	s    string
	i    int
	have map[string]bool
	bad  bool
}

func (p *tagParser) space() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t' || p.s[p.i] == '\n') {
		p.i++
	}
}

func (p *tagParser) eat(c byte) bool {
	p.space()
	if p.i < len(p.s) && p.s[p.i] == c {
		for p.i++; p.i < len(p.s) && p.s[p.i] == c && (c == '&' || c == '|'); p.i++ {
			// && and || as in TestNG's and categories' form
		}
		return true
	}
	return false
}

func (p *tagParser) or(depth int) bool {
	v := p.and(depth)
	for p.eat('|') {
		w := p.and(depth)
		v = v || w
	}
	return v
}

func (p *tagParser) and(depth int) bool {
	v := p.unary(depth)
	for p.eat('&') {
		w := p.unary(depth)
		v = v && w
	}
	return v
}

// maxTagDepth bounds the nesting of a tag expression.
const maxTagDepth = 100

func (p *tagParser) unary(depth int) bool {
	if depth > maxTagDepth {
		p.bad = true
		return false
	}
	if p.eat('!') {
		return !p.unary(depth + 1)
	}
	if p.eat('(') {
		v := p.or(depth + 1)
		if !p.eat(')') {
			p.bad = true
		}
		return v
	}
	p.space()
	start := p.i
	for p.i < len(p.s) && !strings.ContainsRune("!&|() \t\n", rune(p.s[p.i])) {
		p.i++
	}
	word := p.s[start:p.i]
	if word == "" {
		p.bad = true
		return false
	}
	if (word == "any" || word == "none") && strings.HasPrefix(p.s[p.i:], "()") {
		p.i += 2
		return (len(p.have) > 0) == (word == "any")
	}
	return p.have[word]
}
