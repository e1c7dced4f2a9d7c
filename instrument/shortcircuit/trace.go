package shortcircuit

import (
	"strconv"
	"strings"
)

// This file reads the stack traces of failing runs, as worker.Failure.Stack has them.

// trace is one exception of a failure: the failure itself, or one of its causes.
type trace struct {
	class, message string // class in source form
	frames         []frame
}

// frame is one line of a stack trace.
type frame struct {
	class, method string // source form
	line          int    // 0: unknown
}

// readTraces reads a stack trace: the failure first, then its causes. What is no stack
// trace gives none, or ones without frames.
func readTraces(stack string) (out []trace) {
	for n, text := range strings.Split(strings.TrimSuffix(stack, "\n"), "\n") {
		if f, ok := readFrame(text); ok && len(out) > 0 {
			t := &out[len(out)-1]
			t.frames = append(t.frames, f)
			continue
		}
		header, cause := strings.CutPrefix(text, "Caused by: ")
		if n == 0 || cause {
			class, message, _ := strings.Cut(header, ":")
			out = append(out, trace{class: strings.TrimSpace(class), message: strings.TrimPrefix(message, " ")})
		} else if t := &out[len(out)-1]; len(t.frames) == 0 {
			t.message += "\n" + text
		}
	}
	return out
}

// readFrame reads a line such as "\tat p.C.m(C.java:12)"; a module's name before the class
// is left out.
func readFrame(text string) (f frame, ok bool) {
	text, ok = strings.CutPrefix(strings.TrimLeft(text, " \t"), "at ")
	open := strings.LastIndexByte(text, '(')
	if !ok || open < 0 || !strings.HasSuffix(strings.TrimSpace(text), ")") {
		return f, false
	}
	name, place := text[:open], strings.TrimSuffix(strings.TrimSpace(text[open+1:]), ")")
	name = name[strings.LastIndexByte(name, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return f, false
	}
	if colon := strings.LastIndexByte(place, ':'); colon >= 0 {
		f.line, _ = strconv.Atoi(place[colon+1:])
	}
	f.class, f.method = name[:dot], name[dot+1:]
	return f, f.line >= 0
}
