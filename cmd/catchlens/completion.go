package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// This file completes command lines. The scripts for shells ask the program what may come next, so
// that they know its commands and flags without a list of their own.

//go:embed completion/catchlens.bash
var bashCompletion string

//go:embed completion/catchlens.zsh
var zshCompletion string

//go:embed completion/catchlens.fish
var fishCompletion string

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completionCmd) Run() error {
	fmt.Print(map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell])
	return nil
}

// completeCmd is what the scripts call.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"The words after the program's name, the last one perhaps not complete."`
}

func (c *completeCmd) Run(app *kong.Kong) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	for _, s := range completions(app.Model.Node, words) {
		fmt.Println(s)
	}
	return nil
}

// completions lists what the last of some words can become: a command, a flag, or one of the values
// that a flag or an argument can have, in the order of the help. Nothing means that it is a file,
// or that there is nothing to complete.
func completions(node *kong.Node, words []string) (out []string) {
	if len(words) == 0 {
		return nil
	}
	last := words[len(words)-1]
	var open *kong.Flag // the flag before a word that is its value
	position := 0
	for _, w := range words[:len(words)-1] {
		switch {
		case open != nil:
			open = nil
		case strings.HasPrefix(w, "-"):
			if f := flagOf(node, w); f != nil && !f.IsBool() && !strings.Contains(w, "=") {
				open = f
			}
		default:
			if i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == w }); i >= 0 {
				node = node.Children[i]
			} else {
				position++
			}
		}
	}
	add := func(prefix string, names ...string) {
		for _, n := range names {
			if n != "" && strings.HasPrefix(prefix+n, last) {
				out = append(out, prefix+n)
			}
		}
	}
	name, _, assigned := strings.Cut(last, "=")
	switch {
	case open != nil:
		add("", values(open.Value)...)
	case strings.HasPrefix(last, "-") && assigned:
		if f := flagOf(node, name); f != nil {
			add(name+"=", values(f.Value)...)
		}
	case strings.HasPrefix(last, "-"):
		for _, f := range node.Flags {
			if !f.Hidden {
				add("--", f.Name)
			}
		}
	default:
		for _, c := range node.Children {
			if !c.Hidden {
				add("", c.Name)
			}
		}
		if position < len(node.Positional) {
			add("", values(node.Positional[position])...)
		}
	}
	return out
}

// flagOf is the flag of a command, or of the program, that a word names: --format, --format=json,
// -o; nil for none.
func flagOf(node *kong.Node, word string) *kong.Flag {
	name, _, _ := strings.Cut(word, "=")
	for n := node; n != nil; n = n.Parent {
		for _, f := range n.Flags {
			if name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short) {
				return f
			}
		}
	}
	return nil
}

// values are those that a flag or argument can have, if they are listed.
func values(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}
