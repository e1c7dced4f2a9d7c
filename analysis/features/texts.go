package features

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file says what calls make of strings: see assembled.go.

// The patterns of what is no reference: a character, a whole number and a truth value.
var primitiveTexts = map[string]alternative{
	"C": {text: ".", pattern: true, made: true},
	"I": {text: "-?[0-9]+", pattern: true, made: true},
	"J": {text: "-?[0-9]+", pattern: true, made: true},
	"S": {text: "-?[0-9]+", pattern: true, made: true},
	"B": {text: "-?[0-9]+", pattern: true, made: true},
	"Z": {text: "(?:true|false)", pattern: true, made: true, letters: true},
}

var letter = regexp.MustCompile(`\pL`)

// source is the regular expression of what an alternative may be.
func (a *alternative) source() (text string, letters bool) {
	if a.pattern {
		return a.text, a.letters
	}
	return regexp.QuoteMeta(a.text), letter.MatchString(a.text)
}

// oneOf is one alternative for several.
func oneOf(list []alternative) alternative {
	if len(list) == 1 {
		return list[0]
	}
	letters, parts := true, make([]string, len(list))
	for i := range list {
		text, has := list[i].source()
		parts[i], letters = text, letters && has
	}
	slices.Sort(parts)
	return bounded(alternative{text: "(?:" + strings.Join(parts, "|") + ")", pattern: true, made: true,
		letters: letters})
}

// bounded is an alternative, anything where its pattern is too long.
func bounded(a alternative) alternative {
	if len(a.text) > maxPattern {
		return anything
	}
	return a
}

// concatenate is the one behind the other.
func concatenate(a, b []alternative) (out []alternative) {
	if len(a)*len(b) > maxAlternatives {
		a, b = []alternative{oneOf(a)}, []alternative{oneOf(b)}
	}
	for _, x := range a {
		for _, y := range b {
			z := alternative{text: x.text + y.text, made: true}
			if x.pattern || y.pattern {
				left, l := x.source()
				right, r := y.source()
				z = bounded(alternative{text: left + right, pattern: true, made: true, letters: l || r})
			}
			out = join(out, []alternative{z})
		}
	}
	return out
}

// changed is what a function makes of texts; nothing is known of what it makes of patterns.
func changed(list []alternative, f func(string) (string, bool)) (out []alternative) {
	for _, a := range list {
		x := anything
		if !a.pattern && f != nil {
			if text, ok := f(a.text); ok {
				x = alternative{text: text, made: true}
			}
		}
		out = join(out, []alternative{x})
	}
	return out
}

// trimmed is what is left of texts without white space around; nothing is known of patterns that
// have some.
func trimmed(list []alternative) (out []alternative) {
	trim := func(s string) (string, bool) { return strings.TrimSpace(s), true }
	for _, a := range list {
		if !a.pattern || strings.ContainsFunc(a.text, unicode.IsSpace) {
			out = join(out, changed([]alternative{a}, trim))
		} else {
			out = join(out, []alternative{a})
		}
	}
	return out
}

// constant is the one text of a string.
func (t *texts) constant(k int32, v uint64) (string, bool) {
	if list := t.value(k, v); len(list) == 1 && !list[0].pattern {
		return list[0].text, true
	}
	return "", false
}

// defined is the value of what an operation makes.
func (t *texts) defined(k int32, o *textOp) []alternative {
	code := &t.f.codes[k]
	switch o.op {
	case facts.FlowName:
		return []alternative{{text: strings.ReplaceAll(code.class.FlowNames[o.x[1]], "/", ".")}}
	case facts.FlowString:
		t.reads(code)
		if o.text != facts.UnknownString {
			return []alternative{{text: o.text}}
		}
	case facts.FlowNew:
		if isBuilder(code.m.Allocs[o.x[1]].Type) {
			return t.built(k, o.x[0])
		}
	case facts.FlowCall:
		return t.called(k, o)
	}
	return []alternative{anything}
}

// reads notes that strings of a method have been read.
func (t *texts) reads(c *tokenCode) { t.read[memberName{c.class.Name, c.m.Name, c.m.Desc}] = true }

