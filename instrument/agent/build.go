package agent

// This file compiles the Java source with the user's JDK and keeps the jars in
// the cache folder.

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"time"

	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

//go:embed java
var source embed.FS

// Builder compiles the agent.
type Builder struct {
	JDK   string // home of a JDK with javac
	Cache string // folder that keeps what was compiled, private to the user
}

// Jar returns the path of the agent's jar, compiled if the cache does not have
// it. The jar runs on every JDK from 8 on. Errors name the compiler's words.
func (b Builder) Jar(ctx context.Context) (string, error) {
	return b.build(ctx, "agent", "java/catchlens/rt", nil, manifest)
}

// manifest makes the jar an agent whose classes the boot loader finds. The jar
// keeps its name in the cache, so that Boot-Class-Path (relative to the jar's
// own folder) finds it.
func manifest(jar string) string {
	return "Manifest-Version: 1.0\r\nPremain-Class: catchlens.rt.Agent\r\nBoot-Class-Path: " + jar +
		"\r\nCan-Retransform-Classes: true\r\nCan-Redefine-Classes: true\r\n\r\n"
}

// Adapter names an adapter class and the source folder that holds it.
type Adapter string

// The adapters. Plain needs no framework and is part of the agent.
const (
	Plain         Adapter = "catchlens.rt.run.PlainAdapter"
	JUnit3        Adapter = "catchlens.adapter.JUnit3"
	JUnit4        Adapter = "catchlens.adapter.JUnit4"
	JUnitPlatform Adapter = "catchlens.adapter.JUnitPlatform"
	TestNG        Adapter = "catchlens.adapter.TestNG"
)

// Adapter compiles one adapter against the framework jars among the class path
// entries and returns the path of its jar; "" for Plain.
func (b Builder) Adapter(ctx context.Context, a Adapter, classpath []string) (string, error) {
	if a == Plain {
		return "", nil
	}
	name := string(a[strings.LastIndexByte(string(a), '.')+1:])
	jar, err := b.Jar(ctx)
	if err != nil {
		return "", err
	}
	few := []string{jar}
	for _, entry := range classpath {
		if frameworkJar.MatchString(filepath.Base(entry)) {
			few = append(few, entry)
		}
	}
	label, root := "adapter-"+strings.ToLower(name), "java/catchlens/adapter/"+name+"*.java"
	all := append([]string{jar}, classpath...)
	for _, cp := range [][]string{few, all} {
		// whichever is there: a compilation that fails would cost a second at each request
		if path, _, err := b.place(label, root, cp); err == nil && exists(path) {
			return path, nil
		}
	}
	if path, err := b.build(ctx, label, root, few, nil); err == nil {
		return path, nil
	}
	path, err := b.build(ctx, label, root, all, nil)
	if err != nil && lacksPackage.MatchString(err.Error()) {
		return "", fmt.Errorf("the test class path has no %s, or not all that it needs: %s", frameworkOf[a],
			lacksPackage.FindString(err.Error()))
	}
	return path, err
}

// lacksPackage is what javac says of a package that is nowhere on the class path.
var lacksPackage = regexp.MustCompile(`package \S+ does not exist`)

// frameworkOf names what an adapter drives.
var frameworkOf = map[Adapter]string{JUnit3: "JUnit 3", JUnit4: "JUnit 4", JUnitPlatform: "JUnit Platform",
	TestNG: "TestNG"}

// exists tells whether a jar is there and as it was published.
func exists(jar string) bool { return sealed.CheckFile(jar) == nil }

// frameworkJar matches the names under which the frameworks publish their jars.
var frameworkJar = regexp.MustCompile(`(?i)^(junit|testng|hamcrest|opentest4j|apiguardian|jspecify|jcommander|bsh|slf4j-api).*\.jar$`)

// place is where the jar of the sources under root (a folder, or a pattern of files) stands or
// will stand: its name is the digest of all that the output depends on.
func (b Builder) place(name, root string, cp []string) (jar string, files []sourceFile, err error) {
	if files, err = sources(root); err != nil {
		return "", nil, err
	}
	feature, err := Feature(b.JDK)
	if err != nil {
		return "", nil, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "2 %q %d\n", name, feature)
	for _, f := range files {
		fmt.Fprintf(h, "%q %x\n", f.name, sha256.Sum256(f.text))
	}
	for _, entry := range cp {
		if err := digest(h, entry); err != nil {
			return "", nil, err
		}
	}
	return filepath.Join(b.Cache, name+"-"+hex.EncodeToString(h.Sum(nil)[:12])+".jar"), files, nil
}

// build compiles the sources under root into a jar, unless it is there.
func (b Builder) build(ctx context.Context, name, root string, cp []string,
	manifest func(string) string) (string, error) {
	jar, files, err := b.place(name, root, cp)
	if err != nil {
		return jar, err
	}
	if len(files) == 0 {
		return "", fmt.Errorf("there is no source for the %s", name)
	}
	err = sealed.Make(ctx, jar, func() error { return b.compileInto(ctx, jar, name, files, cp, manifest) })
	if err != nil {
		return "", err
	}
	return jar, nil
}

