package testjdk

// This file runs the two Java compilers.

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ECJArtifact is the version of Eclipse's compiler that ECJ returns: the newest
// that runs on JDK 17.
const ECJArtifact = "org.eclipse.jdt:ecj:3.45.0"

// Javac compiles the source files with the javac of the JDK at home into
// outDir, which is made if need be, with full debug information and without
// annotation processing. A release of 0 is the JDK's own. What does not
// compile fails the test with javac's words.
func Javac(t testing.TB, home string, release int, classpath []string, outDir string, files ...string) {
	t.Helper()
	args := []string{"-g", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-Xlint:-options"}
	switch {
	case release == 0:
	case Feature(t, home) == 8: // --release is of JDK 9 (JEP 247)
		args = append(args, "-source", strconv.Itoa(release), "-target", strconv.Itoa(release))
	default:
		args = append(args, "--release", strconv.Itoa(release))
	}
	command := []string{Tool(home, "javac")}
	run := started(command, quick("-J"))
	if cacheDir() != "" && Feature(t, home) > 8 { // what ToolProvider gives, JDK 8 has in tools.jar
		run = func(args []string) ([]byte, error) { return javacKept(t, home, args) }
	}
	compile(t, run, command, home, args, classpath, outDir, files)
}

// JavacTexts writes sources below srcDir, by their path there with slashes, and compiles them as
// Javac does.
func JavacTexts(t testing.TB, home string, release int, classpath []string, srcDir, outDir string,
	texts map[string]string) {
	t.Helper()
	var files []string
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		file := filepath.Join(srcDir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(texts[name]), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	Javac(t, home, release, classpath, outDir, files...)
}

// JavacClass compiles the text of a source with a class as Javac does, and returns its class file.
func JavacClass(t testing.TB, home string, release int, class, text string) []byte {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, class+".java")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	Javac(t, home, release, nil, dir, file)
	data, err := os.ReadFile(filepath.Join(dir, class+".class"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// ECJ returns the path of Eclipse's compiler in the local Maven repository,
// under the same rule as JDK when it is not there.
func ECJ(t testing.TB) string {
	t.Helper()
	return Artifact(t, ECJArtifact)
}

// ECJCompile compiles the source files with ECJ, run by and against the JDK at
// jdkHome (17 or newer), otherwise as Javac does. A release of 0 is the JDK's
// own.
func ECJCompile(t testing.TB, jdkHome string, release int, classpath []string, outDir string, files ...string) {
	t.Helper()
	jar := ECJ(t)
	feature := Feature(t, jdkHome)
	if feature < 17 {
		t.Fatalf("ECJ runs on JDK 17 or newer, not on %d", feature)
	}
	if release == 0 {
		release = feature
	}
	args := []string{"-g", "-nowarn", "-proc:none", "-encoding", "UTF-8", "--release", strconv.Itoa(release)}
	command := []string{Tool(jdkHome, "java"), "-jar", jar}
	compile(t, started(command, quick("")), command, jdkHome, args, classpath, outDir, files)
}

// Compiler is Javac or ECJCompile.
type Compiler func(t testing.TB, home string, release int, classpath []string, outDir string, files ...string)

// quick are settings, each behind a prefix, with which a VM that compiles a few files needs 0.8
// seconds of a processor instead of 1.4: it ends before code that is optimised for long repays.
// They change no class file, so they are in no key.
func quick(prefix string) []string {
	return []string{prefix + "-XX:TieredStopAtLevel=1", prefix + "-XX:+UseSerialGC"}
}

// started is a compiler that is started for each compilation, in a VM with settings.
func started(command, settings []string) func(args []string) ([]byte, error) {
	return func(args []string) ([]byte, error) {
		return exec.Command(command[0], slices.Concat(settings, command[1:], args)...).CombinedOutput()
	}
}

// compile runs one compiler, which is known by its command, or copies what the same run produced
// before.
func compile(t testing.TB, run func(args []string) ([]byte, error), command []string, home string,
	options, classpath []string, outDir string, files []string) {
	t.Helper()
	if len(files) == 0 {
		t.Fatal("no source files to compile")
	}
	if err := os.MkdirAll(outDir, 0o777); err != nil {
		t.Fatal(err)
	}
	store := ""
	if dir := cacheDir(); dir != "" {
		key, err := compilationKey(command, home, options, classpath, files)
		if err != nil {
			t.Fatal(err)
		}
		store = filepath.Join(dir, key)
		if _, err := os.Stat(store); err == nil {
			if err := copyTree(store, outDir); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	fresh := t.TempDir() // apart from outDir, which may hold other classes already
	args := slices.Concat(options, []string{"-d", fresh, "-classpath",
		strings.Join(absolute(t, classpath), string(os.PathListSeparator))}, absolute(t, files))
	if out, err := run(args); err != nil {
		t.Fatalf("%s %s: %v\n%s", strings.Join(command, " "), strings.Join(args, " "), err, out)
	}
	if err := copyTree(fresh, outDir); err != nil {
		t.Fatal(err)
	}
	if store != "" {
		if err := keep(fresh, store); err != nil {
			t.Logf("compilation is not cached: %v", err)
		}
	}
}

// absolute are paths that mean the same in every folder.
func absolute(t testing.TB, paths []string) []string {
	t.Helper()
	out := make([]string, len(paths))
	for i, p := range paths {
		var err error
		if out[i], err = filepath.Abs(p); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// cacheDir is where compilations are kept, or "" where they are not.
func cacheDir() string {
	if os.Getenv("CATCHLENS_TEST_CACHE") == "off" {
		return ""
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "catchlens-test", "compiled")
}

// compilationKey digests everything that the output of a compilation depends
// on: the compiler and its JDK, the options, the class path with the bytes of
// class folders (jars by path, size and time), and the sources with the names
// that end up in SourceFile attributes.
func compilationKey(command []string, home string, options, classpath, files []string) (string, error) {
	h := sha256.New()
	release, err := os.ReadFile(filepath.Join(home, "release"))
	if err != nil {
		return "", err
	}
	fmt.Fprintf(h, "1 %q %q %q\n", command, release, options)
	for _, entry := range classpath {
		if err := digestEntry(h, entry); err != nil {
			return "", err
		}
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "source %q %x\n", filepath.Base(name), sha256.Sum256(text))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// digestEntry adds one class path entry to the digest. An entry that does not
// exist counts as empty, as it does for the compilers.
func digestEntry(h io.Writer, entry string) error {
	info, err := os.Stat(entry)
	if err != nil {
		fmt.Fprintf(h, "absent %q\n", entry)
		return nil
	}
	if !info.IsDir() {
		fmt.Fprintf(h, "jar %q %d %d\n", entry, info.Size(), info.ModTime().UnixNano())
		return nil
	}
	return filepath.WalkDir(entry, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(entry, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "class %q %x\n", name, sha256.Sum256(data))
		return nil
	})
}

// keep copies a compilation into the cache under its key. Two processes that
// keep the same key at once both succeed: the folder appears by a rename.
func keep(from, store string) error {
	parent := filepath.Dir(store)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) // nothing to remove once it is renamed
	if err := copyTree(from, tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, store); err != nil {
		if _, exists := os.Stat(store); exists == nil {
			return nil
		}
		return err
	}
	return nil
}

// copyTree copies the files below from into the folder to.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if d.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o666)
	})
}
