package jdksource

import (
	"archive/zip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// code has the classes of a JDK, or made-up ones, and the home of a JDK.
type code struct {
	home    string
	classes map[string]*facts.Class
	jdk     *classpath.JDK
}

func (c code) LibraryClass(name string) (*facts.Class, string) {
	if c.jdk == nil {
		return c.classes[name], c.home
	}
	data, ok, err := c.jdk.Entry().Find(name)
	if !ok || err != nil {
		return nil, c.home
	}
	parsed, err := classfile.Parse(data)
	if err != nil {
		return nil, c.home
	}
	f, _ := facts.FromClass(parsed, data, facts.Options{})
	return f, c.home
}

// made makes a JDK folder with a src.zip.
func made(t *testing.T, sources map[string]string) (home string) {
	t.Helper()
	home = t.TempDir()
	os.MkdirAll(filepath.Join(home, "lib"), 0o755)
	f, err := os.Create(filepath.Join(home, "lib", "src.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, text := range sources {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return home
}

const readerSource = `package java.io;
public class Reader {
    int limit;
    public int read(byte[] b) {
        return read0(b, check(b));
    }
    public int read() { return -1; }
    public int read(java.util.List<byte[]>[] lists, int n) { return -1; }
    public int read(char[] b, int n) { return -1; }
    public <T> int read(T[] b, int n) { return -1; }
    public <T> void close(T what) { }
    private int check(byte[] b) {
        return b.length;
    }
}
`

func reader(first, call int32) *facts.Class {
	m := facts.Method{Name: "read", Desc: "([B)I", FirstLine: first, HasCode: true,
		Calls: []facts.Call{{Site: facts.Site{Line: call}, MemberRef: &facts.MemberRef{Name: "read0"}}}}
	return &facts.Class{Name: "java/io/Reader", SourceFile: "Reader.java",
		Methods: []facts.Method{{Name: "<init>", FirstLine: 2}, m}}
}

// A frame of the JDK leads to its line in the source, one without a line to the method's name; what
// has no source, or one of another version, leads nowhere.
func TestFind(t *testing.T) {
	home := made(t, map[string]string{"java.base/java/io/Reader.java": readerSource})
	good := map[string]*facts.Class{"java/io/Reader": reader(5, 5)}
	at := snapshot.Frame{Class: "java.io.Reader", Method: "read([B)I", Line: 5}
	for what, k := range map[string]struct {
		classes map[string]*facts.Class
		at      snapshot.Frame
		line    int
	}{
		"a line":             {good, snapshot.Frame{Class: "java.io.Reader", Method: "read([B)I", Line: 5}, 5},
		"no line":            {good, snapshot.Frame{Class: "java.io.Reader", Method: "check([B)I"}, 12},
		"one of two":         {good, snapshot.Frame{Class: "java.io.Reader", Method: "read()I"}, 7},
		"one of four":        {good, snapshot.Frame{Class: "java.io.Reader", Method: "read([Ljava/util/List;I)I"}, 8},
		"of an array":        {good, snapshot.Frame{Class: "java.io.Reader", Method: "read([CI)I"}, 9},
		"which is not known": {good, snapshot.Frame{Class: "java.io.Reader", Method: "read([Ljava/lang/Object;I)I"}, 0},
		"of a type variable": {good, snapshot.Frame{Class: "java.io.Reader", Method: "close(Ljava/lang/Object;)V"}, 11},
		"a constructor":      {good, snapshot.Frame{Class: "java.io.Reader", Method: "<init>()V", Line: 2}, 2},
		"a lambda":           {good, snapshot.Frame{Class: "java.io.Reader", Method: "lambda$read$0()V", Line: 5}, 5},
		"another class":      {good, snapshot.Frame{Class: "java.io.Writer", Method: "write()V", Line: 5}, 0},
		"no such method":     {good, snapshot.Frame{Class: "java.io.Reader", Method: "skip()V"}, 0},
		"a line outside":     {good, snapshot.Frame{Class: "java.io.Reader", Method: "read([B)I", Line: 13}, 0},
		"no class file":      {nil, snapshot.Frame{Class: "java.io.Reader", Method: "read([B)I", Line: 5}, 0},
		"other lines, first": {map[string]*facts.Class{"java/io/Reader": reader(3, 5)}, at, 0},
		"other lines, call":  {map[string]*facts.Class{"java/io/Reader": reader(5, 13)}, at, 0},
	} {
		s := New(t.TempDir())
		path, line := s.Find(code{home: home, classes: k.classes}, k.at)
		if line != k.line || (path == "") != (k.line == 0) {
			t.Errorf("%s: %s, %d; want line %d", what, path, line, k.line)
		}
		if path == "" {
			continue
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != readerSource {
			t.Errorf("%s: what is opened is %q, %v", what, text, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o222 != 0 {
			t.Errorf("%s: it can be written to: %v, %v", what, info, err)
		}
	}
	if path, _ := New("").Find(code{home: home, classes: good}, at); path != "" {
		t.Errorf("without a folder: %s", path)
	}
	if path, _ := New(t.TempDir()).Find(code{home: t.TempDir(), classes: good}, at); path != "" {
		t.Errorf("of a JDK without sources: %s", path)
	}
}

// Names in an archive do not lead out of the folder, and links are escaped.
func TestHostileNames(t *testing.T) {
	evil := "x](a) <b>#L9"
	source := "package p;\nclass A { void m() {\n} }\n"
	home := made(t, map[string]string{"../../evil/A.java": source, "/abs/A.java": source, "m/../../../p/A.java": source,
		"m\\p\\A.java": source, "java.base/" + evil + "/A.java": source})
	dir := filepath.Join(t.TempDir(), "sources")
	class := func(pkg string) map[string]*facts.Class {
		return map[string]*facts.Class{pkg + "/A": {Name: pkg + "/A", SourceFile: "A.java",
			Methods: []facts.Method{{Name: "m", FirstLine: 2}}}}
	}
	for _, pkg := range []string{"..", "../evil", "evil", "abs", "p", "../../p", "/abs"} {
		path, _ := New(dir).Find(code{home: home, classes: class(pkg)},
			snapshot.Frame{Class: strings.ReplaceAll(pkg+"/A", "/", "."), Method: "m()V", Line: 2})
		if path != "" {
			t.Errorf("%s leads to %s", pkg, path)
		}
	}
	if files, _ := os.ReadDir(filepath.Dir(dir)); len(files) != 0 {
		t.Errorf("something was written: %v", files)
	}
	link := New(dir).Links(code{home: home, classes: class(evil)}, codelens.FileURI("/ws"))
	target := link(snapshot.Frame{Class: evil + ".A", Method: "m()V", Line: 2})
	u, err := url.Parse(target)
	if err != nil || strings.ContainsAny(target, "()<> []") || u.Fragment != "L2" ||
		!strings.HasSuffix(u.Path, evil+"/A.java") {
		t.Errorf("the link is %q, %v", target, err)
	}
	if got := link(snapshot.Frame{File: "a/B.java", Line: 3}); got != "file:///ws/a/B.java#L3" {
		t.Errorf("a file of the workspace is at %s", got)
	}
}

// What is taken out is bounded: files, and JDKs.
func TestBounded(t *testing.T) {
	home := made(t, map[string]string{"java.base/java/io/Reader.java": readerSource})
	classes := map[string]*facts.Class{"java/io/Reader": reader(5, 5)}
	at := snapshot.Frame{Class: "java.io.Reader", Method: "read([B)I", Line: 5}
	dir := t.TempDir()
	for _, old := range []string{"a", "b", "c", "d", "e"} {
		os.MkdirAll(filepath.Join(dir, old), 0o755)
	}
	s := New(dir)
	if path, _ := s.Find(code{home: home, classes: classes}, at); path == "" {
		t.Fatal("it is not found")
	}
	if left, _ := os.ReadDir(dir); len(left) != maxArchives {
		t.Errorf("%d JDKs have folders", len(left))
	}
	full := New(t.TempDir())
	a := full.open(home)
	a.taken = maxTaken
	os.MkdirAll(a.dir, 0o700)
	if path, _ := full.Find(code{home: home, classes: classes}, at); path != "" {
		t.Errorf("taken out although there is no room: %s", path)
	}
}

// What was taken out and removed since is taken out again, and another folder is used at once.
func TestTakenOutAgain(t *testing.T) {
	home := made(t, map[string]string{"java.base/java/io/Reader.java": readerSource})
	from := code{home: home, classes: map[string]*facts.Class{"java/io/Reader": reader(5, 5)}}
	at := snapshot.Frame{Class: "java.io.Reader", Method: "read([B)I", Line: 5}
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	s := New(first)
	for what, next := range []func() string{
		func() string { return first },
		func() string { os.RemoveAll(first); return first },
		func() string { s.Use(second); return second },
		func() string { s.Use(second); return second },
	} {
		dir := next()
		path, line := s.Find(from, at)
		if text, err := os.ReadFile(path); err != nil || string(text) != readerSource || line != 5 ||
			!strings.HasPrefix(path, dir) {
			t.Errorf("step %d: %s:%d, %v", what, path, line, err)
		}
	}
	// Nor is one left that can be written to, as of a process that ended while it took it out.
	other := New(t.TempDir())
	path, _ := other.Find(from, at)
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ToUpper(readerSource)), 0o600); err != nil {
		t.Fatal(err)
	}
	other.Find(from, at)
	if text, err := os.ReadFile(path); err != nil || string(text) != readerSource {
		t.Errorf("what was written to is %q, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o222 != 0 {
		t.Errorf("it can be written to: %v, %v", info, err)
	}
	if s.archive.taken != int64(len(readerSource)) {
		t.Errorf("%d bytes are counted", s.archive.taken)
	}
	os.RemoveAll(second)
	s.archive.taken = maxTaken
	if path, _ := s.Find(from, at); path == "" {
		t.Error("there is no room in a folder that is gone")
	}
	if s.Use(""); s.archive != nil {
		t.Error("the archive is open still")
	}
	if path, _ := s.Find(from, at); path != "" {
		t.Errorf("without a folder: %s", path)
	}
}

// wellKnown are classes of all kinds: nested, generic, with lambdas, made of templates, and with
// thousands of lines.
var wellKnown = []string{"java.io.FileInputStream", "java.io.Reader", "java.lang.String",
	"java.util.ArrayList", "java.util.HashMap", "java.util.HashMap$TreeNode", "java.util.concurrent.FutureTask",
	"java.nio.file.Files", "sun.nio.fs.UnixPath", "java.nio.Buffer", "java.lang.Integer", "java.net.URI",
	"java.util.stream.ReferencePipeline", "java.lang.Thread", "java.util.Collections$UnmodifiableList",
	"java.lang.invoke.MethodHandles", "java.util.regex.Pattern", "java.time.LocalDate", "java.util.Scanner",
	"java.util.zip.ZipFile", "java.net.InetAddress", "java.math.BigInteger", "java.util.Formatter",
	"jdk.internal.reflect.Reflection", "java.util.Optional", "java.nio.HeapByteBuffer"}

// Where src.zip is that of the class files, these classes have their sources; where it is that of
// another version, nearly none has.
func TestRealJDK(t *testing.T) {
	seen := false
	for _, home := range testjdk.All(t) {
		if _, err := os.Stat(filepath.Join(home, "lib", "src.zip")); err != nil {
			continue
		}
		for _, classes := range testjdk.All(t) {
			jdk, err := classpath.OpenJDK(classes, classpath.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer jdk.Close()
			from := code{home: home, jdk: jdk}
			a := New(t.TempDir()).open(home)
			var all, found int
			for _, name := range wellKnown {
				c, _ := from.LibraryClass(strings.ReplaceAll(name, ".", "/"))
				if c == nil {
					continue
				}
				if all++; a.sourceOf(c) != nil {
					found++
				} else if home == classes {
					t.Errorf("%s of JDK %d has no source", name, jdk.Feature)
				}
			}
			t.Logf("sources of %s, classes of %s: %d of %d", filepath.Base(home), filepath.Base(classes), found, all)
			if all < 20 || home != classes && found > all/5 {
				t.Errorf("sources of %s are taken for %d of %d classes of %s", home, found, all, classes)
			}
			seen = seen || home == classes
		}
	}
	if !seen {
		testjdk.Missing(t, "a JDK with lib/src.zip")
	}
}