// compileInto compiles sources into a jar.
func (b Builder) compileInto(ctx context.Context, jar, name string, files []sourceFile, cp []string,
	manifest func(string) string) error {
	javac := tool(b.JDK, "javac")
	feature, err := Feature(b.JDK)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.Cache, 0o700); err != nil {
		return err
	}
	classes, err := compile(ctx, javac, feature, b.Cache, files, cp)
	if err != nil {
		return fmt.Errorf("compiling the %s with %s: %w", name, javac, err)
	}
	if manifest != nil {
		classes["META-INF/MANIFEST.MF"] = []byte(manifest(filepath.Base(jar)))
	}
	return publish(jar, classes)
}

type sourceFile struct {
	name string // its path below this package, parted by slashes
	text []byte
}

// sources reads the embedded sources under root, a folder or a pattern of files.
func sources(root string) ([]sourceFile, error) {
	roots, err := fs.Glob(source, root)
	if err != nil {
		return nil, err
	}
	var files []sourceFile
	for _, r := range roots {
		err = errors.Join(err, fs.WalkDir(source, r, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := source.ReadFile(p)
			files = append(files, sourceFile{p, text})
			return err
		}))
	}
	return files, err
}

// digest adds the identity of a class path entry: a jar's bytes are not read,
// its path, size and time stand for them.
func digest(h interface{ Write([]byte) (int, error) }, entry string) error {
	info, err := os.Stat(entry)
	if err != nil {
		return err
	}
	fmt.Fprintf(h, "%q %d %d\n", entry, info.Size(), info.ModTime().UnixNano())
	return nil
}

// compileTimeout is how long javac may take, which needs two seconds by itself, for machines that
// are very busy.
const compileTimeout = 15 * time.Minute

// compile runs javac and returns the class files by their path in the jar.
func compile(ctx context.Context, javac string, feature int, cache string, files []sourceFile,
	cp []string) (map[string][]byte, error) {
	dir, err := os.MkdirTemp(cache, "compile")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	args := []string{"-J-XX:TieredStopAtLevel=1", // it ends before code that is optimised for long repays
		"-encoding", "UTF-8", "-nowarn", "-proc:none", "-Xlint:-options", "-g:source,lines",
		"-d", filepath.Join(dir, "out")}
	if feature >= 9 {
		args = append(args, "--release", "8")
	} else {
		args = append(args, "-source", "8", "-target", "8")
	}
	if len(cp) > 0 {
		args = append(args, "-classpath", strings.Join(cp, string(os.PathListSeparator)))
	}
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o700); err != nil {
		return nil, err
	}
	for _, f := range files {
		p := filepath.Join(dir, "src", filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(p, f.text, 0o600); err != nil {
			return nil, err
		}
		args = append(args, p)
	}
	ctx, cancel := context.WithTimeout(ctx, compileTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, javac, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("it was not done after %s", compileTimeout)
		}
		return nil, fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
	}
	classes := map[string][]byte{}
	root := os.DirFS(filepath.Join(dir, "out"))
	err = fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		classes[p], err = fs.ReadFile(root, p)
		return err
	})
	return classes, err
}

// publish writes the jar so that others see all of it or nothing.
func publish(jar string, classes map[string][]byte) error {
	names := make([]string, 0, len(classes))
	for n := range classes {
		names = append(names, n)
	}
	sort.Slice(names, func(i, j int) bool { // the manifest first
		mi, mj := strings.HasPrefix(names[i], "META-INF/"), strings.HasPrefix(names[j], "META-INF/")
		if mi != mj {
			return mi
		}
		return names[i] < names[j]
	})
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, n := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: n, Method: zip.Deflate})
		if err == nil {
			_, err = w.Write(classes[n])
		}
		if err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return sealed.Publish(jar, func(w io.Writer) error {
		_, err := buf.WriteTo(w)
		return err
	})
}

// Feature reads the feature version (8, 17, ...) of the JDK at home from its
// release file.
func Feature(home string) (int, error) {
	text, err := bounded.Read(filepath.Join(home, "release"), bounded.Text)
	if err != nil {
		return 0, fmt.Errorf("no JDK at %s: %w", home, err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		v, ok := strings.CutPrefix(strings.TrimSpace(line), "JAVA_VERSION=")
		if !ok {
			continue
		}
		v = strings.TrimPrefix(strings.Trim(v, `"`), "1.")
		n := 0
		for _, c := range v {
			if c < '0' || c > '9' {
				break
			}
			n = 10*n + int(c-'0')
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s: no JAVA_VERSION", filepath.Join(home, "release"))
}

func tool(home, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(home, "bin", name)
}
