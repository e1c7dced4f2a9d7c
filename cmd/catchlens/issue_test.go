package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/golden"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// The templates of reports are what --report prints, but for the facts.
func TestGoldenTemplates(t *testing.T) {
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	for kind, k := range issueKinds {
		golden.Check(t, filepath.Join(root, ".github", "ISSUE_TEMPLATE", kind+".md"), []byte(k.template(kind)))
	}
	files, err := filepath.Glob(filepath.Join(root, ".github", "ISSUE_TEMPLATE", "*.md"))
	if err != nil || len(files) != len(issueKinds) {
		t.Errorf("%d templates for %d kinds: %v", len(files), len(issueKinds), err)
	}
}

// command runs the program in a process of its own.
func command(t *testing.T, input string, args ...string) (stdout, stderr string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), "CATCHLENS_TEST_COMMAND=1")
	cmd.Stdin = strings.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, &errs)
	}
	return out.String(), errs.String()
}

// framed are messages as the protocol sends them.
func framed(messages ...string) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	return b.String()
}

// The log of the server says which versions talk, and of each message how long it took, but nothing
// that it says.
func TestServerLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "server.log")
	command(t, framed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"clientInfo":`+
		`{"name":"an editor","version":"7.8"}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///secret/A.java",`+
			`"languageId":"java","version":1,"text":"class Secret {}"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`), "lsp", "--log", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`msg=started version=` + version + ` client="an editor 7.8"`,
		"msg=message method=initialize took=", "method=textDocument/didOpen took="} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if bytes.Contains(bytes.ToLower(text), []byte("secret")) {
		t.Errorf("the log has what a message says:\n%s", text)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others may read the log: %v, %v", info.Mode(), err)
	}
}

// Profiles are those of the Go tools.
func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	cpu, trace := filepath.Join(dir, "cpu"), filepath.Join(dir, "trace")
	command(t, "", "--cpuprofile", cpu, "version", "--trace", trace)
	f, err := os.Open(cpu)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if profile, err := io.ReadAll(z); err != nil || !bytes.Contains(profile, []byte("nanoseconds")) {
		t.Errorf("the CPU profile is no profile: %v", err)
	}
	if text, err := os.ReadFile(trace); err != nil || !bytes.HasPrefix(text, []byte("go 1.")) {
		t.Errorf("the trace begins with %.20q: %v", text, err)
	}
}
