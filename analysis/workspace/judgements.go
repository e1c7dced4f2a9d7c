package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// This file takes judgements back out of catchlens.toml.

var (
	infeasibleHead = regexp.MustCompile(`^\s*\[\[\s*infeasible\s*\]\]`)
	tableHead      = regexp.MustCompile(`^\s*\[`)
)

// RemoveInfeasible takes every judgement of a link out of the catchlens.toml in
// dir, and leaves everything else byte for byte. It is no error if there is
// none. It refuses, naming the file, when the result would not parse or would
// say anything else differently.
func RemoveInfeasible(dir, link string) error {
	file := filepath.Join(dir, ConfigName)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	old, err := readBounded(file, maxConfigSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("cannot change %s: %s", file, plainErr(err))
	}
	before, _ := ParseConfig(file, old)
	text := withoutJudgement(string(old), func(block string) bool {
		c, _ := ParseConfig(file, []byte(block))
		return len(c.Infeasible) == 1 && c.Infeasible[0].Link == link
	})
	after, _ := ParseConfig(file, []byte(text))
	left := 0
	for _, j := range before.Infeasible {
		if j.Link != link {
			left++
		}
	}
	if len(after.Infeasible) != left || len(after.Accept) != len(before.Accept) || len(after.Module) != len(before.Module) {
		return fmt.Errorf("cannot change %s: take the judgement of %s out by hand", file, link)
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	return os.WriteFile(file, []byte(text), mode)
}

// withoutJudgement drops the [[infeasible]] blocks that drop accepts; a block
// reaches to the next table head.
func withoutJudgement(text string, drop func(block string) bool) string {
	var out, block strings.Builder
	inside := false
	end := func() {
		if b := block.String(); !drop(b) {
			out.WriteString(b)
		}
		block.Reset()
	}
	for _, line := range strings.SplitAfter(text, "\n") {
		if inside && tableHead.MatchString(line) {
			end()
			inside = false
		}
		if infeasibleHead.MatchString(line) {
			inside = true
		}
		if inside {
			block.WriteString(line)
		} else {
			out.WriteString(line)
		}
	}
	if inside {
		end()
	}
	return out.String()
}
