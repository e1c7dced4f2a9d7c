package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// repository is the folder of the repository.
func repository(t *testing.T) string {
	t.Helper()
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// present is the version that the extension has.
func present(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository(t), "vscode-extension", "package.json"))
	var manifest struct{ Version string }
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	return manifest.Version
}

// fakeBuild writes a program that says what it is for.
func fakeBuild(_ context.Context, r *release, t target, file string) error {
	return os.WriteFile(file, []byte(r.version+" for "+t.os+"/"+t.arch), 0o755)
}

// fakeExtensions writes an extension for each platform.
func fakeExtensions(_ context.Context, r *release) error {
	var errs []error
	for _, t := range targets {
		name := "catchlens-" + r.version + "-" + t.code + ".vsix"
		errs = append(errs, os.WriteFile(filepath.Join(r.out, name), []byte(t.code), 0o644))
	}
	return errors.Join(errs...)
}

// entry is a file of an archive.
type entry struct {
	mode    os.FileMode
	content []byte
}

// unpacked are the files of an archive.
func unpacked(t *testing.T, file string) map[string]entry {
	t.Helper()
	files := map[string]entry{}
	fail := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	if strings.HasSuffix(file, ".zip") {
		z, err := zip.OpenReader(file)
		fail(err)
		defer z.Close()
		for _, f := range z.File {
			r, err := f.Open()
			fail(err)
			content, err := io.ReadAll(r)
			fail(errors.Join(err, r.Close()))
			files[f.Name] = entry{f.Mode(), content}
		}
		return files
	}
	text, err := os.ReadFile(file)
	fail(err)
	z, err := gzip.NewReader(bytes.NewReader(text))
	fail(err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		fail(err)
		content, err := io.ReadAll(r)
		fail(err)
		files[h.Name] = entry{h.FileInfo().Mode(), content}
	}
}

// A release has an archive and an extension for each platform, all with their checksums, and the
// same again gives the same bytes.
func TestRelease(t *testing.T) {
	root, version := repository(t), present(t)
	made := func() (string, map[string]string) {
		t.Helper()
		r := &release{root: root, out: filepath.Join(t.TempDir(), "release"), version: version, build: fakeBuild,
			extensions: fakeExtensions}
		if err := r.make(t.Context()); err != nil {
			t.Fatal(err)
		}
		sums := map[string]string{}
		text, err := os.ReadFile(filepath.Join(r.out, sumsName))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
			if got, err := sumOf(filepath.Join(r.out, name)); err != nil || got != sum {
				t.Errorf("the checksum of %s is %s, said is %s: %v", name, got, sum, err)
			}
			sums[name] = sum
		}
		return r.out, sums
	}
	out, sums := made()
	for _, x := range targets {
		name := "catchlens-" + version + "-" + x.os + "-" + x.arch
		file, program := name+".tar.gz", name+"/catchlens"
		if x.os == "windows" {
			file, program = name+".zip", program+".exe"
		}
		files := unpacked(t, filepath.Join(out, file))
		if p := files[program]; string(p.content) != version+" for "+x.os+"/"+x.arch || p.mode.Perm() != 0o755 {
			t.Errorf("%s: the program is %q, %v", file, p.content, p.mode)
		}
		for _, want := range []string{"LICENSE", "NOTICES.txt", "README.md", "CHANGELOG.md", "docs/guide/README.md",
			"docs/reference/schemas/catchlens.toml.schema.json", "docs/images/vscode.png", "examples/filedrop/pom.xml",
			"editors/nvim/plugin/catchlens.lua"} {
			if f := files[name+"/"+want]; len(f.content) == 0 || f.mode.Perm() != 0o644 {
				t.Errorf("%s: %s has %d bytes, %v", file, want, len(f.content), f.mode)
			}
		}
		for inside := range files {
			if !strings.HasPrefix(inside, name+"/") || strings.Contains(inside, "target/") {
				t.Errorf("%s: %s should not be there", file, inside)
			}
		}
		for _, f := range []string{file, "catchlens-" + version + "-" + x.code + ".vsix"} {
			if sums[f] == "" {
				t.Errorf("%s has no checksum", f)
			}
		}
	}
	if len(sums) != 2*len(targets) {
		t.Errorf("%d checksums for %d platforms", len(sums), len(targets))
	}
	notes, err := os.ReadFile(filepath.Join(out, "NOTES.md"))
	if err != nil || !bytes.Contains(notes, []byte("\n### Links\n")) || bytes.Contains(notes, []byte("\n## ")) {
		t.Errorf("the notes are %.300s: %v", notes, err)
	}
	_, again := made()
	for name, sum := range sums {
		if again[name] != sum {
			t.Errorf("%s is not the same again", name)
		}
	}
}

