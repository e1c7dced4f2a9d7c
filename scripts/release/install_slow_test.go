//go:build slow

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// `go install MODULE/cmd/catchlens@VERSION` makes a program that knows its version, from a proxy
// that has the last commit as that version: names of files, size and go.mod are as a module's.
func TestInstallAsModule(t *testing.T) {
	root, dir := repository(t), t.TempDir()
	const path, version = "github.com/catchlens/catchlens", "v0.9.9"
	versions := filepath.Join(dir, "proxy", filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(env []string, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), env...)
		out, err := cmd.Output()
		if err != nil {
			said := ""
			if e, ok := err.(*exec.ExitError); ok {
				said = string(e.Stderr)
			}
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, said)
		}
		return strings.TrimSpace(string(out))
	}
	mod := run(nil, "git", "show", "HEAD:go.mod") + "\n"
	info, err := json.Marshal(map[string]string{"Version": version, "Time": "2026-01-01T00:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"list": version + "\n", version + ".mod": mod, version + ".info": string(info)}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(versions, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(nil, "git", "archive", "--format=zip", "--prefix="+path+"@"+version+"/",
		"--output="+filepath.Join(versions, version+".zip"), "HEAD")

	// What it needs is in the cache of modules by now, which is laid out as a proxy is.
	// Without paths of this machine packages of other modules are those that `make build` compiled.
	cache := run(nil, "go", "env", "GOMODCACHE")
	env := []string{
		"GOBIN=" + filepath.Join(dir, "bin"), "GOMODCACHE=" + filepath.Join(dir, "mod"),
		"GOFLAGS=-modcacherw -trimpath", "GONOSUMDB=*", "CGO_ENABLED=0",
		"GOPROXY=file://" + filepath.Join(dir, "proxy") + ",file://" + filepath.Join(cache, "cache", "download"),
	}
	run(env, "go", "install", path+"/cmd/catchlens@"+version)
	if got := run(nil, filepath.Join(dir, "bin", "catchlens"), "version"); got != "catchlens 0.9.9" {
		t.Errorf("it says %q", got)
	}
}
