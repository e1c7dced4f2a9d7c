package lsp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/session"
)

// This file runs what takes longer, with progress and cancel.

// background runs work with a progress of its own in the client, if that shows
// any, and tells the user of an error. It returns at once.
func (s *Server) background(title string, work func(ctx context.Context, p session.Progress) error) {
	s.later(func(context.Context) {
		if err := s.withProgress(s.life, title, nil, work); err != nil && !errors.Is(err, context.Canceled) {
			s.showMessage(s.life, 1, "catchlens: "+err.Error())
		}
	})
}

// longestAnswer is how long a request may take whose client may not wait for the answer: lsp-mode
// and Eglot of Emacs wait ten seconds, and cancel what they asked for then.
const longestAnswer = 5 * time.Second

// answerInTime does what a request asks for, and answers it with what work returns; after
// longestAnswer it answers nothing, and work goes on, if the client neither gave a token for its
// progress nor is one of those that know this server: then the outcome is shown as a message. It
// must not run on the reading goroutine.
func (s *Server) answerInTime(asking context.Context, token protocol.ProgressToken,
	work func(context.Context) (any, error)) (any, error) {
	if token != nil || s.caps.status {
		return work(asking)
	}
	ctx, cancel := context.WithCancel(s.life)
	asked := context.AfterFunc(asking, cancel)
	type outcome struct {
		answer any
		err    error
	}
	done := make(chan outcome, 1)
	s.later(func(context.Context) {
		defer cancel()
		var o outcome
		o.err = s.guard.Do("the request", func() (err error) {
			o.answer, err = work(ctx)
			return err
		})
		done <- o
	})
	late := time.NewTimer(s.answerWithin)
	defer late.Stop()
	select {
	case o := <-done:
		asked()
		return o.answer, o.err
	case <-late.C:
	}
	asked()
	s.later(func(context.Context) {
		switch o := <-done; {
		case errors.Is(o.err, context.Canceled):
		case o.err != nil:
			s.showMessage(s.life, 1, "catchlens: "+o.err.Error())
		default:
			s.showMessage(s.life, 3, "catchlens: "+ranText(o.answer))
		}
	})
	return nil, nil
}

// withProgress runs work and shows its progress under the token of the client's
// request, or under a new one. The work ends early if asking does (the request
// was cancelled), with the server, or by the progress; its error is that of ctx then. It must not
// run on the reading goroutine.
func (s *Server) withProgress(asking context.Context, title string, token any,
	work func(ctx context.Context, p session.Progress) error) error {
	ctx, cancel := context.WithCancel(s.life)
	defer cancel()
	defer context.AfterFunc(asking, cancel)()
	shown := token != nil // the client's own token needs no create
	token, done := s.tokens.add(token, cancel)
	defer done()
	if !shown && s.caps.progress {
		shown = s.call(ctx, "window/workDoneProgress/create", map[string]any{"token": token}, nil) == nil
	}
	report := func(value map[string]any) {
		if shown {
			s.notify(ctx, "$/progress", map[string]any{"token": token, "value": value})
		}
	}
	report(map[string]any{"kind": "begin", "title": title, "cancellable": true, "percentage": 0})
	last := 0
	err := s.guard.Do(title, func() error {
		return work(ctx, func(percent int, message string) {
			value := map[string]any{"kind": "report", "cancellable": true, "message": codelens.Message(message)}
			if percent >= 0 {
				last = min(max(last, percent), 100) // steadily rising, as the protocol wants
				value["percentage"] = last
			}
			report(value)
		})
	})
	if err != nil && ctx.Err() != nil { // what is stopped in the middle of something may call that failed
		s.log.Debug("stopped", "work", title, "error", err)
		err = ctx.Err()
	}
	end := map[string]any{"kind": "end"}
	if errors.Is(err, context.Canceled) {
		end["message"] = "cancelled"
	} else if err != nil {
		end["message"] = "failed"
	}
	if shown && s.life.Err() == nil {
		s.notify(s.life, "$/progress", map[string]any{"token": token, "value": end})
	}
	return err
}

func (s *Server) cancelProgress(req *jsonrpc2.Request) error {
	p, err := params[protocol.WorkDoneProgressCancelParams](req)
	if err != nil {
		return err
	}
	key := ""
	switch t := p.Token.(type) {
	case protocol.String:
		key = string(t)
	case protocol.Integer:
		key = fmt.Sprint(int64(t))
	}
	s.tokens.cancel(key)
	return nil
}

// tokens are the progress tokens of what runs, and how each is cancelled.
type tokens struct {
	mu      sync.Mutex
	cancels map[string]context.CancelFunc
	made    int
}

// add notes the token of work that has begun, a new one where it is nil, until done is called.
func (t *tokens) add(token any, cancel context.CancelFunc) (_ any, done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if token == nil {
		t.made++
		token = fmt.Sprintf("catchlens-%d", t.made)
	}
	if t.cancels == nil {
		t.cancels = map[string]context.CancelFunc{}
	}
	key := fmt.Sprint(token)
	t.cancels[key] = cancel
	return token, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.cancels, key)
	}
}

// cancel ends what runs under a token, if it does.
func (t *tokens) cancel(key string) {
	t.mu.Lock()
	cancel := t.cancels[key]
	t.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// cancelAll ends everything that runs with progress.
func (t *tokens) cancelAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, cancel := range t.cancels {
		cancel()
	}
}
