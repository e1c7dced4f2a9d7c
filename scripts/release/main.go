// Command release makes what a version of catchlens consists of, in build/release: an archive for
// each platform, the extension for each, checksums and the notes. `make release` runs it.
//
// The version is that of the tag at the present commit, v1.2.3, and must be the extension's, too,
// and have a section in CHANGELOG.md. With -version a release can be tried before there is a tag.
// With -sign, a key of OpenSSH, the checksums are signed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// target is a platform: Go's names of its system and processor, and VS Code's of both.
type target struct{ os, arch, code string }

var targets = []target{
	{"linux", "amd64", "linux-x64"}, {"linux", "arm64", "linux-arm64"},
	{"darwin", "amd64", "darwin-x64"}, {"darwin", "arm64", "darwin-arm64"},
	{"windows", "amd64", "win32-x64"}, {"windows", "arm64", "win32-arm64"},
}

// contents are the files of the repository that an archive has, as git lists them.
var contents = []string{"LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "editors/nvim",
	"examples/filedrop"}

// release is a version that is being made.
type release struct {
	root, out string
	version   string    // "0.1.0"
	made      time.Time // of the commit: what files in archives are from
	key       string    // the file of the key that signs the checksums; "": they are not signed
	// build writes the program for a platform.
	build func(ctx context.Context, r *release, t target, file string) error
	// extensions writes the extension for all platforms into out; nil: there are none.
	extensions func(ctx context.Context, r *release) error
}

func main() {
	version := flag.String("version", "", "the version, in place of the one of the tag at this commit")
	out := flag.String("out", filepath.Join("build", "release"), "folder to write into")
	key := flag.String("sign", "", "a key of OpenSSH that signs the checksums: a private key, or a public\n"+
		"one whose private key an agent holds")
	only := flag.Bool("notices", false, "print the licences of what the program contains, and do nothing else")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *version, *out, *key, *only); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, version, out, key string, onlyNotices bool) error {
	root, err := output(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	if onlyNotices {
		text, err := notices(ctx, root)
		if err == nil {
			_, err = os.Stdout.WriteString(text)
		}
		return err
	}
	if version == "" {
		if version, err = tagged(ctx, root); err != nil {
			return err
		}
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if key != "" {
		if key, err = filepath.Abs(key); err != nil {
			return err
		}
		if _, err := os.Stat(key); err != nil {
			return fmt.Errorf("the key to sign with: %w", err)
		}
	}
	r := &release{root: root, out: out, version: version, key: key}
	r.build, r.extensions = goBuild, packExtensions
	if err := r.make(ctx); err != nil {
		return err
	}
	fmt.Println("made", version, "in", out)
	return nil
}

// tagged is the version of the tag at the present commit. It is an error if there is none, or if
// files differ from the commit.
func tagged(ctx context.Context, root string) (string, error) {
	if changed, err := output(ctx, root, "git", "status", "--porcelain"); err != nil || changed != "" {
		return "", errors.Join(err, fmt.Errorf("files differ from the commit:\n%s", changed))
	}
	tag, err := output(ctx, root, "git", "describe", "--tags", "--exact-match", "--match", "v[0-9]*")
	if err != nil {
		return "", errors.New("this commit has no tag such as v0.1.0; to try a release: make release VERSION=0.1.0")
	}
	return strings.TrimPrefix(tag, "v"), nil
}

// make writes all of a release.
func (r *release) make(ctx context.Context) error {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`).MatchString(r.version) {
		return fmt.Errorf("%q is no version such as 0.1.0", r.version)
	}
	if rel, err := filepath.Rel(r.out, r.key); r.key != "" && err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("the key to sign with is in %s, which is emptied first: move it", r.out)
	}
	if err := r.checkExtension(); err != nil {
		return err
	}
	changelog, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	notes, err := section(string(changelog), r.version)
	if err != nil {
		return err
	}
	at, err := output(ctx, r.root, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return err
	}
	r.made = time.Unix(seconds, 0).UTC()
	third, err := notices(ctx, r.root)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	for _, t := range targets {
		if err := r.archive(ctx, t, third); err != nil {
			return fmt.Errorf("%s/%s: %w", t.os, t.arch, err)
		}
	}
	if r.extensions != nil {
		if err := r.extensions(ctx, r); err != nil {
			return err
		}
	}
	if err := writeSums(r.out); err != nil {
		return err
	}
	if r.key != "" {
		if err := signFile(ctx, filepath.Join(r.out, sumsName), r.key); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(r.out, "NOTES.md"), []byte(notes), 0o644)
}

// checkExtension says where the extension has another version.
func (r *release) checkExtension() error {
	text, err := os.ReadFile(filepath.Join(r.root, "vscode-extension", "package.json"))
	if err != nil {
		return err
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		return err
	}
	if manifest.Version != r.version {
		return fmt.Errorf("vscode-extension/package.json has version %s, not %s", manifest.Version, r.version)
	}
	return nil
}

// section is what a changelog says of a version, without its heading.
func section(changelog, version string) (string, error) {
	_, text, ok := strings.Cut("\n"+changelog, "\n## "+version+"\n")
	if !ok {
		return "", fmt.Errorf("CHANGELOG.md has no section %s: give what is unreleased that heading", version)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	if text = strings.TrimSpace(text); text == "" {
		return "", fmt.Errorf("CHANGELOG.md says nothing of %s", version)
	}
	return text + "\n", nil
}

// signFile writes the signature of a file, as OpenSSH makes and checks it, into FILE.sig. It asks
// for the key's passphrase where it has one.
func signFile(ctx context.Context, file, key string) error {
	cmd := exec.CommandContext(ctx, "ssh-keygen", "-q", "-Y", "sign", "-n", "file", "-f", key, file)
	cmd.Stdin = os.Stdin
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("signing %s with %s: %w: %s", file, key, err, stderr.Bytes())
	}
	return nil
}

// goBuild compiles the program.
func goBuild(ctx context.Context, r *release, t target, file string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags",
		"-s -w -X main.version="+r.version, "-o", file, "./cmd/catchlens")
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch)
	return cmd.Run()
}

// packExtensions packages the extension for all platforms, with the server inside.
func packExtensions(ctx context.Context, r *release) error {
	dir := filepath.Join(r.root, "vscode-extension")
	for _, args := range [][]string{{"npm", "ci", "--no-audit", "--no-fund"}, {"node", "package.mjs", "--all"}} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
	}
	for _, t := range targets {
		from := filepath.Join(dir, "catchlens-"+t.code+".vsix")
		to := filepath.Join(r.out, fmt.Sprintf("catchlens-%s-%s.vsix", r.version, t.code))
		if err := os.Rename(from, to); err != nil {
			return err
		}
	}
	return nil
}

// output is what a command prints, without blanks around it.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}
