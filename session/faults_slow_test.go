//go:build slow

package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// ownFaults are the faults of the workspace in testdata/faults, right ones and wrong.
const ownFaults = `
[[fault]]
name = "remote-down"
method = "shop.Client.send"
exception = "shop.RemoteException"
message = "no answer"

[[fault]]
name = "no-numbers"
method = "java.util.UUID.fromString(Ljava/lang/String;)Ljava/util/UUID;"
exception = "java.lang.IllegalStateException"

[[fault]]
name = "no-clock"
method = "java.lang.System.nanoTime"
exception = "java.lang.UnsupportedOperationException"

[[fault]]
name = "store-lost"
method = "shop.Rare.store"
exception = "java.lang.IllegalStateException"

[[fault]]
name = "undeclared"
method = "shop.Rare.get"
exception = "shop.RemoteException"

[[fault]]
name = "no-class"
method = "shop.Missing.send"
exception = "shop.RemoteException"

[[fault]]
name = "no-method"
method = "shop.Client.post"
exception = "shop.RemoteException"

[[fault]]
name = "no-throwable"
method = "shop.Client.send"
exception = "java.lang.String"

[[fault]]
name = "disk-full"
method = "shop.Client.send"
exception = "shop.RemoteException"
`

// faultWorkspace lays out testdata/faults.
func faultWorkspace(t *testing.T, feature int, settings string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "faults"))); err != nil {
		t.Fatal(err)
	}
	files := func(folder string) []string {
		found, err := filepath.Glob(filepath.Join(dir, folder, "*", "*.java"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no sources in %s: %v", folder, err)
		}
		return found
	}
	scratch.Workspace(t, dir, testjdk.JDK(t, feature), 8, files("src"), files("test"), settings, testjdk.Javac)
	return dir
}

