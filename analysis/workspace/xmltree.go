package workspace

// This file reads XML files (poms, settings, .classpath, .iml) into small
// trees, bounded, in the encodings that occur in the wild.

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"catchlens/internal/bounded"
)

// Bounds of an XML file.
const (
	maxXMLDepth = 200
	maxXMLNodes = 300_000
)

// node is an XML element: local name, attributes, trimmed text, children.
type node struct {
	name  string
	text  string
	attrs map[string]string
	kids  []*node
	line  int // 1-based
}

// parseXML reads a document. HTML entities are known, undefined ones are kept
// as text: poms in repositories contain both. External entities are never
// read.
func parseXML(data []byte) (*node, error) {
	root, err := parseXMLStrict(data, true)
	if err != nil && strings.Contains(err.Error(), "character entity") {
		return parseXMLStrict(data, false)
	}
	return root, err
}

func parseXMLStrict(data []byte, strict bool) (*node, error) {
	data, declared := decodeXMLBytes(data)
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Strict = strict
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		if declared {
			return in, nil // already UTF-8
		}
		return charsetReader(charset, in)
	}
	var stack []*node
	var root *node
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
			if count++; count > maxXMLNodes || len(stack) >= maxXMLDepth {
				return nil, fmt.Errorf("more than %d elements or %d levels", maxXMLNodes, maxXMLDepth)
			}
			line, _ := dec.InputPos()
			n := &node{name: t.Name.Local, line: line}
			for _, a := range t.Attr {
				if n.attrs == nil {
					n.attrs = make(map[string]string, len(t.Attr))
				}
				n.attrs[a.Name.Local] = a.Value
			}
			if len(stack) > 0 {
				p := stack[len(stack)-1]
				p.kids = append(p.kids, n)
			} else if root == nil {
				root = n
			}
			stack = append(stack, n)
		case xml.EndElement:
			if len(stack) == 0 {
				return nil, fmt.Errorf("</%s> without its start", t.Name.Local)
			}
			n := stack[len(stack)-1]
			n.text = strings.TrimSpace(n.text)
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if len(stack) > 0 {
				stack[len(stack)-1].text += string(t)
			}
		}
	}
	if root == nil {
		return nil, errors.New("no XML element in it")
	}
	if len(stack) > 0 {
		return nil, fmt.Errorf("<%s> is not closed", stack[len(stack)-1].name)
	}
	return root, nil
}

// decodeXMLBytes turns UTF-16 (with byte order mark) into UTF-8 and takes a
// UTF-8 mark away; done says that the declared encoding no longer counts.
func decodeXMLBytes(data []byte) (out []byte, done bool) {
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

// kid returns the first child of that name; nil-safe, nil if none.
func (n *node) kid(name string) *node {
	if n == nil {
		return nil
	}
	for _, k := range n.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

// at follows a path of child names.
func (n *node) at(path ...string) *node {
	for _, p := range path {
		n = n.kid(p)
	}
	return n
}

// str is the text of the child of that name, "" if none.
func (n *node) str(path ...string) string {
	if k := n.at(path...); k != nil {
		return k.text
	}
	return ""
}

// list returns the children below a path.
func (n *node) list(path ...string) []*node {
	if k := n.at(path...); k != nil {
		return k.kids
	}
	return nil
}

// clone copies the tree.
func (n *node) clone() *node {
	if n == nil {
		return nil
	}
	c := *n
	c.kids = make([]*node, len(n.kids))
	for i, k := range n.kids {
		c.kids[i] = k.clone()
	}
	return &c
}

// mergeConfig merges plug-in configurations as Maven does: the dominant tree
// wins, combine.children="append" appends, combine.self="override" cuts off.
// Neither argument is changed.
func mergeConfig(dominant, recessive *node) *node {
	if dominant == nil {
		return recessive.clone()
	}
	if recessive == nil || dominant.attrs["combine.self"] == "override" {
		return dominant.clone()
	}
	out := *dominant
	if out.text == "" && len(dominant.kids) == 0 {
		out.text = recessive.text
	}
	out.kids = nil
	if dominant.attrs["combine.children"] == "append" {
		for _, k := range recessive.kids {
			out.kids = append(out.kids, k.clone())
		}
		for _, k := range dominant.kids {
			out.kids = append(out.kids, k.clone())
		}
		return &out
	}
	used := map[string]int{} // recessive children seen of each name
	partner := map[*node]*node{}
	var extra []*node
	for _, r := range recessive.kids {
		var same []*node
		for _, d := range dominant.kids {
			if d.name == r.name {
				same = append(same, d)
			}
		}
		switch i := used[r.name]; {
		case len(same) == 0:
			extra = append(extra, r.clone())
		case i < len(same):
			partner[same[i]] = r
		}
		used[r.name]++
	}
	for _, d := range dominant.kids {
		if d.attrs["combine.self"] == "remove" {
			continue
		}
		out.kids = append(out.kids, mergeConfig(d, partner[d]))
	}
	out.kids = append(out.kids, extra...)
	return &out
}
