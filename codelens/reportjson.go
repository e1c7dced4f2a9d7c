package codelens

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
)

// This file writes the JSON report as it is made: with implicit throw sites it has millions of
// links and gigabytes, which nothing here holds more than one link of.

// WriteReport writes what MakeReport makes, as JSON that is indented by two spaces, with a line
// feed at the end. The error is that of ctx, asked before each link, or of writing.
func WriteReport(ctx context.Context, w io.Writer, v View, version string, withTests bool) error {
	o := reportWriter{ctx: ctx, w: w}
	o.enc = json.NewEncoder(&o.text)
	o.around("", "catches", reportFrame(v, version, withTests), func() {
		catches := o.list("    ")
		for c := range reportedCatches(v, withTests) {
			catches.next()
			o.around("    ", "links", reportCatch(v, c), func() {
				links := o.list("        ")
				for l := range reportLinks(v, c) {
					if o.err == nil {
						o.err = ctx.Err()
					}
					if o.err != nil {
						return
					}
					links.next()
					o.write(o.encode("        ", l))
				}
				links.end()
			})
			if o.err != nil {
				return
			}
		}
		catches.end()
	})
	o.write([]byte("\n"))
	return o.err
}

// reportWriter writes values and lists of values one after the other. What is called after an error
// does nothing.
type reportWriter struct {
	ctx  context.Context
	w    io.Writer
	text bytes.Buffer // of the value that enc has written
	enc  *json.Encoder
	err  error
}

func (o *reportWriter) write(text []byte) {
	if o.err == nil {
		_, o.err = o.w.Write(text)
	}
}

// encode is the text of a value whose lines after the first begin with indent; the next call
// overwrites it.
func (o *reportWriter) encode(indent string, value any) []byte {
	o.text.Reset()
	o.enc.SetIndent(indent, "  ")
	if err := o.enc.Encode(value); o.err == nil {
		o.err = err
	}
	return bytes.TrimSuffix(o.text.Bytes(), []byte("\n"))
}

// around writes an object of which a list is empty, and what elements writes as the list. No text
// in the object looks like the list: line feeds are escaped in it, and what is nested in it has
// more indent.
func (o *reportWriter) around(indent, name string, value any, elements func()) {
	mark := []byte("\n" + indent + `  "` + name + `": []`)
	head, tail, _ := bytes.Cut(o.encode(indent, value), mark)
	tail = bytes.Clone(tail)
	o.write(head)
	o.write(bytes.TrimSuffix(mark, []byte("[]")))
	elements()
	o.write(tail)
}

// listWriter writes the brackets of a list and what is between its elements.
type listWriter struct {
	o       *reportWriter
	indent  string // of the elements
	started bool
}

func (o *reportWriter) list(indent string) *listWriter { return &listWriter{o: o, indent: indent} }

func (l *listWriter) next() {
	before := "[\n"
	if l.started {
		before = ",\n"
	}
	l.started = true
	l.o.write([]byte(before + l.indent))
}

func (l *listWriter) end() {
	if !l.started {
		l.o.write([]byte("[]"))
		return
	}
	l.o.write([]byte("\n" + l.indent[2:] + "]"))
}