// Signed checksums are accepted by OpenSSH as those of the key's owner, and no others are.
func TestReleaseIsSigned(t *testing.T) {
	keys := t.TempDir()
	key := filepath.Join(keys, "key")
	keygen := func(stdin string, args ...string) error {
		cmd := exec.CommandContext(t.Context(), "ssh-keygen", args...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		t.Logf("ssh-keygen %s: %s", args, out)
		return err
	}
	if err := keygen("", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key); err != nil {
		t.Fatal(err)
	}
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	owners := filepath.Join(keys, "owners")
	if err := os.WriteFile(owners, append([]byte("owner@example.org "), public...), 0o644); err != nil {
		t.Fatal(err)
	}
	r := &release{root: repository(t), out: filepath.Join(t.TempDir(), "release"), version: present(t), key: key,
		build: fakeBuild, extensions: fakeExtensions}
	if err := r.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	sums := filepath.Join(r.out, sumsName)
	text, err := os.ReadFile(sums)
	if err != nil {
		t.Fatal(err)
	}
	verify := []string{"-Y", "verify", "-f", owners, "-I", "owner@example.org", "-n", "file", "-s", sums + ".sig"}
	if err := keygen(string(text), verify...); err != nil {
		t.Errorf("the signature of the checksums is not accepted: %v", err)
	}
	if err := keygen(string(text[1:]), verify...); err == nil {
		t.Error("other checksums are accepted with this signature")
	}
	r.key = filepath.Join(keys, "none")
	if err := r.make(t.Context()); err == nil || !strings.Contains(err.Error(), r.key) {
		t.Errorf("signing with a key that is not there: %v", err)
	}
}

// A release is not made of what does not belong together.
func TestReleaseRefuses(t *testing.T) {
	for version, want := range map[string]string{
		"v0.1.0": "is no version", "1": "is no version", "9.9.9": "package.json has version",
	} {
		r := &release{root: repository(t), out: t.TempDir(), version: version, build: fakeBuild}
		if err := r.make(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestSection(t *testing.T) {
	const log = "# Changelog\n\n## Unreleased\n\n* new\n\n## 0.2.0\n\n* two\n\n### More\n\n* and\n\n## 0.1.0\n\n" +
		"* one\n\n## 0.0.1\n"
	for version, want := range map[string]string{"0.2.0": "* two\n\n### More\n\n* and\n", "0.1.0": "* one\n",
		"Unreleased": "* new\n", "0.0.1": "", "0.1": "", "1.0.0": ""} {
		got, err := section(log, version)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", version, got, err, want)
		}
	}
}

// The notices have the texts of all modules that the program contains on any platform, and of Go.
func TestNotices(t *testing.T) {
	text, err := notices(t.Context(), repository(t))
	if err != nil {
		t.Fatal(err)
	}
	modules, err := linkedModules(t.Context(), repository(t))
	if err != nil || len(modules) < 8 {
		t.Fatalf("%d modules: %v", len(modules), err)
	}
	parts := strings.Split(text, "\n"+strings.Repeat("-", 72)+"\n\n")
	if len(parts) != len(modules)+2 {
		t.Fatalf("%d notices for %d modules and Go", len(parts)-1, len(modules))
	}
	for i, m := range append([]module{{Path: "Go's standard library"}}, modules...) {
		if p := parts[i+1]; !strings.HasPrefix(p, m.Path+" "+m.Version) || len(p) < 500 ||
			!strings.Contains(p, "opyright") {
			t.Errorf("%s: %.200s", m.Path, p)
		}
	}
	if _, err := licences(module{"a.example/none", "v1.0.0", t.TempDir()}); err == nil {
		t.Error("a module without a licence is taken")
	}
}

// A key in the folder that is emptied first is not lost.
func TestKeyInTheFolderOfTheRelease(t *testing.T) {
	out := t.TempDir()
	key := filepath.Join(out, "keys", "key")
	if err := os.MkdirAll(filepath.Dir(key), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := &release{root: repository(t), out: out, version: present(t), key: key, build: fakeBuild}
	if err := r.make(t.Context()); err == nil || !strings.Contains(err.Error(), "emptied first") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(key); err != nil {
		t.Error(err)
	}
}
