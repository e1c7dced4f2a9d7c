package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/filetree"
)

// This file takes judgements back out of catchlens.toml.

var (
	infeasibleHead = regexp.MustCompile(`^\s*\[\[\s*infeasible\s*\]\]`)
	tableHead      = regexp.MustCompile(`^\s*\[`)
)

// RemoveInfeasible takes every judgement that drop accepts out of the catchlens.toml in
// dir, and leaves everything else byte for byte. It is no error if there is
// none. It refuses, naming the file, when the result would not parse or would
// say anything else differently.
func RemoveInfeasible(dir string, drop func(Infeasible) bool) error {
	file := filepath.Join(dir, ConfigName)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	old, err := bounded.Read(file, maxConfigSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("cannot change %s: %s", file, filetree.Reason(err))
	}
	before, _ := ParseConfig(file, old)
	text := withoutJudgement(string(old), func(block string) bool {
		c, _ := ParseConfig(file, []byte(block))
		return len(c.Infeasible) == 1 && drop(c.Infeasible[0])
	})
	after, _ := ParseConfig(file, []byte(text))
	left := 0
	for _, j := range before.Infeasible {
		if !drop(j) {
			left++
		}
	}
	if len(after.Infeasible) != left || len(after.Accept) != len(before.Accept) ||
		len(after.Module) != len(before.Module) {
		return fmt.Errorf("cannot change %s: take the judgement out by hand", file)
	}
	return replaceFile(file, []byte(text))
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
