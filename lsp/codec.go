package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/defect"
)

// This file makes connections that bear what clients send: edits stay in
// order, and a panic, an unknown or a malformed message costs that message only.

// codec marshals payloads as the protocol's unions need it.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) {
	switch m := v.(type) {
	case jsonrpc2.RawMessage:
		if m == nil {
			return []byte("null"), nil
		}
		return m, nil
	case json.RawMessage:
		if m == nil {
			return []byte("null"), nil
		}
		return m, nil
	}
	return protocol.Marshal(v)
}

func (codec) Unmarshal(data []byte, v any) error {
	if p, ok := v.(*jsonrpc2.RawMessage); ok {
		*p = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}

// stream joins an input and an output into one connection.
type stream struct {
	io.Reader
	io.Writer
	closers []io.Closer
}

func (s stream) Close() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// chain wraps the server's own handlers: a notification's error is logged and
// dropped, a request's panic becomes an error, requests run concurrently after
// their document state has been taken, notifications run in order.
func (s *Server) chain() jsonrpc2.Handler {
	inner := func(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
		if req.IsCall() {
			ctx = s.freeze(ctx, req)
			if req.Method() == "initialize" { // what follows it needs what it sets
				defer jsonrpc2.Async(ctx) // the library recycles a request that was never released
			} else {
				jsonrpc2.Async(ctx)
			}
			defer func() {
				err = plainError(err)
			}()
			defer func() {
				if err != nil && (ctx.Err() != nil || errors.Is(err, context.Canceled)) {
					err = jsonrpc2.NewError(requestCancelled, "cancelled")
				}
			}()
		}
		defer func() {
			if p := recover(); p != nil {
				cause, stack := defect.Describe(p)
				s.log.Error("panic in a handler", "method", req.Method(), "panic", cause, "stack", stack)
				result, err = nil, fmt.Errorf("%w: %v", jsonrpc2.ErrInternal, cause)
			}
		}()
		return s.dispatch(ctx, req)
	}
	cancellable := protocol.CancelHandler(inner)
	return func(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
		method, call, start := strings.Clone(req.Method()), req.IsCall(), time.Now()
		defer func() {
			attrs := []any{"method", method, "took", time.Since(start).Round(time.Microsecond)}
			if err != nil {
				attrs = append(attrs, "error", err)
			}
			s.log.Debug("message", attrs...)
		}()
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("panic in a message", "method", method, "panic", p)
				result, err = nil, fmt.Errorf("%w: %v", jsonrpc2.ErrInternal, p)
			}
			if err != nil && !call {
				if !strings.HasPrefix(method, "$/") {
					s.log.Warn("notification dropped", "method", method, "error", err)
				}
				result, err = nil, nil
			}
		}()
		return cancellable(ctx, req)
	}
}

// plainError is an error whose message a client can show: it may quote file names,
// build tools or tests.
func plainError(err error) error {
	if err == nil {
		return nil
	}
	text := codelens.Message(err.Error())
	if text == err.Error() {
		return err
	}
	var coded *jsonrpc2.Error
	if errors.As(err, &coded) {
		return jsonrpc2.NewError(coded.Code, text)
	}
	return errors.New(text)
}

// requestCancelled is LSP's code of an answer to a cancelled request.
const requestCancelled = -32800

// params decodes the parameters of a request leniently: members that are null
// are left out first, because strict decoding refuses trace: null and
// version: null, which clients do send.
func params[T any](req *jsonrpc2.Request) (T, error) {
	var v T
	raw := req.Params()
	if len(raw) == 0 || string(raw) == "null" {
		return v, nil
	}
	if err := protocol.Unmarshal(append([]byte(nil), raw...), &v); err == nil {
		return v, nil
	}
	clean, err := withoutNulls(raw)
	if err == nil {
		var w T
		if err = protocol.Unmarshal(clean, &w); err == nil {
			return w, nil
		}
	}
	return v, fmt.Errorf("%w: %w", jsonrpc2.ErrInvalidParams, err)
}

func withoutNulls(raw []byte) ([]byte, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	return json.Marshal(prune(v))
}

func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e == nil {
				delete(v, k)
			} else {
				v[k] = prune(e)
			}
		}
	case []any:
		for i, e := range v {
			v[i] = prune(e)
		}
	}
	return v
}
