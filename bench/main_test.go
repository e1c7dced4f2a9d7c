package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each folder with a function Run is a subcommand, and each subcommand is such a folder.
func TestMeasurements(t *testing.T) {
	var folders, names []string
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc Run(args []string) error {") {
			folders = append(folders, filepath.Dir(file))
		}
	}
	for _, m := range measurements {
		names = append(names, m.name)
	}
	slices.Sort(names)
	if !slices.Equal(folders, names) {
		t.Errorf("folders with a Run: %q, subcommands: %q", folders, names)
	}
}

// What pages, scripts and comments tell one to run is there.
func TestNamedMeasurements(t *testing.T) {
	out, err := exec.Command("git", "-C", "..", "grep", "-hIE", `go run \./bench`, "--", ":!bench/main*.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`go run \./bench(\S*)\s*([^\s`+"`"+`]*)`).FindAllStringSubmatch(string(out), -1)
	for _, m := range all {
		named := slices.ContainsFunc(measurements, func(known measurement) bool { return known.name == m[2] })
		if m[1] != "" || !named && m[2] != "NAME" {
			t.Errorf("%q names no measurement", m[0])
		}
	}
	if len(all) < 10 {
		t.Errorf("only %d commands were found", len(all))
	}
}
