package campaign

import (
	"strings"
	"testing"

	"catchlens/analysis/workspace"
	"catchlens/instrument/record"
)

func TestTestsThatWriteElsewhere(t *testing.T) {
	for stack, want := range map[string]string{
		"java.io.FileNotFoundException: /tmp/parser_test/hello.txt (No such file or directory)\n\tat p.C.m(C.java:1)":           "/tmp/parser_test/hello.txt",
		"java.io.FileNotFoundException: /opt/data/x.txt (Permission denied)":                                                    "/opt/data/x.txt",
		"org.junit.E: no\n\tat p.C.m(C.java:1)\nCaused by: java.nio.file.AccessDeniedException: /var/lib/x\n\tat p.D.n(D.java)": "/var/lib/x",
		"java.nio.file.FileSystemException: /srv/a: Read-only file system":                                                      "/srv/a",
		"java.io.FileNotFoundException: /opt/data/x.txt (No such file or directory)":                                            "",
		"java.io.FileNotFoundException: x.txt (Permission denied)":                                                              "",
		"java.nio.file.NoSuchFileException: /tmp/catchlens-tmp-campaign-12/jvm3/tmp/a":                                          "",
		"java.nio.file.NoSuchFileException: .../tmp/a":                                                                          "",
		"java.io.IOException: Cannot run program \"ping\"":                                                                      "",
	} {
		if got := deniedFile(stack); got != want {
			t.Errorf("%s: %q, want %q", stack, got, want)
		}
	}
	runs := []*record.TestRun{
		{Test: "p.A#a", Outcome: record.Pass, Stack: "java.nio.file.AccessDeniedException: /a"},
		{Test: "p.A#b", Outcome: record.Fail, Stack: "java.nio.file.AccessDeniedException: /b"},
		{Test: "p.A#c", Outcome: record.Fail, Stack: "java.nio.file.AccessDeniedException: /c"},
		{Test: "p.A#d", Outcome: record.Fail, Stack: "java.lang.AssertionError"},
	}
	for _, unconfined := range []string{"", "no Landlock"} {
		r := &moduleRun{c: New(nil, nil, Options{}), m: &workspace.Module{Name: "m"}}
		r.c.sum.Unconfined = unconfined
		r.noteDenied(runs)
		notes := strings.Join(r.c.summary().Notes, "; ")
		if says := strings.HasSuffix(notes, "that may be why 2 tests fail (p.A#b: /b)"); says != (unconfined == "") {
			t.Errorf("unconfined %q: notes %q", unconfined, notes)
		}
	}
}