// called is the result of a call.
func (t *texts) called(k int32, o *textOp) []alternative {
	code := &t.f.codes[k]
	c, args := &code.m.Calls[o.x[0]], o.x[3:]
	switch {
	case isConcatenation(c):
		t.reads(code)
		return t.recipe(k, c, o.text, args)
	case isBuilder(c.Owner) && len(args) > 0:
		return t.built(k, args[0])
	case c.Owner == "java/lang/String" || c.Owner == "java/lang/CharSequence" || c.Owner == "java/text/MessageFormat",
		c.Owner == "java/lang/Object" && c.Name == "toString":
		return t.ofString(k, c, args)
	case c.Owner == "java/util/Objects" && len(args) > 0 && c.Name == "requireNonNull":
		return t.value(k, args[0])
	case c.Owner == "java/util/Objects" && len(args) == 2 && c.Name == "requireNonNullElse":
		return join(t.value(k, args[0]), t.value(k, args[1]))
	case len(args) > 0 && namesDefault(c, len(args)-1):
		return join(t.value(k, args[len(args)-1]), []alternative{anything})
	case c.Owner == "java/lang/Class" && len(args) == 1 && strings.HasSuffix(c.Desc, ")Ljava/lang/String;"):
		return changed(t.each(k, args[0], t.classNames), namePart[c.Name])
	case c.Owner == "java/lang/Package" && c.Name == "getName":
		return t.each(k, args[0], t.packageNames)
	}
	return t.results(c, t.defined)
}

// parametersOf are the descriptors of a call's parameters.
func parametersOf(c *facts.Call) []string {
	d, err := classfile.ParseMethodDescriptor(c.Desc)
	if err != nil {
		return nil
	}
	return d.Params
}

// recipe is what a call of StringConcatFactory puts together.
func (t *texts) recipe(k int32, c *facts.Call, text string, args []uint64) []alternative {
	if text == facts.UnknownString {
		return []alternative{anything}
	}
	params, out := parametersOf(c), []alternative{{made: true}}
	for i, piece := range strings.Split(text, "\x01") {
		if i > 0 {
			if len(params) == 0 {
				return []alternative{anything}
			}
			value := []alternative{anything}
			if d := params[0]; d[0] == 'L' || d[0] == '[' {
				if len(args) == 0 {
					return value
				}
				value, args = t.value(k, args[0]), args[1:]
			} else if p, ok := primitiveTexts[d]; ok {
				value = []alternative{p}
			}
			params, out = params[1:], concatenate(out, value)
		}
		out = concatenate(out, []alternative{{text: piece}})
	}
	return out
}

