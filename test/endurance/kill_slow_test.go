//go:build slow

package endurance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/test/scratch"
)

// killMain has a catch of each verdict.
const killMain = `package p;

import java.io.IOException;

public class Kill {
    static void check(String s) throws IOException {
        if (s.isEmpty()) throw new IOException("empty");
    }

    public static int independent(String s) {
        try { check(s); return s.length(); } catch (IOException e) { return 0; }
    }

    public static int dependent(String s) {
        String seen = null;
        try { seen = s.trim(); check(seen); return 1; } catch (IOException e) { return seen.length(); }
    }

    public static String resilient(String s) {
        try { check(s); return s + "!"; } catch (IOException e) { return s + "!"; }
    }
}
`

// killTests are four classes.
func killTests() map[string]string {
	classes := map[string]string{}
	for i := range 4 {
		name := fmt.Sprintf("Kill%dTest", i)
		classes[name] = `package p;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ` + name + ` {
    @Test public void length() { assertEquals(3, Kill.independent("abc")); }
    @Test public void empty() { assertEquals(0, Kill.independent("")); }
    @Test public void blank() { assertEquals(0, Kill.dependent(" ")); }
    @Test public void resilient() throws Exception { Thread.sleep(20); assertEquals("a!", Kill.resilient("a")); }
    @Test public void both() { assertEquals("!", Kill.resilient("")); assertEquals(1, Kill.dependent("a")); }
}
`
	}
	return classes
}

// TestKills ends the server, or one of the processes that it has started, at random
// moments of a run: no result that was finished is lost or another one afterwards, no
// process is left, and a run whose test JVM is killed ends as any other.
// CATCHLENS_KILLS is how often, CATCHLENS_SEED the seed.
func TestKills(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	k := &killer{t: t, dir: workspaceOf(t, map[string]string{"Kill": killMain}, killTests(), ""),
		cache: scratch.CacheDir(t), tmp: t.TempDir(),
		command: filepath.Join(t.TempDir(), "catchlens"),
		random:  rand.New(rand.NewPCG(uint64(scratch.Number(t, "CATCHLENS_SEED", 1)), 0))}
	if out, err := exec.Command("go", "build", "-o", k.command,
		"github.com/catchlens/catchlens/cmd/catchlens").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	before := tree(t, k.dir)
	began := time.Now()
	var first bytes.Buffer
	if err := k.start(&first).Wait(); err != nil {
		t.Fatal(err)
	}
	k.takes = time.Since(began)
	k.want = verdicts(t, first.Bytes())
	if len(k.want) != 3 {
		t.Fatalf("verdicts %v", k.want)
	}
	n := scratch.Number(t, "CATCHLENS_KILLS", 4)
	done := 0
	for ; done < n && !t.Failed(); done++ {
		k.once(done)
	}
	var last bytes.Buffer
	if err := k.start(&last).Wait(); err != nil {
		t.Fatal(err)
	}
	if got := verdicts(t, last.Bytes()); !maps.Equal(got, k.want) {
		t.Errorf("verdicts in the end %v, at first %v", got, k.want)
	}
	if tree(t, k.dir) != before {
		t.Error("the user's files are not what they were")
	}
	t.Logf("%d kills: %d of the server, %d of its processes; %d runs more were over before they met one", done,
		k.servers, k.others, k.late)
}

type killer struct {
	t                        *testing.T
	dir, cache, tmp, command string
	random                   *rand.Rand
	takes                    time.Duration // the last run that met no kill
	want                     map[string]string
	said                     bytes.Buffer // by the run
	servers, others, late    int
}

// start starts a run; its report goes to out.
func (k *killer) start(out *bytes.Buffer, args ...string) *exec.Cmd {
	k.said.Reset()
	child := exec.Command(k.command, append(append([]string{"run", "--format", "json", "-j", "2", "--cache", k.cache},
		args...), k.dir)...)
	child.Env = append(os.Environ(), "TMPDIR="+k.tmp)
	child.Stdout, child.Stderr = out, &k.said
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := child.Start(); err != nil {
		k.t.Fatal(err)
	}
	return child
}

