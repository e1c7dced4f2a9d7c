package xmltree

import (
	"strings"
	"testing"
)

// write renders a tree: name, attributes that a test knows, text, children.
func write(b *strings.Builder, n *Node) {
	b.WriteString("(" + n.Name)
	if a := n.Attrs["a"]; a != "" {
		b.WriteString(" a=" + a)
	}
	if n.Text != "" {
		b.WriteString(" " + n.Text)
	}
	for _, k := range n.Kids {
		write(b, k)
	}
	b.WriteString(")")
}

// Documents are read in the encodings that occur, with HTML's entities and unknown ones; what is no
// document, or too deep or large for one, is refused.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"<p><a a='1'> x </a><b/></p>":                            "(p(a a=1 x)(b))",
		"\xef\xbb\xbf<p>\xc3\xa9</p>":                            "(p é)",
		"<?xml version='1.0' encoding='ISO-8859-1'?><p>\xe9</p>": "(p é)",
		"<p>\xe9</p>": "(p é)",
		"\xff\xfe<\x00p\x00>\x00\xe9\x00<\x00/\x00p\x00>\x00":        "(p é)",
		"<p>&eacute;&unknown;</p>":                                   "(p é&unknown;)",
		"<!DOCTYPE p [<!ENTITY e SYSTEM 'file:///none'>]><p>&e;</p>": "(p &e;)",
		"":                                "",
		"<p><a></p>":                      "",
		"<p>":                             "",
		strings.Repeat("<d>", maxDepth+1): "",
		"<p>" + strings.Repeat("<d/>", maxNodes+1) + "</p>":        "",
		"<p>" + strings.Repeat("<d>", 3) + "</d></d></d>" + "</p>": "(p(d(d(d))))",
	} {
		var got strings.Builder
		root, err := Parse([]byte(text))
		if err == nil {
			write(&got, root)
		}
		if got.String() != want || (err != nil) != (want == "") {
			t.Errorf("%.60q: %s, %v; want %q", text, got.String(), err, want)
		}
	}
}

// Paths of names lead to children and texts, and to nothing where there is none.
func TestPaths(t *testing.T) {
	root, err := Parse([]byte("<p><a><b>one</b><b>two</b></a></p>"))
	if err != nil {
		t.Fatal(err)
	}
	if root.TextAt("a", "b") != "one" || root.TextAt("a", "c") != "" || len(root.KidsAt("a")) != 2 ||
		root.At("x", "b") != nil || (*Node)(nil).Kid("a") != nil {
		t.Error("a path leads elsewhere")
	}
	c := root.Clone()
	c.Kids[0].Kids[0].Text = "other"
	if root.TextAt("a", "b") != "one" {
		t.Error("a clone shares its children")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("<p><a a='1'>&eacute;</a></p>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if root, err := Parse(data); (root == nil) != (err != nil) {
			t.Errorf("a tree: %t, the error %v", root != nil, err)
		}
	})
}
