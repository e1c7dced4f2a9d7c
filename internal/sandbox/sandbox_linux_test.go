package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// run runs a shell script confined to one folder and returns what it printed.
func run(t *testing.T, prefer Kind, dir, script string) (string, Exit, Confinement) {
	t.Helper()
	p, out := start(t, prefer, dir, script)
	e := p.Wait()
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), e, p.Confinement
}

func start(t *testing.T, prefer Kind, dir, script string) (*Process, string) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p, err := Start(Command{Path: "/bin/sh", Args: []string{"-c", script}, Env: os.Environ(), Dir: dir,
		Stdout: out, Stderr: out, Write: []string{dir}, Prefer: prefer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Kill() })
	return p, out.Name()
}

func TestConfinesWrites(t *testing.T) {
	for _, kind := range []Kind{Both, Landlock, Namespace} {
		t.Run(string(kind), func(t *testing.T) {
			dir, outside := t.TempDir(), t.TempDir()
			os.WriteFile(filepath.Join(outside, "precious"), []byte("x"), 0o666)
			out, e, c := run(t, kind, dir, `
				echo hello > inside && mv inside moved && mkdir d && mv moved d/ && echo wrote
				echo x > /dev/null && echo null
				cat `+outside+`/precious && echo read
				echo y > `+outside+`/new || echo denied
				rm -f `+outside+`/precious || echo kept`)
			if c.Kind != kind {
				if os.Getenv("CI") == "" && c.Kind == None {
					t.Skipf("not available here: %s", c.Why)
				}
				t.Fatalf("confinement is %+v", c)
			}
			for _, want := range []string{"wrote", "null", "read", "denied", "kept"} {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in output:\n%s", want, out)
				}
			}
			if _, err := os.Stat(filepath.Join(outside, "precious")); err != nil {
				t.Error(err)
			}
			if e.Code != 0 || e.Signal != 0 {
				t.Errorf("exit is %+v", e)
			}
		})
	}
}

// What runs in the background leaves the processors to others, whatever confines it, and the helper
// stays as quick as it was to end it.
func TestBackground(t *testing.T) {
	for _, kind := range []Kind{"", Landlock, None} {
		for background, want := range map[bool]string{true: "10", false: ""} {
			out, err := os.CreateTemp(t.TempDir(), "out")
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			if want == "" {
				own, err := exec.Command("nice").Output()
				if err != nil {
					t.Fatal(err)
				}
				want = strings.TrimSpace(string(own))
			}
			p, err := Start(Command{Path: "/bin/sh", Args: []string{"-c", "nice"}, Env: os.Environ(), Dir: t.TempDir(),
				Stdout: out, Stderr: out, Prefer: kind, Background: background})
			if err != nil {
				t.Fatal(err)
			}
			p.Wait()
			if got, _ := os.ReadFile(out.Name()); strings.TrimSpace(string(got)) != want {
				t.Errorf("%q, in the background %v: nice is %q, want %s", kind, background, got, want)
			}
		}
	}
}

// A descendant that leaves its session, its parent and its process group still
// ends with the process.
func TestKillsDetached(t *testing.T) {
	dir := t.TempDir()
	_, e, _ := run(t, "", dir, `(setsid sh -c 'echo $$ > pid; sleep 300' >/dev/null 2>&1 &) ; while ! test -s pid; do sleep 0.01; done; exit 7`)
	if e.Code != 7 || e.Left == 0 {
		t.Errorf("exit is %+v, want code 7 and something left behind", e)
	}
	pid, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + strings.TrimSpace(string(pid))); err == nil {
		t.Errorf("process %s lives on", pid)
	}
}

func TestKill(t *testing.T) {
	dir := t.TempDir()
	p, _ := start(t, "", dir, `sleep 300 & sleep 300`)
	begin := time.Now()
	if e := p.Kill(); e.Signal != 9 {
		t.Errorf("exit is %+v, want signal 9", e)
	}
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("killing took %v", d)
	}
	if e := p.Kill(); e.Signal != 9 {
		t.Errorf("second kill: %+v", e)
	}
}

// The process cannot end its helper, so it cannot escape being waited for.
func TestCannotKillHelper(t *testing.T) {
	if landlockABI() < 6 {
		t.Skip("signals are not scoped before ABI 6")
	}
	_, e, _ := run(t, Landlock, t.TempDir(), `kill -9 $PPID || exit 5`)
	if e.Code != 5 {
		t.Errorf("exit is %+v, want code 5", e)
	}
}

func TestStartFails(t *testing.T) {
	_, err := Start(Command{Path: "/nonexistent/java", Dir: t.TempDir(), Write: []string{t.TempDir()}})
	if err == nil || !strings.Contains(err.Error(), "/nonexistent/java") {
		t.Errorf("error is %v", err)
	}
	_, err = Start(Command{Path: "/bin/true", Dir: t.TempDir(), Write: []string{"/nonexistent/dir"}, Prefer: Landlock})
	if err != nil {
		t.Logf("a folder that does not exist: %v", err)
	}
}

// What the helper's end looks like from outside: nothing is said, or nobody reads.
func TestHelperEnds(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := readStatus(bufio.NewScanner(strings.NewReader(""))); !errors.Is(err, ErrHelperEnded) {
		t.Errorf("nothing was said: %v", err)
	}
	r.Close()
	if err := sendLine(w, []byte("{}")); !errors.Is(err, ErrHelperEnded) {
		t.Errorf("nobody reads: %v", err)
	}
}

// A process whose helper is killed has been killed.
func TestHelperKilled(t *testing.T) {
	p, _ := start(t, "", t.TempDir(), `sleep 300`)
	if err := p.helper.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if e := p.Wait(); e.Signal != 9 {
		t.Errorf("exit is %+v, want signal 9", e)
	}
	for range 100 {
		if _, err := os.Stat(fmt.Sprint("/proc/", p.PID)); err != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("process %d lives on", p.PID)
}
