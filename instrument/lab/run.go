package lab

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/worker"
)

// This file runs requests.

// Run runs a request in a JVM, with what the module's settings say. The result says what each test
// did, and whether the JVM ended; the error, why nothing is known.
func (l *Lab) Run(ctx context.Context, j *worker.JVM, q worker.Request) (*worker.RunResult, error) {
	return j.Run(ctx, l.request(q))
}

// request adds what all requests of the module share.
func (l *Lab) request(q worker.Request) worker.Request {
	q.Adapter, q.Parameters = l.adapter, l.Module.Test.PlatformParameters
	q.Groups, q.ExcludedGroups, q.Suites = l.Module.Test.Groups, l.Module.Test.ExcludedGroups, l.Module.Test.SuiteFiles
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, class := range q.Classes {
		q.Without = append(q.Without, l.without[class]...)
	}
	return q
}

// Survive turns what a dying JVM answers into nothing, unless ctx has ended.
func Survive(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var died *worker.Died
	if errors.As(err, &died) {
		return nil
	}
	return err
}

// RunIn is what the tests of a request did in a JVM; nil where that ended.
func (l *Lab) RunIn(ctx context.Context, j *worker.JVM, q worker.Request) ([]*record.TestRun, error) {
	res, err := l.Run(ctx, j, q)
	if err != nil {
		return nil, Survive(ctx, err)
	}
	if res.Died != nil {
		return nil, nil
	}
	runs := l.Reader().Collect(res)
	return append([]*record.TestRun{}, runs...), nil // not nil, if there are none
}

// RunFresh is what the tests of a request did in a JVM that starts with them and ends after them;
// nil where it ended before. It is a piece of work (Monitor.Gate).
func (l *Lab) RunFresh(ctx context.Context, s Setup, q worker.Request) ([]*record.TestRun, error) {
	if err := l.Monitor().Gate(ctx); err != nil {
		return nil, err
	}
	j, err := l.Start(ctx, s)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	return l.RunIn(ctx, j, q)
}

// Bundle is rewritten classes that JVMs of the lab can take in place of their class files.
type Bundle struct{ path string }

// WriteBundle makes a bundle of some classes, under a name that no other one of the lab has. The
// error is that of writing it.
func (l *Lab) WriteBundle(name string, classes []worker.BundleEntry) (Bundle, error) {
	slices.SortFunc(classes, func(a, b worker.BundleEntry) int { return strings.Compare(a.Name, b.Name) })
	path := filepath.Join(l.own.Path, name+".bundle")
	return Bundle{path}, worker.WriteBundle(path, classes)
}
