// Package xmltree reads XML files (poms, settings, .classpath, .iml) into small trees, bounded, in
// the encodings that occur in the wild.
package xmltree

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/catchlens/catchlens/internal/bounded"
)

// Bounds of an XML file.
const (
	maxDepth = 200
	maxNodes = 300_000
)

// Node is an XML element: local name, attributes, trimmed text, children.
type Node struct {
	Name  string
	Text  string
	Attrs map[string]string
	Kids  []*Node
	Line  int // 1-based
}

// Read parses a file. An error is one of reading (filetree.Reason shortens it) or of Parse.
func Read(file string) (*Node, error) {
	data, err := bounded.Read(file, bounded.Text)
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

// Parse reads a document. HTML entities are known, undefined ones are kept
// as text: poms in repositories contain both. External entities are never
// read.
func Parse(data []byte) (*Node, error) {
	root, err := parse(data, true)
	if err != nil && strings.Contains(err.Error(), "character entity") {
		return parse(data, false)
	}
	return root, err
}

func parse(data []byte, strict bool) (*Node, error) {
	data, declared := decode(data)
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Strict = strict
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		if declared {
			return in, nil // already UTF-8
		}
		return charsetReader(charset, in)
	}
	var stack []*Node
	var root *Node
	count := 0
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if count++; count > maxNodes || len(stack) >= maxDepth {
				return nil, fmt.Errorf("more than %d elements or %d levels", maxNodes, maxDepth)
			}
			line, _ := dec.InputPos()
			n := &Node{Name: t.Name.Local, Line: line}
			for _, a := range t.Attr {
				if n.Attrs == nil {
					n.Attrs = make(map[string]string, len(t.Attr))
				}
				n.Attrs[a.Name.Local] = a.Value
			}
			if len(stack) > 0 {
				p := stack[len(stack)-1]
				p.Kids = append(p.Kids, n)
			} else if root == nil {
				root = n
			}
			stack = append(stack, n)
		case xml.EndElement:
			if len(stack) == 0 {
				return nil, fmt.Errorf("</%s> without its start", t.Name.Local)
			}
			n := stack[len(stack)-1]
			n.Text = strings.TrimSpace(n.Text)
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if len(stack) > 0 {
				stack[len(stack)-1].Text += string(t)
			}
		}
	}
	if root == nil {
		return nil, errors.New("no XML element in it")
	}
	if len(stack) > 0 {
		return nil, fmt.Errorf("<%s> is not closed", stack[len(stack)-1].Name)
	}
	return root, nil
}

// decode turns UTF-16 (with byte order mark) into UTF-8 and takes a
// UTF-8 mark away; done says that the declared encoding no longer counts.
func decode(data []byte) (out []byte, done bool) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return data[3:], true
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		big := data[0] == 0xfe
		u := make([]uint16, 0, len(data)/2)
		for i := 2; i+1 < len(data); i += 2 {
			a, b := uint16(data[i]), uint16(data[i+1])
			if big {
				u = append(u, a<<8|b)
			} else {
				u = append(u, b<<8|a)
			}
		}
		return []byte(string(utf16.Decode(u))), true
	case !utf8.Valid(data):
		// The declaration may say UTF-8 or nothing and be wrong.
		head := strings.ToLower(string(data[:min(len(data), 200)]))
		i := strings.Index(head, "encoding")
		if i < 0 || strings.Contains(head[i:], "utf-8") {
			return latin1(data), true
		}
	}
	return data, false
}

func latin1(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/8)
	for _, c := range data {
		out = utf8.AppendRune(out, rune(c))
	}
	return out
}

// charsetReader knows the single-byte encodings of western build files; any
// other is read as Latin 1, which is right for all ASCII in it.
func charsetReader(charset string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "utf-8", "utf8", "us-ascii", "ascii":
		return in, nil
	}
	data, err := io.ReadAll(io.LimitReader(in, 2*bounded.Text))
	if err != nil {
		return nil, err
	}
	return bytes.NewReader(latin1(data)), nil
}

// Kid returns the first child of that name; nil-safe, nil if none.
func (n *Node) Kid(name string) *Node {
	if n == nil {
		return nil
	}
	for _, k := range n.Kids {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// At follows a path of child names.
func (n *Node) At(path ...string) *Node {
	for _, p := range path {
		n = n.Kid(p)
	}
	return n
}

// TextAt is the text of the child of that name, "" if none.
func (n *Node) TextAt(path ...string) string {
	if k := n.At(path...); k != nil {
		return k.Text
	}
	return ""
}

// KidsAt returns the children below a path.
func (n *Node) KidsAt(path ...string) []*Node {
	if k := n.At(path...); k != nil {
		return k.Kids
	}
	return nil
}

// Clone copies the tree.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Kids = make([]*Node, len(n.Kids))
	for i, k := range n.Kids {
		c.Kids[i] = k.Clone()
	}
	return &c
}
