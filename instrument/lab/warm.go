package lab

import (
	"strings"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file keeps JVMs in which tests have passed as they are, for whoever runs these tests next.

// WarmJVM is a JVM with the tests that have passed in it as they are. Nothing has been injected
// into it.
type WarmJVM struct {
	j      *worker.JVM
	passed map[string]bool // by ID
	doubt  bool            // a test ended in a way that leaves the JVM in doubt
}

// Ran notes how tests ended that were begun in one JVM. If that has ended meanwhile and
// is another one now, none is known to have passed there.
func (w *WarmJVM) Ran(begun, now *worker.JVM, runs []*record.TestRun) {
	if w.j != now {
		*w = WarmJVM{j: now, passed: map[string]bool{}}
	}
	if begun != now {
		return
	}
	for _, run := range runs {
		if run.Outcome == record.Pass {
			w.passed[run.ID] = true
		}
		w.doubt = w.doubt || strings.Contains(run.Message, "java.lang.OutOfMemoryError")
	}
}

// Close ends the JVM, if there is one.
func (w *WarmJVM) Close() {
	if w.j != nil {
		w.j.Close()
	}
}

// HandOver keeps a JVM until somebody takes it over, or ends it where it is of no use.
func (l *Lab) HandOver(w *WarmJVM) {
	if w.j == nil || w.doubt || len(w.passed) == 0 || !w.j.Alive() {
		w.Close()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.warm = append(l.warm, w)
}

// TakeOver returns the n-th JVM that was kept, from 0, with the IDs of the tests that have passed
// in it; nil if there is none.
func (l *Lab) TakeOver(n int) (*worker.JVM, map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n >= len(l.warm) || l.warm[n] == nil {
		return nil, nil
	}
	w := l.warm[n]
	l.warm[n] = nil
	return w.j, w.passed
}

// Passed are, by ID, the tests that have passed in each of the JVMs that were kept; nil where one
// was taken over.
func (l *Lab) Passed() (passed []map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.warm {
		if w == nil {
			passed = append(passed, nil)
			continue
		}
		passed = append(passed, w.passed)
	}
	return passed
}

// CloseWarm ends the JVMs that were kept and that nobody took over.
func (l *Lab) CloseWarm() {
	l.mu.Lock()
	warm := l.warm
	l.warm = nil
	l.mu.Unlock()
	for _, w := range warm {
		if w != nil {
			w.Close()
		}
	}
}
