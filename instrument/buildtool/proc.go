package buildtool

// This file runs processes that end with their descendants.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/catchlens/catchlens/internal/sandbox"
)

// tail keeps the last bytes that were written to it.
type tail struct {
	mu   sync.Mutex
	buf  []byte
	max  int
	line func(string) // called for each full line, may be nil
	part []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.max; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	if t.line != nil {
		t.part = append(t.part, p...)
		for {
			i := bytes.IndexByte(t.part, '\n')
			if i < 0 {
				break
			}
			t.line(strings.TrimRight(string(t.part[:i]), "\r"))
			t.part = t.part[i+1:]
		}
		if len(t.part) > 64<<10 {
			t.part = nil
		}
	}
	return len(p), nil
}

// lastLines returns the last n non-empty lines, without terminal escapes.
func (t *tail) lastLines(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, l := range strings.Split(string(t.buf), "\n") {
		if l = strings.TrimRight(cleanLine(l), " \t\r"); l != "" {
			out = append(out, l)
		}
	}
	if len(out) > n {
		out = out[len(out)-n:]
	}
	return strings.Join(out, "\n")
}

// helpText are the lines of Maven's errors that say where to read about errors.
var helpText = regexp.MustCompile(`^\[ERROR\]( *| To see the full stack trace.*| Re-run Maven.*| For more information.*| \[Help \d+\] .*)$`)

// complaint is what a build tool says went wrong, in at most n lines: Maven's errors, Gradle's
// paragraph, or of another output the end.
func complaint(said string, n int) string {
	lines := strings.Split(said, "\n")
	var errs []string
	for _, l := range lines {
		if strings.HasPrefix(l, "[ERROR]") && !helpText.MatchString(l) && !slices.Contains(errs, l) {
			errs = append(errs, l)
		}
	}
	if len(errs) > 0 {
		return strings.Join(errs[:min(n, len(errs))], "\n")
	}
	if from := slices.Index(lines, "* What went wrong:"); from >= 0 {
		if lines = lines[from+1:]; slices.Contains(lines, "* Try:") {
			lines = lines[:slices.Index(lines, "* Try:")]
		}
		return strings.Join(lines[:min(n, len(lines))], "\n")
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// cleanLine removes terminal escape sequences and control characters.
func cleanLine(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == 0x1b {
			i++
			if i < len(s) && s[i] == '[' {
				for i++; i < len(s) && (s[i] < 0x40 || s[i] > 0x7e); i++ {
				}
			}
			continue
		}
		if c >= 0x20 && c != 0x7f || c == '\t' {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// toolRun is one run of a build tool.
type toolRun struct {
	dir    string
	argv   []string
	env    []string
	output *tail
	stdin  io.Reader
}

// lateOutput is how long what a tool printed may take to arrive after its end.
const lateOutput = 3 * time.Second

// run executes a tool and waits for it. When ctx ends, the whole process tree
// ends. The error names the tool and carries what it complains of.
func (r toolRun) run(ctx context.Context) error {
	in, err := feed(r.stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	out, printed, err := drain(r.output)
	if err != nil {
		return err
	}
	p, err := startTree(sandbox.Command{Path: r.argv[0], Args: r.argv[1:], Dir: r.dir, Env: r.env,
		Stdin: in, Stdout: out, Stderr: out})
	out.Close()
	if err != nil {
		return fmt.Errorf("cannot start %s: %w", r.argv[0], err)
	}
	var exit sandbox.Exit
	select {
	case <-p.Done():
		exit = p.Wait()
	case <-ctx.Done():
		p.Kill()
		return context.Cause(ctx)
	}
	select {
	case <-printed:
	case <-time.After(lateOutput):
	}
	if exit.Code != 0 {
		return fmt.Errorf("%s failed (%s):\n%s", r.argv[0], exitText(exit), complaint(r.output.lastLines(400), 15))
	}
	return nil
}

// startTree starts a program, looked for as shells do, that may write anywhere. It ends with all
// that it has started: when it is killed, when it ends by itself, and when this process does.
func startTree(c sandbox.Command) (*sandbox.Process, error) {
	path, err := exec.LookPath(c.Path)
	if err != nil {
		return nil, err
	}
	if c.Path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	c.Prefer = sandbox.None
	return sandbox.Start(c)
}

// exitText is how a process ended, in the words of package os.
func exitText(e sandbox.Exit) string {
	switch {
	case e.Err != "":
		return e.Err
	case e.Signal != 0:
		return fmt.Sprintf("ended by signal %d", e.Signal)
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// feed is a file from which a process reads what r has; nothing where r is nil.
func feed(r io.Reader) (*os.File, error) {
	if r == nil {
		r = strings.NewReader("")
	}
	in, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() {
		io.Copy(theirs, r) // a process that reads no further breaks the pipe
		theirs.Close()
	}()
	return in, nil
}

// drain is a file into which processes print what then goes to w; printed is closed when all of
// them have ended.
func drain(w io.Writer) (out *os.File, printed <-chan struct{}, err error) {
	from, out, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	done := make(chan struct{})
	go func() {
		io.Copy(w, from)
		from.Close()
		close(done)
	}()
	return out, done, nil
}

// cleanEnv is the environment without the variables that make every JVM print
// or load something, plus the given settings.
func cleanEnv(set ...string) []string {
	drop := map[string]bool{"JAVA_TOOL_OPTIONS": true, "_JAVA_OPTIONS": true, "JDK_JAVA_OPTIONS": true,
		"JDK_JAVAC_OPTIONS": true, "CLASSPATH": true}
	for _, s := range set {
		k, _, _ := strings.Cut(s, "=")
		drop[k] = true
	}
	var env []string
	for _, e := range os.Environ() {
		k, _, _ := strings.Cut(e, "=")
		if !drop[k] {
			env = append(env, e)
		}
	}
	return append(env, set...)
}
