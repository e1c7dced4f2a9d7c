package shortcircuit

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/classname"
)

// This file tells failures that the clause of a catch cannot have caused.

// decidesNothing tells why a failing run says nothing about a catch, "" where it does. The
// clause is known by place; resilience asks about pure resilience, where what the try would have
// done is the question: who asks whether it was done gives an answer, and only what a framework
// adds of its own is none.
func decidesNothing(c *record.Cell, p *Place, resilience bool) string {
	traces := readTraces(c.Stack)
	kind, by := failureOf(traces, c.Test)
	switch {
	case kind == 0 || resilience && kind != strictness:
		return ""
	case kind == waiting && p != nil && inClause(p, traces):
		return "" // the clause itself waits
	case kind == verification && asksForClause(p, traces):
		return ""
	}
	return failureReason(kind, by)
}

// asksForClause tells whether a failing verification misses calls, or finds too many, that the
// clause makes and the try does not.
func asksForClause(p *Place, traces []trace) bool {
	if p == nil || p.CallsAlone == nil {
		return false
	}
	asked := false
	for i := range traces {
		for _, name := range verified(&traces[i]) {
			if !p.CallsAlone(name) {
				return false
			}
			asked = true
		}
	}
	return asked
}

// Calls in what verifications say: that which Mockito says it wanted, or never did, is the first
// one and alone on its line; EasyMock lists all, with how often they were expected and came.
var (
	calledAlone   = regexp.MustCompile(`(?m)^[\w$]+\.([\w$]+)\(`)
	calledCounted = regexp.MustCompile(`(?m)^\s+[\w$.]+\.([\w$]+)\(.*\): expected: (.+), actual: (\d+)`)
)

// verified names the methods of which a verification says that they were not called as they
// should; none where that is not known.
func verified(t *trace) (names []string) {
	switch _, by := ruleOf(t); by {
	case "Mockito":
		if m := calledAlone.FindStringSubmatch(t.message); m != nil {
			names = append(names, m[1])
		}
	case "EasyMock":
		for _, m := range calledCounted.FindAllStringSubmatch(t.message, -1) {
			if m[2] != m[3] {
				names = append(names, m[1])
			}
		}
	}
	return names
}

func failureReason(kind failureKind, by string) string {
	switch kind {
	case strictness:
		return fmt.Sprintf("only %s fails it, as something that the test has set up was not used: that is the try's "+
			"work, not the clause's", by)
	case verification:
		return fmt.Sprintf("%s asks whether calls were made that the try makes: that is the try's work, not the "+
			"clause's", by)
	case leaking:
		return fmt.Sprintf("only %s fails it, after the test: something that the try uses was not ended", by)
	}
	return fmt.Sprintf("it waits for what the try would have done, until %s ends it", by)
}

// failureOf finds the rule for a failure, by the failure itself or by what caused it.
func failureOf(traces []trace, test string) (failureKind, string) {
	if len(traces) == 0 {
		return 0, ""
	}
	if parts := severalFailures(&traces[0]); parts != nil {
		var kind failureKind
		by := ""
		for _, t := range parts {
			k, b := ruleOf(&t)
			if k == 0 {
				return 0, ""
			}
			if k > kind {
				kind, by = k, b
			}
		}
		return kind, by
	}
	for i := range traces {
		if kind, by := ruleOf(&traces[i]); kind != 0 {
			return kind, by
		}
	}
	if t := &traces[0]; waits[t.class] && firstOutside(t.frames, test) {
		return waiting, "a timeout of its own"
	}
	return 0, ""
}

// ruleOf finds the rule for one exception.
func ruleOf(t *trace) (failureKind, string) {
	for _, r := range failureRules {
		if t.class != r.class && !(strings.HasSuffix(r.class, ".") && strings.HasPrefix(t.class, r.class)) ||
			notVerification[t.class] {
			continue
		}
		if (r.message == nil || r.message.MatchString(t.message)) && (r.frame == "" || hasFrame(t.frames, r.frame)) {
			return r.kind, r.by
		}
	}
	return 0, ""
}

func hasFrame(frames []frame, prefix string) bool {
	for _, f := range frames {
		if strings.HasPrefix(f.class, prefix) {
			return true
		}
	}
	return false
}

// listed matches a row of the messages of JUnit's exceptions for several failures:
// "\tclass: message" (5) and "  class(message)" (4).
var listed = regexp.MustCompile(`(?m)^\s+([a-zA-Z_][\w$]*(?:\.[\w$]+)+)(?:: |\()(.*)$`)

// severalFailures are those that one exception lists, nil if it is no list.
func severalFailures(t *trace) (parts []trace) {
	switch t.class {
	case "org.opentest4j.MultipleFailuresError", "org.junit.runners.model.MultipleFailureException",
		"org.junit.internal.runners.model.MultipleFailureException":
	default:
		return nil
	}
	for _, m := range listed.FindAllStringSubmatch(t.message, -1) {
		parts = append(parts, trace{class: m[1], message: m[2]})
	}
	return parts
}

// libraries are packages whose frames say how something was done, not who asked for it.
var libraries = []string{"java.", "javax.", "jdk.", "sun.", "com.sun.", "org.junit.", "junit.", "org.opentest4j.",
	"org.testng.", "org.hamcrest.",
	"org.assertj.", "org.mockito.", "org.easymock.", "kotlin.", "groovy.", "org.codehaus.groovy.", "catchlens."}

// firstOutside tells whether the nearest frame outside of the JDK and of test frameworks is of
// the test's own class.
func firstOutside(frames []frame, test string) bool {
	class, _, _ := strings.Cut(test, "#")
	for _, f := range frames {
		library := false
		for _, p := range libraries {
			library = library || strings.HasPrefix(f.class, p)
		}
		if !library {
			return classname.Outermost(f.class) == classname.Outermost(class)
		}
	}
	return false
}
