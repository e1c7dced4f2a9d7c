package main

import (
	"slices"
	"testing"
)

// What may come next are commands, flags, and values that are listed; else it is a file's name.
func TestCompletions(t *testing.T) {
	for _, c := range []struct {
		words, want []string
	}{
		{nil, nil},
		{[]string{"co"}, []string{"coverage", "compare", "completion"}},
		{[]string{"complet"}, []string{"completion"}}, // without the command that scripts call
		{[]string{"completion", ""}, []string{"bash", "zsh", "fish"}},
		{[]string{"completion", "bash", ""}, nil},
		{[]string{"analyze", ""}, nil}, // a folder
		{[]string{"analyze", "--for"}, []string{"--format"}},
		{[]string{"analyze", "--format", ""}, []string{"text", "json", "sarif", "html"}},
		{[]string{"analyze", "--format", "h"}, []string{"html"}},
		{[]string{"analyze", "--format=s"}, []string{"--format=sarif"}},
		{[]string{"analyze", "--format=json", "--al"}, []string{"--all"}},
		{[]string{"analyze", "--all", "--format", "t"}, []string{"text"}}, // --all takes no value
		{[]string{"report", "-o", ""}, nil},
		{[]string{"report", "-o", "x", "--format", "j"}, []string{"json"}},
		{[]string{"analyze", "--cpu"}, nil}, // hidden
		{[]string{"dump", "l"}, []string{"links"}},
		{[]string{"dump", "links", ""}, nil},
		{[]string{"nothing", "--for"}, nil},
	} {
		if got := completions(model(t).Node, c.words); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
}
