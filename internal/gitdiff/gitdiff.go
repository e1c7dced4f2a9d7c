// Package gitdiff asks git which lines of a folder have changed since a commit.
package gitdiff

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/internal/bounded"
)

// Lines are the lines (from 1) that are new or other than in a commit, by the paths of their files,
// which are relative to the folder with '/' separators. The commit is the last one that the base
// and what is checked out have in common; sources that git does not follow yet are new as a whole.
// The error says why git does not tell.
func Lines(ctx context.Context, dir, base string) (map[string]map[int]bool, error) {
	since, err := git(ctx, dir, "merge-base", "HEAD", "--end-of-options", base)
	if err != nil {
		return nil, err
	}
	diff, err := git(ctx, dir, "-c", "core.quotePath=false", "diff", "--relative", "--unified=0",
		"--inter-hunk-context=0", "--text", "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/",
		"--dst-prefix=b/", "--find-renames",
		strings.TrimSpace(string(since)), "--", ".")
	if err != nil {
		return nil, err
	}
	lines, err := parse(diff)
	if err != nil {
		return nil, err
	}
	others, err := git(ctx, dir, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Split(string(others), "\x00") {
		if filepath.Ext(name) != ".java" {
			continue
		}
		text, err := bounded.Read(filepath.Join(dir, filepath.FromSlash(name)), bounded.Source)
		if err != nil {
			continue // an editor's lock, a device, more than the analysis reads
		}
		add(lines, name, 1, bytes.Count(text, []byte("\n"))+1)
	}
	return lines, nil
}

// git runs git in a folder as its configuration cannot change: it starts no program that watches
// files, and no variable of the environment asks for context.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_DIFF_OPTS=")
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		said, _, _ := strings.Cut(strings.TrimSpace(string(failed.Stderr)), "\n")
		if said == "" {
			said = "git " + args[0] + " finds nothing"
		}
		return nil, errors.New(said)
	}
	return out, err
}

func add(lines map[string]map[int]bool, file string, first, count int) {
	if count == 0 {
		return
	}
	if lines[file] == nil {
		lines[file] = map[int]bool{}
	}
	for n := range count {
		lines[file][first+n] = true
	}
}

// parse reads a diff.
func parse(diff []byte) (map[string]map[int]bool, error) {
	lines := map[string]map[int]bool{}
	file := ""
	r := bufio.NewReader(bytes.NewReader(diff))
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return lines, nil
		}
		line = strings.TrimSuffix(line, "\n")
		switch name, isName := strings.CutPrefix(line, "+++ "); {
		case isName:
			// git ends a name that has a space with a tab, and quotes one with a control character.
			if file, err = strconv.Unquote(name); err != nil {
				file = strings.TrimSuffix(name, "\t")
			}
			file = strings.TrimPrefix(file, "b/")
		case strings.HasPrefix(line, "@@ "):
			f := strings.Fields(line)
			if len(f) < 4 {
				return nil, fmt.Errorf("git diff: %q", line)
			}
			_, gone, err := span(f[1])
			first, count, err2 := span(f[2])
			if err = errors.Join(err, err2); err != nil {
				return nil, fmt.Errorf("git diff: %q: %w", line, err)
			}
			if err := hunk(r, gone, count, func(n int) { add(lines, file, first+n, 1) }); err != nil {
				return nil, fmt.Errorf("git diff: %q: %w", line, err)
			}
		}
	}
}

// hunk reads the lines of a hunk, so many of the base and of what is there now, and calls added
// with the places of those that only the latter has, counted from 0.
func hunk(r *bufio.Reader, base, now int, added func(n int)) error {
	for b, n := 0, 0; b < base || n < now; {
		line, err := r.ReadString('\n')
		if err != nil {
			return io.ErrUnexpectedEOF
		}
		switch line[0] {
		case '-':
			b++
		case '+':
			added(n)
			n++
		case '\\': // there is no line break at the end of the file
		default:
			b, n = b+1, n+1
		}
	}
	return nil
}

// span reads the place of a hunk: -1,2 or +3.
func span(text string) (first, count int, err error) {
	begin, length, has := strings.Cut(text[1:], ",")
	count = 1
	if has {
		if count, err = strconv.Atoi(length); err != nil {
			return 0, 0, err
		}
	}
	first, err = strconv.Atoi(begin)
	return first, count, err
}
