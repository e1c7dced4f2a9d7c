package lab

import (
	"strings"
	"testing"
)

func TestTestsThatWriteElsewhere(t *testing.T) {
	for stack, want := range map[string]string{
		"java.io.FileNotFoundException: /tmp/parser_test/hello.txt (No such file or directory)" +
			"\n\tat p.C.m(C.java:1)": "/tmp/parser_test/hello.txt",
		"java.io.FileNotFoundException: /opt/data/x.txt (Permission denied)": "/opt/data/x.txt",
		"org.junit.E: no\n\tat p.C.m(C.java:1)\nCaused by: java.nio.file.AccessDeniedException: " +
			"/var/lib/x\n\tat p.D.n(D.java)": "/var/lib/x",
		"java.nio.file.FileSystemException: /srv/a: Read-only file system":             "/srv/a",
		"java.io.FileNotFoundException: /opt/data/x.txt (No such file or directory)":   "",
		"java.io.FileNotFoundException: x.txt (Permission denied)":                     "",
		"java.nio.file.NoSuchFileException: /tmp/catchlens-tmp-campaign-12/jvm3/tmp/a": "",
		"java.nio.file.NoSuchFileException: .../tmp/a":                                 "",
		"java.nio.file.NoSuchFileException: ../pom.xml\n\tat p.C.m(C.java:1)":          "../pom.xml",
		"java.io.FileNotFoundException: ../../d/a.txt (No such file or directory)":     "../../d/a.txt",
		"java.nio.file.NoSuchFileException: a/../b":                                    "",
		"java.io.IOException: Cannot run program \"ping\"":                             "",
		"java.io.FileNotFoundException: ../out.txt (Permission denied)":                "../out.txt",
	} {
		got, absent := DeniedFile(stack)
		beside := strings.HasPrefix(want, "../") && !strings.Contains(stack, "denied")
		if got != want || absent != beside {
			t.Errorf("%s: %q, absent %v, want %q, %v", stack, got, absent, want, beside)
		}
	}
}

// What a test says of a file in the folder of its JVM is the same in another JVM.
func TestWithoutFolders(t *testing.T) {
	for _, x := range [][2]string{
		{"/tmp/catchlens-tmp-campaign-25/jvm29/tmp/joda-test-10847789/Map (No such file)",
			".../tmp/joda-test-*/Map (No such file)"},
		{`see "file:/p/catchlens-tmp-campaign-1/jvm3" and C:\catchlens-tmp-campaign-12\jvm4\home\a.txt`,
			`see "file:..." and C:...\home\a.txt`},
		{"/tmp/other/10847789", "/tmp/other/10847789"},
	} {
		text, want := x[0], x[1]
		if got := WithoutFolders(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
