package javasource

// This file reads class files for the tests.

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
)

// readClasses reads the facts of all class files below a folder.
func readClasses(t testing.TB, dir string) []*facts.Class {
	t.Helper()
	var all []*facts.Class
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".class" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all = append(all, factsOf(t, path, data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// factsOf reads the facts of one class file.
func factsOf(t testing.TB, path string, data []byte) *facts.Class {
	t.Helper()
	c, err := classfile.Parse(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	r, problems := facts.FromClass(c, data, facts.Options{})
	for _, p := range problems {
		t.Errorf("%s: %v", path, p)
	}
	return r
}