// once kills one process at a random moment of a run of everything. A run that is over before
// counts as late and tells how long runs take, and the next one is tried.
func (k *killer) once(i int) {
	for !k.kills(i) && !k.t.Failed() {
		if k.late++; k.late > 20+k.servers+k.others {
			k.t.Fatalf("kill %d: most runs are over before they meet it", i)
		}
	}
}

// kills runs everything again and kills the server at a random moment of it, or one of the
// processes that it has started, there or when the first one is started after it; false: the run
// was over before.
func (k *killer) kills(i int) (met bool) {
	var out bytes.Buffer
	began := time.Now()
	child := k.start(&out, "--again")
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	moment := time.Duration(k.random.Int64N(int64(k.takes)))
	server, pick := k.random.IntN(2) == 0, k.random.IntN(1000)
	over := func(wait time.Duration) bool {
		select {
		case err := <-ended:
			ended <- err
			return true
		case <-time.After(wait):
			return false
		}
	}
	late := over(moment)
	known := k.recorded()
	what := "the server"
	for {
		if late = late || over(0); late {
			break
		}
		if server {
			child.Process.Kill()
			break
		}
		below := slices.DeleteFunc(processesOf(k.tmp), func(p process) bool { return p.pid == child.Process.Pid })
		if len(below) > 0 {
			if p := below[pick%len(below)]; syscall.Kill(p.pid, syscall.SIGKILL) == nil {
				what, met = p.line[:min(len(p.line), 60)], true
				break
			}
		}
		late = over(time.Millisecond)
	}
	err := <-ended
	where := fmt.Sprintf("kill %d, of %s after %v", i, what, moment)
	if killed := new(exec.ExitError); server && errors.As(err, &killed) &&
		killed.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		met = true
		k.servers++
	} else {
		if met {
			k.others++
		} else {
			k.takes = time.Since(began)
		}
		if err != nil {
			k.t.Errorf("%s: the run ends with %v\n%s", where, err, k.said.String())
		} else if got := verdicts(k.t, out.Bytes()); !maps.Equal(got, k.want) {
			k.t.Errorf("%s: verdicts %v, want %v", where, got, k.want)
		}
	}
	awaitNone(k.t, k.tmp, 30*time.Second)
	k.t.Logf("%s, met %v: %d results were finished", where, met, len(known))
	now := k.recorded()
	for key, was := range known {
		if is, ok := now[key]; !ok || is.outcome != was.outcome || is.at.Before(was.at) {
			k.t.Errorf("%s: %s was %s and is %s", where, key, was.outcome, is.outcome)
		}
	}
	return met
}

type entry struct {
	outcome record.Outcome
	at      time.Time
}

// recorded is what is known of each test and each injected run.
func (k *killer) recorded() map[string]entry {
	folders, _ := filepath.Glob(filepath.Join(k.cache, "results", "*"))
	if len(folders) != 1 {
		k.t.Fatalf("%d folders of results", len(folders))
	}
	store, err := results.Open(folders[0])
	if err != nil {
		k.t.Fatal(err)
	}
	defer store.Close()
	all := map[string]entry{}
	for _, r := range store.Runs() {
		all[r.Test] = entry{r.Outcome, r.At}
	}
	for _, c := range store.Cells() {
		all[strings.Join([]string{c.Catch, c.Type, c.Test}, " ")] = entry{c.Outcome, c.At}
	}
	return all
}

// verdicts are those of a report, by catch.
func verdicts(t *testing.T, report []byte) map[string]string {
	t.Helper()
	var r struct {
		Catches []struct {
			ID       string
			Contract struct {
				SourceIndependence, PureResilience string
				Stale                              bool
			}
		}
	}
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	all := map[string]string{}
	for _, c := range r.Catches {
		all[c.ID] = fmt.Sprint(c.Contract)
	}
	return all
}