// ownLinks says what became of the links from faults of the user's own, as
// "Shop.order remote-down: experienced"; the outcome of several methods' is one.
func ownLinks(r *codelens.Report) (out []string) {
	for _, c := range r.Catches {
		method, _, _ := strings.Cut(c.Method, "(")
		for _, l := range c.Links {
			if l.ThrowSite.Fault != "" {
				out = append(out, strings.TrimPrefix(c.Class, "shop.")+"."+method+" "+l.ThrowSite.Fault+": "+l.Outcome)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Faults of the user's own come to catches from methods of the workspace, of the JDK and
// without code; a wrong one is a problem with its line.
func TestOwnFaults(t *testing.T) {
	for _, feature := range features() {
		t.Run(testName(feature), func(t *testing.T) {
			dir := faultWorkspace(t, feature, ownFaults)
			s := open(t, dir, scratch.CacheDir(t), true)
			sum, err := s.Run(t.Context(), session.Scope{Faults: "jvm"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d faults, notes %q", sum.Faults, sum.Notes)
			if sum.Unpredicted != 0 || sum.UnknownSites != 0 {
				t.Errorf("%d links not predicted, %d sites unknown", sum.Unpredicted, sum.UnknownSites)
			}
			r := codelens.MakeReport(s.View(), "test", false)
			want := []string{
				"Shop.never store-lost: not-reached",
				"Shop.number no-numbers: experienced",
				"Shop.order remote-down: experienced",
				"Shop.orderAnyhow remote-down: experienced",
				"Shop.retry remote-down: experienced",
				"Shop.ticks no-clock: experienced",
			}
			if got := ownLinks(r); !slices.Equal(got, want) {
				t.Errorf("links are %q, want %q", got, want)
			}
			checkForced(t, r)
			checkGoesOn(t, r)
			checkOwnProblems(t, s.View().Snap)
			again, err := s.Run(t.Context(), session.Scope{Faults: "jvm"}, nil)
			if err != nil || again.Faults != 0 {
				t.Errorf("%d faults of the second run: %v", again.Faults, err)
			}
		})
	}
}

// forcedLinks says what became of the links from the throws of Account, as
// "Account.pay withdraw#0: forced".
func forcedLinks(r *codelens.Report) (out []string) {
	for _, c := range r.Catches {
		method, _, _ := strings.Cut(c.Method, "(")
		for _, l := range c.Links {
			site, _, _ := strings.Cut(l.ThrowSite.Method, "(")
			if c.Class != "shop.Account" || l.ThrowSite.Class != "shop.Account" {
				continue
			}
			text := fmt.Sprintf("%s %s#%d: %s", method, site, l.ThrowSite.Ordinal, l.Outcome)
			if l.ExecutedBy != "" {
				text += ", run by " + l.ExecutedBy
			}
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return out
}

// checkForced checks that throws whose guards no fault makes true are forced, by the code's own
// exception, and never experienced; where a test runs the throw it is named.
func checkForced(t *testing.T, r *codelens.Report) {
	t.Helper()
	want := []string{
		"look always#0: not-reached", // its guard is another method's
		"look check#0: forced",
		"name kind#0: forced",
		"name kind#1: forced, run by shop.AccountTest#namesOther",
		"nameOther kind#0: forced",
		"nameOther kind#1: experienced",
		"pay withdraw#0: forced",
	}
	if got := forcedLinks(r); !slices.Equal(got, want) {
		t.Errorf("links are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// A failure of misuse stands apart: the totals leave it out, forced or not.
	forced, misused := 0, 0
	for _, c := range r.Catches {
		for _, l := range c.Links {
			switch {
			case l.Outcome != "forced":
			case l.Misuse != "":
				misused++
			default:
				forced++
			}
		}
	}
	if misused != 1 {
		t.Errorf("%d links of misuse are forced, want that of accept before bind", misused)
	}
	if r.Totals.Explicit.Forced != forced || forced < 5 {
		t.Errorf("%d links are forced, of which the totals have %d", forced, r.Totals.Explicit.Forced)
	}
}

// checkGoesOn checks that a link from an operation is experienced though another way to it
// throws anew, and one from an operation that only runs after another one has failed.
func checkGoesOn(t *testing.T, r *codelens.Report) {
	t.Helper()
	want := []string{"accept close0", "read read0"}
	for _, c := range r.Catches {
		method, _, _ := strings.Cut(c.Method, "(")
		for _, l := range c.Links {
			site, _, _ := strings.Cut(l.ThrowSite.Method, "(")
			if c.Class == "shop.Device" && l.ThrowSite.Kind == "native" && l.Outcome == "experienced" {
				want = slices.DeleteFunc(want, func(x string) bool { return x == method+" "+site })
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not experienced: %q", want)
	}
}

// features are the versions of the JDKs that the tests here run with: one takes as long
// as many other tests.
func features() []int {
	if os.Getenv("CATCHLENS_FAULT_JDKS") == "all" {
		return []int{17, 25}
	}
	return []int{17}
}

func testName(feature int) string { return map[int]string{17: "JDK17", 25: "JDK25"}[feature] }

// checkOwnProblems looks for a problem for each wrong fault, and for none of others.
func checkOwnProblems(t *testing.T, snap *snapshot.Snapshot) {
	t.Helper()
	want := map[string]string{
		"undeclared": "does not declare", "no-class": "there is no class shop.Missing",
		"no-method":    "has no method post",
		"no-throwable": "is no Throwable", "disk-full": "kind of fault already",
	}
	for _, p := range snap.Problems {
		name, text, isFault := strings.Cut(strings.TrimPrefix(p.Message, "the fault "), " ")
		if !isFault || !strings.HasPrefix(p.Message, "the fault ") {
			continue
		}
		if want[name] == "" || !strings.Contains(text, want[name]) || p.Line == 0 ||
			filepath.Base(p.File) != "catchlens.toml" {
			t.Errorf("problem %+v", p)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("no problem says %q", want)
	}
}