// ofString is for calls of String, and of what puts strings together by a pattern of its own.
func (t *texts) ofString(k int32, c *facts.Call, args []uint64) []alternative {
	value := func(i int) []alternative { return t.value(k, args[i]) }
	switch n := len(args); {
	case c.Name == "concat" && n == 2:
		return concatenate(value(0), value(1))
	case slices.Contains([]string{"toString", "intern", "valueOf"}, c.Name) && n == 1:
		return value(0)
	case (c.Name == "trim" || c.Name == "strip") && n == 1:
		return trimmed(value(0))
	case (c.Name == "format" || c.Name == "formatted") && n >= 2:
		return t.formatted(k, c.Owner, value(n-2), args[n-1])
	case c.Name == "join" && n == 2 && strings.Contains(c.Desc, "[Ljava/lang/CharSequence;"):
		return t.joined(k, value(0), args[1])
	case strings.HasPrefix(c.Name, "replace") && n == 3:
		from, ok1 := t.constant(k, args[1])
		to, ok2 := t.constant(k, args[2])
		plain := c.Name == "replace" || regexp.QuoteMeta(from) == from && !strings.ContainsAny(to, `$\`)
		return changed(value(0), func(s string) (string, bool) {
			if c.Name == "replaceFirst" {
				return strings.Replace(s, from, to, 1), ok1 && ok2 && plain
			}
			return strings.ReplaceAll(s, from, to), ok1 && ok2 && plain
		})
	case c.Name == "toLowerCase" && n >= 1:
		return changed(value(0), func(s string) (string, bool) { return strings.ToLower(s), true })
	case c.Name == "toUpperCase" && n >= 1:
		return changed(value(0), func(s string) (string, bool) { return strings.ToUpper(s), true })
	}
	return []alternative{anything}
}

// The places of arguments in formats of String.format and of MessageFormat.
var formatPlaces = map[string]*regexp.Regexp{"java/lang/String": regexp.MustCompile(`%(?:(\d+)\$)?(.)`),
	"java/text/MessageFormat": regexp.MustCompile(`\{(\d+)\}`)}

// formatted is what a format makes of the elements of an array, where they are as many as it has
// places for, all of them plain. Each element may be in each place.
func (t *texts) formatted(k int32, owner string, formats []alternative, array uint64) (out []alternative) {
	elements := t.elements(k, array)
	var any []alternative
	for _, e := range elements {
		any = join(any, t.value(e.k, e.v))
	}
	for _, f := range formats {
		pieces, at, ok := placesOf(owner, f)
		if !ok || len(elements) == 0 || len(elements) != slices.Max(append([]int{-1}, at...))+1 {
			return []alternative{anything}
		}
		made := []alternative{{made: true}}
		for i, piece := range pieces {
			if made = concatenate(made, []alternative{{text: piece}}); i < len(at) {
				made = concatenate(made, any)
			}
		}
		out = join(out, made)
	}
	return out
}

// placesOf are the pieces of a format and the places of the arguments between them; ok is false
// where it asks for anything else than arguments as they are.
func placesOf(owner string, f alternative) (pieces []string, at []int, ok bool) {
	places := formatPlaces[owner]
	if f.pattern || places == nil || owner != "java/lang/String" && strings.Contains(f.text, "'") {
		return nil, nil, false
	}
	last, next := 0, 0
	for _, m := range places.FindAllStringSubmatchIndex(f.text, -1) {
		place := next
		if m[2] >= 0 {
			place, _ = strconv.Atoi(f.text[m[2]:m[3]])
		}
		if owner == "java/lang/String" {
			if f.text[m[4]:m[5]] != "s" {
				return nil, nil, false
			}
			if m[2] >= 0 {
				place--
			} else {
				next++
			}
		}
		if place < 0 {
			return nil, nil, false
		}
		pieces, at, last = append(pieces, f.text[last:m[0]]), append(at, place), m[1]
	}
	pieces = append(pieces, f.text[last:])
	return pieces, at, !slices.ContainsFunc(pieces, func(p string) bool { return strings.ContainsAny(p, "{%") })
}

// joined is what String.join makes of the elements of an array, which may be filled in a loop.
func (t *texts) joined(k int32, between []alternative, array uint64) []alternative {
	pieces := [][]alternative{between}
	for _, e := range t.elements(k, array) {
		pieces = append(pieces, t.value(e.k, e.v))
	}
	if len(pieces) == 1 {
		return []alternative{anything}
	}
	return []alternative{anyOrder(pieces)}
}

func isBuilder(class string) bool {
	return class == "java/lang/StringBuilder" || class == "java/lang/StringBuffer" ||
		class == "java/lang/AbstractStringBuilder"
}

// keepsContent are the methods of a builder that change nothing of what is in it.
var keepsContent = []string{"toString", "length", "charAt", "isEmpty", "capacity", "ensureCapacity", "trimToSize",
	"indexOf", "lastIndexOf", "<init>"}

// keeps tells whether a call that is given a builder at a place does no more with it than append to
// it or read it.
func keeps(c *facts.Call, at int) bool {
	return at == 0 && isBuilder(c.Owner) && (c.Name == "append" || slices.Contains(keepsContent, c.Name)) ||
		c.Owner == "java/lang/String" && c.Name == "valueOf" || isConcatenation(c)
}

// built is what has been put into a builder: in the order of a chain of calls, each on the result
// of the one before, which nothing else uses; else, as statements have no order here and may be
// left out, what it was made with and then any of the rest, as often as it may be.
func (t *texts) built(k int32, v uint64) []alternative {
	code, m := t.code(k), t.f.codes[k].m
	is, made := t.sameBuilder(k, v)
	if made != 1 {
		return []alternative{anything}
	}
	out, rest, chain := []alternative{{made: true}}, [][]alternative{}, true
	used := map[uint64]bool{}
	for i := range code.ops {
		o := &code.ops[i]
		if o.op == facts.FlowMove && is[o.x[0]] {
			chain = false
			continue
		}
		if o.op != facts.FlowCall {
			if o.op.ReadsAny(o.x, func(x uint64) bool { return is[x] }) {
				return []alternative{anything}
			}
			continue
		}
		c := &m.Calls[o.x[0]]
		for at, a := range o.x[3:] {
			if is[a] && !keeps(c, at) {
				return []alternative{anything}
			}
			if is[a] && c.Name != "<init>" {
				chain = chain && !used[a]
				used[a] = true
			}
		}
		if len(o.x) < 4 || !is[o.x[3]] || !isBuilder(c.Owner) || c.Name != "append" && c.Name != "<init>" {
			continue
		}
		piece, ok := t.piece(k, c, o.x[3:])
		switch {
		case !ok:
		case c.Name == "<init>":
			out = concatenate(out, piece)
		default:
			rest = append(rest, piece)
		}
	}
	if !chain {
		return concatenate(out, []alternative{anyOrder(rest)})
	}
	for _, piece := range rest {
		out = concatenate(out, piece)
	}
	return out
}

// anyOrder is any of some pieces, as often as it may be.
func anyOrder(pieces [][]alternative) alternative {
	var all []alternative
	for _, p := range pieces {
		all = join(all, p)
	}
	if len(all) == 0 {
		return alternative{made: true}
	}
	any, letters := oneOf(all), false
	for i := range all {
		letters = letters || letter.MatchString(all[i].text)
	}
	unknown := slices.ContainsFunc(all, func(a alternative) bool { return a.pattern && !a.letters })
	source, _ := any.source()
	return bounded(alternative{text: "(?:" + source + ")*", pattern: true, made: true, letters: letters && !unknown})
}

// piece is what a call puts into a builder; ok is false where that is nothing.
func (t *texts) piece(k int32, c *facts.Call, args []uint64) (piece []alternative, ok bool) {
	params := parametersOf(c)
	if len(params) == 0 || c.Name == "<init>" && params[0] == "I" {
		return nil, false
	}
	p, primitive := primitiveTexts[params[0]]
	switch {
	case len(params) > 1:
		return []alternative{anything}, true
	case primitive:
		return []alternative{p}, true
	case len(args) == 2:
		return t.value(k, args[1]), true
	}
	return []alternative{anything}, true
}

// sameBuilder are the variables of a method that are the same builder as one of them, and how many
// operations make it: 0 where it comes from elsewhere.
func (t *texts) sameBuilder(k int32, v uint64) (is map[uint64]bool, made int) {
	code, m := t.code(k), t.f.codes[k].m
	is = map[uint64]bool{v: true}
	for n := 0; n != len(is); {
		n = len(is)
		for i := range code.ops {
			o := &code.ops[i]
			a, b := uint64(0), uint64(0)
			switch {
			case o.op == facts.FlowMove, o.op == facts.FlowCast:
				a, b = o.x[0], o.x[1]
			case o.op == facts.FlowCall && len(o.x) > 3 && isBuilder(m.Calls[o.x[0]].Owner) &&
				m.Calls[o.x[0]].Name == "append":
				a, b = o.x[1], o.x[3]
			}
			if a != 0 && b != 0 && (is[a] || is[b]) {
				is[a], is[b] = true, true
			}
		}
	}
	for x := range is {
		if int(x) <= len(t.f.codes[k].params) {
			return is, 0
		}
		for _, i := range code.defs[x] {
			switch o := &code.ops[i]; {
			case o.op == facts.FlowNew:
				made++
			case o.op == facts.FlowMove, o.op == facts.FlowCast:
			case o.op == facts.FlowCall && isBuilder(m.Calls[o.x[0]].Owner):
			default:
				return is, 0
			}
		}
	}
	return is, made
}

// namePart are the methods of Class that tell its name or a part of it, by what they do with the
// binary name.
var namePart = map[string]func(string) (string, bool){
	"getName":          func(s string) (string, bool) { return s, true },
	"getTypeName":      func(s string) (string, bool) { return s, true },
	"getCanonicalName": func(s string) (string, bool) { return strings.ReplaceAll(s, "$", "."), true },
	"getSimpleName": func(s string) (string, bool) {
		return strings.TrimLeft(s[strings.LastIndexAny(s, ".$")+1:], "0123456789"), true // of a local class
	},
	"getPackageName": packageOf,
}

func packageOf(s string) (string, bool) { return s[:max(strings.LastIndexByte(s, '.'), 0)], true }

// classNames are the binary names of the classes that a class object may be of.
func (t *texts) classNames(k int32, o *textOp) (out []alternative) {
	code := &t.f.codes[k]
	switch o.op {
	case facts.FlowClass:
		if name := code.class.FlowNames[o.x[1]]; name != "" && name[0] != '[' {
			return []alternative{{text: strings.ReplaceAll(name, "/", "."), made: true}}
		}
	case facts.FlowCall:
		c := &code.m.Calls[o.x[0]]
		if !asksClass(c) || len(o.x) < 4 {
			break
		}
		declared := declaredAs(c)
		if o.x[3] == 1 && code.m.Access&hierarchy.AccStatic == 0 {
			declared = code.class.Name
		}
		if !t.f.classes[declared] {
			break
		}
		for _, n := range t.sorted {
			if t.f.isBelow(n, declared) {
				out = join(out, []alternative{{text: strings.ReplaceAll(n, "/", "."), made: true}})
			}
		}
		return out
	}
	return []alternative{anything}
}

// packageNames are the names of the packages that a Package may be.
func (t *texts) packageNames(k int32, o *textOp) []alternative {
	code := &t.f.codes[k]
	if o.op == facts.FlowCall {
		if c := &code.m.Calls[o.x[0]]; c.Owner == "java/lang/Class" && c.Name == "getPackage" && len(o.x) > 3 {
			return changed(t.each(k, o.x[3], t.classNames), packageOf)
		}
	}
	return []alternative{anything}
}
