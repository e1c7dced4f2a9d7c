package agent

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// TestJar: the jar is an agent of Java 8 class
// files whose classes the boot loader finds, and it is compiled once.
func TestJar(t *testing.T) {
	for _, home := range []string{testjdk.JDK(t, 17)} { // the worker's tests compile it with every JDK
		b := Builder{JDK: home, Cache: filepath.Join(t.TempDir(), "deep", "cache")}
		jar, err := b.Jar(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		files := unzip(t, jar)
		m := string(files["META-INF/MANIFEST.MF"])
		for _, want := range []string{"Premain-Class: catchlens.rt.Agent\r\n",
			"Boot-Class-Path: " + filepath.Base(jar) + "\r\n", "Can-Retransform-Classes: true\r\n"} {
			if !strings.Contains(m, want) {
				t.Errorf("no %q in the manifest:\n%s", want, m)
			}
		}
		classes := 0
		for name, data := range files {
			if !strings.HasSuffix(name, ".class") {
				continue
			}
			classes++
			if v := binary.BigEndian.Uint16(data[6:]); v != 52 || !strings.HasPrefix(name, "catchlens/rt/") {
				t.Errorf("%s has version %d", name, v)
			}
			if bytes.Contains(data, []byte("BootstrapMethods")) {
				t.Errorf("%s needs invokedynamic, which runs Java code that may have probes", name)
			}
		}
		if classes < 25 || files["catchlens/rt/Probe.class"] == nil {
			t.Errorf("%d classes", classes)
		}
		before, _ := os.Stat(jar)
		again, err := b.Jar(t.Context())
		after, _ := os.Stat(again)
		if err != nil || again != jar || !before.ModTime().Equal(after.ModTime()) {
			t.Errorf("not taken from the cache: %s, %v", again, err)
		}
		left, _ := filepath.Glob(filepath.Join(b.Cache, "*"))
		if len(left) != 2 { // with its sum
			t.Errorf("left in the cache: %v", left)
		}
	}
}

// The tables of the recorder are guarded by latches: a monitor beside one excludes
// nobody, and leaves virtual threads waiting (see Latch).
func TestTablesHaveLatches(t *testing.T) {
	for _, name := range []string{"Recorder", "Below", "ThreadTable", "ThrowTable"} {
		text, err := os.ReadFile(filepath.Join("java", "catchlens", "rt", "record", name+".java"))
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if code := strings.TrimSpace(line); strings.Contains(code, "synchronized") &&
				!strings.HasPrefix(code, "*") && !strings.HasPrefix(code, "//") {
				t.Errorf("%s.java:%d: %s", name, n+1, code)
			}
		}
	}
}

func unzip(t *testing.T, jar string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(jar)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name], err = io.ReadAll(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestBuildFails(t *testing.T) {
	_, err := Builder{JDK: t.TempDir(), Cache: t.TempDir()}.Jar(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no JDK at") {
		t.Errorf("no JDK: %v", err)
	}
	jre := t.TempDir() // has a release file and no javac
	os.WriteFile(filepath.Join(jre, "release"), []byte("JAVA_VERSION=\"17.0.1\"\n"), 0o600)
	_, err = Builder{JDK: jre, Cache: t.TempDir()}.Jar(t.Context())
	if err == nil || !strings.Contains(err.Error(), "javac") {
		t.Errorf("no javac: %v", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	b := Builder{JDK: testjdk.JDK(t, 17), Cache: filepath.Join(cache, "catchlens-test", "agent")}
	// Without the framework's jars the adapter does not compile: that is said in a line.
	_, err = b.Adapter(t.Context(), JUnit4, nil)
	if err == nil || err.Error() != "the test class path has no JUnit 4, or not all that it needs: "+
		"package junit.extensions does not exist" {
		t.Errorf("no framework: %v", err)
	}
	_, err = b.Adapter(t.Context(), "catchlens.adapter.Unknown", nil)
	if err == nil {
		t.Error("an unknown adapter was built")
	}
}

func TestFeature(t *testing.T) {
	for text, want := range map[string]int{
		"JAVA_VERSION=\"17.0.15\"\n": 17, "IMPLEMENTOR=\"x\"\r\nJAVA_VERSION=\"1.8.0_392\"\r\n": 8,
		"JAVA_VERSION=\"25\"": 25,
		"JAVA_VERSION=\"\"":   0, "": 0, "JAVA_VERSION=\"x\"": 0,
	} {
		dir := t.TempDir()
		os.WriteFile(filepath.Join(dir, "release"), []byte(text), 0o600)
		got, err := Feature(dir)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

// A framework's jar may have any name: the adapter is then compiled against the whole
// class path, and that only once.
func TestAdapterOfRenamedFramework(t *testing.T) {
	home, dir := testjdk.JDK(t, 17), t.TempDir()
	data, err := os.ReadFile(testjdk.Artifact(t, "junit:junit:4.13.2"))
	if err != nil {
		t.Fatal(err)
	}
	renamed := filepath.Join(dir, "lib1.jar")
	if err := os.WriteFile(renamed, data, 0o600); err != nil {
		t.Fatal(err)
	}
	b := Builder{JDK: home, Cache: filepath.Join(dir, "cache")}
	path, err := b.Adapter(t.Context(), JUnit4, []string{renamed})
	if err != nil {
		t.Fatal(err)
	}
	release, err := os.ReadFile(filepath.Join(home, "release"))
	if err != nil {
		t.Fatal(err)
	}
	b.JDK = filepath.Join(dir, "jdk") // the same Java, without a compiler
	os.Mkdir(b.JDK, 0o700)
	os.WriteFile(filepath.Join(b.JDK, "release"), release, 0o600)
	if again, err := b.Adapter(t.Context(), JUnit4, []string{renamed}); err != nil || again != path {
		t.Errorf("compiled again: %s, %v; the first time %s", again, err, path)
	}
}
