package repocheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Steps say how long they and all have left, by estimates at first and then by the last run; what a
// step that fails took is not kept.
func TestStepsSayWhatIsLeft(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are for bash")
	}
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("..", "..", "scripts", "steps.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"scripts/steps.sh": string(text),
		"scripts/durations.txt": "# PLAN SECONDS NAME\nmine 3000 it's one\nmine 200 two\nmine 7 gone\n" +
			"later 600 x\nlater 60 y\n",
		"run.sh": `set -euo pipefail
. scripts/steps.sh
step_every=1
plan mine
step "it's one" sleep "$1"
step "two" false
step "new" true
finish
`} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(sleep string) string {
		cmd := exec.Command("bash", "run.sh", sleep)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "STEPS_AFTER=later")
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 1 {
			t.Errorf("exit code %d: %v", code, err)
		}
		return string(out)
	}
	first := run("1.5")
	for _, want := range []string{"==> it's one (about 50 min left, 64 min in all)\n",
		"--> it's one, after 1 s: about 50 min left, 64 min in all\n",
		"==> two (about 3 min left, 14 min in all)\n",
		"==> new (it is not known how long it takes; then 11 min left)\n",
		"two                                FAILED "} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in\n%s", want, first)
		}
	}
	kept, err := os.ReadFile(filepath.Join(dir, "build", "durations"))
	want := regexp.MustCompile(`\Amine \d+ it's one\nmine 200 two\nmine \d new\nmine 7 gone\n\z`)
	if err != nil || !want.Match(kept) {
		t.Errorf("kept is %q, %v", kept, err)
	}
	if again := run("0"); strings.Contains(again, "50 min") || strings.Contains(again, "not known") {
		t.Errorf("the second run does not know what the first one took:\n%s", again)
	}
}

// Where nothing can be kept, the steps end as they would; and what counts the minutes ends with its
// step, with the sleep that it waits for.
func TestStepsWhereNothingIsKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are for bash")
	}
	dir, every := t.TempDir(), strconv.Itoa(1000+os.Getpid()) // no other process sleeps for so long
	sleep := "sleep " + every
	text, err := os.ReadFile(filepath.Join("..", "..", "scripts", "steps.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "scripts"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"scripts/steps.sh": string(text), "build": "no folder",
		"run.sh": `set -euo pipefail
. scripts/steps.sh
step_every=` + every + `
plan mine
step "one" sleep 0.3
finish
`} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("bash", "run.sh")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "STEPS_AFTER=")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "\nsteps:\n  one                                ok ") {
		t.Errorf("%v\n%s", err, out)
	}
	for left := 20; ; left-- { // what is killed is gone a little later
		all, err := exec.Command("ps", "-eo", "args").Output()
		if err == nil && !strings.Contains(string(all), "\n"+sleep+"\n") {
			break
		}
		if time.Sleep(100 * time.Millisecond); left == 0 {
			t.Fatalf("%v, %q is left", err, sleep)
		}
	}
}
