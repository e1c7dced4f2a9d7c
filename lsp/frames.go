package lsp

// This file takes out of the input what the connection would end of: messages that are complete and
// say nothing.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"github.com/catchlens/catchlens/internal/bounded"
)

const (
	// maxMessage is how many bytes a message may have: it is in memory several times while it is
	// read. A document with escaped characters takes six times its size.
	maxMessage = 128 << 20
	// maxHeader is how many bytes the header of a message may have; there are two fields.
	maxHeader = 4 << 10
)

// lockedWriter writes one message at a time.
type lockedWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *lockedWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(b)
}

// passFrames copies messages from an editor. One that is complete but no message of JSON-RPC is
// answered with an error and left out, as its sender may well go on; after a header that cannot be
// read nobody knows where the next one begins: the rest is copied as it is. The error is that of
// reading or writing; nil at the end of the input.
func passFrames(to io.Writer, from io.Reader, answer io.Writer) error {
	in := bufio.NewReaderSize(from, 64<<10)
	for {
		header, length, err := readHeader(in)
		if err != nil || length < 0 {
			_, werr := to.Write(header)
			if err == nil && werr == nil {
				_, werr = io.Copy(to, in)
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return errors.Join(err, werr)
		}
		if length > maxMessage {
			if err := refuse(answer, jsonrpc2.InvalidRequest,
				"the message is larger than the limit of "+bounded.Bytes(maxMessage)); err != nil {
				return err
			}
			if _, err := io.CopyN(io.Discard, in, length); err != nil {
				return nil // the input has ended
			}
			continue
		}
		var body bytes.Buffer // it grows with what comes, not with what is announced
		n, err := io.CopyN(&body, in, length)
		if n == length {
			if code, why := broken(body.Bytes()); why != "" {
				if err := refuse(answer, code, why); err != nil {
					return err
				}
				continue
			}
		}
		for _, part := range [][]byte{header, body.Bytes()} {
			if _, err := to.Write(part); err != nil {
				return err
			}
		}
		if err != nil {
			return nil // in the middle of a message
		}
	}
}

// readHeader reads the header of a message with the empty line after it. length is -1 where it does
// not tell one.
func readHeader(in *bufio.Reader) (header []byte, length int64, err error) {
	length = -1
	for len(header) < maxHeader {
		line, err := in.ReadSlice('\n')
		header = append(header, line...)
		if errors.Is(err, bufio.ErrBufferFull) {
			return header, -1, nil
		}
		if err != nil {
			return header, -1, err
		}
		name, value, _ := strings.Cut(strings.TrimRight(string(line), "\r\n"), ":")
		if name == "" {
			return header, length, nil
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil || n <= 0 {
				return header, -1, nil
			}
			length = n
		}
	}
	return header, -1, nil
}

// broken tells why a body is no message; "" if it is one.
func broken(body []byte) (jsonrpc2.Code, string) {
	_, err := jsonrpc2.DecodeMessage(body)
	switch {
	case err == nil:
		return 0, ""
	case json.Valid(body):
		return jsonrpc2.InvalidRequest, "this is no request: " + err.Error()
	}
	return jsonrpc2.ParseError, "this is no JSON"
}

// refuse answers a message whose number is not known.
func refuse(answer io.Writer, code jsonrpc2.Code, why string) error {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(answer, "Content-Length: %d\r\n\r\n%s", len(text), text)
	return err
}
