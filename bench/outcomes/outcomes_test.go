package outcomes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("TEST-p.A.xml", `<testsuite>
		<testcase name="p.A.plain" classname="p.A"/>
		<testcase name="param(String)[1]" classname="p.A"/>
		<testcase name="param(String)[2]" classname="p.A"><failure message="x"/></testcase>
		<testcase name="param(String)[3]" classname="p.A"/>
		<testcase name="partly{int}[1]" classname="p.A"><skipped/></testcase>
		<testcase name="partly{int}[2]" classname="p.A"/>
		<testcase name="off" classname="p.A"><skipped message="m"/></testcase>
	</testsuite>`)
	write("TEST-p.B.xml", `<testsuite>
		<testcase name="" classname="p.B"><error>boom</error></testcase>
	</testsuite>`)
	write("other.xml", "not read")
	var all, short strings.Builder
	if err := run(&all, dir, false); err != nil {
		t.Fatal(err)
	}
	want := "p.A#off\tskip\np.A#param\tfail\np.A#partly\tpass\np.A#plain\tpass\np.B#(class)\tfail\n"
	if all.String() != want {
		t.Errorf("got\n%swant\n%s", all.String(), want)
	}
	if err := run(&short, dir, true); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(short.String(), "# 2 passed, 2 failed, 1 skipped\n# sha256 of all lines: ") ||
		!strings.HasSuffix(short.String(), "\np.A#off\tskip\np.A#param\tfail\np.B#(class)\tfail\n") {
		t.Errorf("summary:\n%s", short.String())
	}
}

func TestRunRejects(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	if err := run(&out, dir, false); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("no reports: %v", err)
	}
	file := filepath.Join(dir, "TEST-x.xml")
	if err := os.WriteFile(file, []byte("<testsuite><testcase"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(&out, dir, false); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a report cut short: %v", err)
	}
}
