package classpath

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// file is a file of a jar or folder that a test writes.
type file struct{ name, content string }

// class is a class file without members.
func class(t testing.TB, name string) string {
	t.Helper()
	c := &classfile.Class{Major: 52, Pool: classfile.NewConstantPool()}
	var err error
	if c.ThisIndex, err = c.Pool.AddClass(name); err != nil {
		t.Fatal(err)
	}
	if c.SuperIndex, err = c.Pool.AddClass("java/lang/Object"); err != nil {
		t.Fatal(err)
	}
	b, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeJar(t testing.TB, path string, files ...file) string {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for i, f := range files {
		method := zip.Deflate
		if i%2 == 1 {
			method = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: method})
		if err == nil {
			_, err = w.Write([]byte(f.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, buf.String())
	return path
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func writeFolder(t testing.TB, dir string, files ...file) string {
	t.Helper()
	for _, f := range files {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(f.name)), f.content)
	}
	return dir
}

func names(t testing.TB, e interface {
	Each(func(string) error) error
}) []string {
	t.Helper()
	var out []string
	if err := e.Each(func(name string) error { out = append(out, name); return nil }); err != nil {
		t.Error(err)
	}
	return out
}

// content is what an entry or path has under a name: "-" for nothing.
func content(b []byte, ok bool, err error) string {
	switch {
	case err != nil:
		return "error: " + err.Error()
	case !ok:
		return "-"
	}
	return string(b)
}

func openJar(t testing.TB, path string, feature int) *Jar {
	t.Helper()
	j, err := OpenJar(path, Options{Feature: feature})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestJarAndFolder(t *testing.T) {
	files := []file{
		{"META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nMain-Class: p.A\r\n\r\n"},
		{"p/A.class", "A"}, {"p/A$B.class", "A$B"}, {"p/q/C.class", "C"}, {"Top.class", "Top"},
		{"p/r.txt", "resource"}, {"p/empty", ""},
		{"module-info.class", class(t, "module-info")},
		{"META-INF/versions/9/p/A.class", "not a multi-release jar"},
		{"META-INF/services/java.util.function.Supplier", "# providers\n p.A # the first\r\n\np.q.C\np.A\n"},
	}
	dir := t.TempDir()
	for _, e := range []Entry{
		openJar(t, writeJar(t, filepath.Join(dir, "x.jar"), files...), 17),
		NewFolder(writeFolder(t, filepath.Join(dir, "x"), files...), Options{}),
	} {
		t.Run(string(e.Kind()), func(t *testing.T) {
			for name, want := range map[string]string{"p/A": "A", "p/A$B": "A$B", "p/q/C": "C", "Top": "Top",
				"p/D": "-", "p": "-", "": "-", "p/q": "-", "p.A": "-", "top": "-",
				"../x/p/A": "-", "/p/A": "-", "p/../p/A": "-", "p//A": "-", "p/A/x": "-", "p\x00": "-",
				strings.Repeat("x", 5000): "-"} {
				if got := content(e.Find(name)); got != want {
					t.Errorf("%.20q is %q, want %q", name, got, want)
				}
			}
			if got := content(e.Resource("p/r.txt")); got != "resource" {
				t.Errorf("resource %q", got)
			}
			if got := content(e.Resource("p/empty")); got != "" {
				t.Errorf("empty resource %q", got)
			}
			if got, want := names(t, e), []string{"Top", "p/A", "p/A$B", "p/q/C"}; !slices.Equal(got, want) {
				t.Errorf("classes %q, want %q", got, want)
			}
			services, err := e.Services()
			if want := []string{"p/A", "p/q/C"}; err != nil || len(services) != 1 ||
				!slices.Equal(services["java/util/function/Supplier"], want) {
				t.Errorf("services %q, %v", services, err)
			}
			stop := errors.New("stop")
			if err := e.Each(func(string) error { return stop }); err != stop {
				t.Errorf("a stopped walk returns %v", err)
			}
			a, err := e.Digest()
			b, err2 := e.Digest()
			if err != nil || err2 != nil || a != b || len(a) != 64 {
				t.Errorf("digests %s and %s, %v, %v", a, b, err, err2)
			}
		})
	}
}

// TestMultiRelease checks which version of a class each feature version sees.
func TestMultiRelease(t *testing.T) {
	files := []file{
		{"META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nmulti-release:  TRUE\n"},
		{"p/A.class", "base"},
		{"META-INF/versions/9/p/A.class", "nine"},
		{"META-INF/versions/11/p/A.class", "eleven"},
		{"META-INF/versions/8/p/A.class", "eight"},
		{"META-INF/versions/11/p/New.class", "new"},
		{"META-INF/versions/010/x", "ten"},
		{"META-INF/versions/eleven/p/A.class", "word"},
		{"META-INF/versions/9/META-INF/services/s.S", "nine.Provider"},
		{"META-INF/services/s.S", "base.Provider"},
		{"META-INF/versions/9/module-info.class", "module"},
	}
	path := writeJar(t, filepath.Join(t.TempDir(), "mr.jar"), files...)
	for feature, want := range map[int][2]string{0: {"base", "-"}, 8: {"base", "-"}, 9: {"nine", "-"},
		10: {"nine", "-"}, 11: {"eleven", "new"}, 25: {"eleven", "new"}} {
		j := openJar(t, path, feature)
		if got := [2]string{content(j.Find("p/A")), content(j.Find("p/New"))}; got != want || !j.MultiRelease() {
			t.Errorf("feature %d sees %q, want %q", feature, got, want)
		}
		list := []string{"p/A"}
		if want[1] != "-" {
			list = append(list, "p/New")
		}
		if got := names(t, j); !slices.Equal(got, list) {
			t.Errorf("feature %d lists %q, want %q", feature, got, list)
		}
		if got := content(j.Resource("META-INF/versions/9/p/A.class")); got != "nine" {
			t.Errorf("versioned file by its own name: %q", got)
		}
		if got := content(j.Resource("META-INF/services/s.S")); got != "base.Provider" {
			t.Errorf("feature %d sees services %q", feature, got)
		}
		module := "-"
		if feature >= 9 {
			module = "module"
		}
		if got := content(j.Find("module-info")); got != module {
			t.Errorf("feature %d sees module-info %q", feature, got)
		}
	}
	files[0].content = "Manifest-Version: 1.0\n\nName: p/\nMulti-Release: true\n" // not in the main section
	j := openJar(t, writeJar(t, filepath.Join(t.TempDir(), "plain.jar"), files...), 25)
	if got := content(j.Find("p/A")); got != "base" || j.MultiRelease() {
		t.Errorf("a plain jar shows %q", got)
	}
}

func TestPathOrderAndProblems(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	writeFolder(t, at("classes"), file{"p/A.class", "folder"})
	writeJar(t, at("one.jar"), file{"p/A.class", "one"}, file{"p/B.class", "one"})
	writeJar(t, at("two.zip"), file{"p/B.class", "two"}, file{"p/C.class", "two"}, file{"r", "two"})
	writeJar(t, at("lib/z.jar"), file{"p/Z.class", "z"}, file{"p/Y.class", "z"})
	writeJar(t, at("lib/y.JAR"), file{"p/Y.class", "y"})
	writeFile(t, at("lib/readme.txt"), "no jar")
	writeFile(t, at("text.jar"), "this is no zip")
	writeFile(t, at("empty.jar"), "")
	whole, err := os.ReadFile(at("one.jar"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, at("cut.jar"), string(whole[:len(whole)-30]))
	p := Open([]string{at("classes"), at("absent.jar"), "", at("one.jar"), at("two.zip"), at("text.jar"),
		at("lib") + string(filepath.Separator) + "*",
		at("one.jar"), at("empty.jar"), at("cut.jar"), at("text.jar") + "/below", at("nolib") + "/*"},
		Options{Feature: 17})
	var kinds []Kind
	for _, e := range p.Entries {
		kinds = append(kinds, e.Kind())
	}
	if want := []Kind{KindFolder, KindJar, KindJar, KindJar, KindJar}; !slices.Equal(kinds, want) {
		t.Errorf("entries %q", kinds)
	}
	for name, want := range map[string][2]string{"p/A": {"folder", "classes"}, "p/B": {"one", "one.jar"},
		"p/C": {"two", "two.zip"}, "p/Y": {"y", "lib/y.JAR"}, "p/Z": {"z", "lib/z.jar"}} {
		b, e, err := p.Find(name)
		if err != nil || string(b) != want[0] || e == nil || e.Path() != at(filepath.FromSlash(want[1])) {
			t.Errorf("%s is %q in %v, %v", name, b, e, err)
		}
	}
	if b, e, err := p.Find("p/None"); b != nil || e != nil || err != nil {
		t.Errorf("p/None is %q in %v, %v", b, e, err)
	}
	if b, e, err := p.Resource("r"); string(b) != "two" || e == nil || err != nil {
		t.Errorf("r is %q, %v", b, err)
	}
	var listed []string
	if err := p.Each(func(name string, e Entry) error {
		listed = append(listed, name+" "+filepath.Base(e.Path()))
		return nil
	}); err != nil {
		t.Error(err)
	}
	if want := []string{"p/A classes", "p/B one.jar", "p/C two.zip", "p/Y y.JAR", "p/Z z.jar"}; !slices.Equal(listed,
		want) {
		t.Errorf("listed %q", listed)
	}
	type problem struct {
		severity Severity
		file     string
	}
	var got []problem
	for _, pr := range p.Problems {
		if pr.Message == "" || strings.Contains(pr.Message, dir) {
			t.Errorf("message %q of %s", pr.Message, pr.File)
		}
		got = append(got, problem{pr.Severity, pr.File})
	}
	want := []problem{{SeverityWarning, at("absent.jar")}, {SeverityError, at("text.jar")},
		{SeverityError, at("empty.jar")}, {SeverityError, at("cut.jar")},
		{SeverityError, filepath.Join(at("text.jar"), "below")}, {SeverityError, at("nolib")}}
	if !slices.Equal(got, want) {
		t.Errorf("problems %v, want %v", p.Problems, want)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestManifestClassPath(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	writeJar(t, at("with space/b.jar"), file{"B.class", "b"}, file{"META-INF/MANIFEST.MF", "Class-Path: ../a.jar\n"})
	writeFolder(t, at("classes"), file{"F.class", "f"})
	writeJar(t, at("late.jar"), file{"B.class", "late"}, file{"L.class", "late"})
	manifest := "Manifest-Version: 1.0\r\nClass-Path: with%20space/b.jar absent.jar http://example.org/x.jar file:" +
		filepath.ToSlash(dir) + "/cla\r\n sses/ %zz\r\n"
	writeJar(t, at("a.jar"), file{"META-INF/MANIFEST.MF", manifest}, file{"A.class", "a"})
	p := Open([]string{at("a.jar"), at("late.jar")}, Options{})
	var got []string
	for _, e := range p.Entries {
		got = append(got, filepath.Base(e.Path()))
	}
	if want := []string{"a.jar", "b.jar", "classes", "late.jar"}; !slices.Equal(got, want) || len(p.Problems) != 0 {
		t.Errorf("entries %q, problems %v", got, p.Problems)
	}
	if b, _, _ := p.Find("B"); string(b) != "b" {
		t.Errorf("B is %q: a jar's Class-Path comes before the next entry", b)
	}
}

func TestServicesOfPath(t *testing.T) {
	dir := t.TempDir()
	one := writeJar(t, filepath.Join(dir, "one.jar"), file{"META-INF/services/a.S", "x.One\nx.Two"},
		file{"META-INF/services/sub/a.S", "x.Three"}, file{"META-INF/services/", ""})
	two := writeJar(t, filepath.Join(dir, "two.jar"), file{"META-INF/services/a.S", "x.Two\r\nx.Four"},
		file{"META-INF/services/b.T", "#none"})
	bad := writeJar(t, filepath.Join(dir, "bad.jar"), file{"META-INF/services/a.S", "x.Five"},
		file{"module-info.class", "rubbish"})
	p := Open([]string{one, two, bad}, Options{})
	services, problems := p.Services()
	if got, want := fmt.Sprint(services), "map[a/S:[x/One x/Two x/Four x/Five] b/T:[]]"; got != want {
		t.Errorf("services %s, want %s", got, want)
	}
	if len(problems) != 1 || problems[0].File != bad {
		t.Errorf("problems %v", problems)
	}
}

// TestBrokenJars damages every byte of a jar: each answer is a whole file or an
// error that names the jar.
func TestBrokenJars(t *testing.T) {
	dir := t.TempDir()
	path := writeJar(t, filepath.Join(dir, "x.jar"), file{"META-INF/MANIFEST.MF", "Multi-Release: true\n"},
		file{"p/A.class", "stored content"}, file{"META-INF/versions/9/p/B.class", strings.Repeat("packed ", 30)})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	errs := 0
	for i := range data {
		old := data[i]
		data[i] ^= 0x41
		writeFile(t, path, string(data))
		data[i] = old
		j, err := OpenJar(path, Options{Feature: 9})
		if err != nil {
			errs++
			if !strings.Contains(err.Error(), path) {
				t.Fatalf("byte %d: %v", i, err)
			}
			continue
		}
		for name, want := range map[string]string{"p/A": "stored content", "p/B": strings.Repeat("packed ", 30)} {
			b, ok, err := j.Find(name)
			if err != nil {
				errs++
				if !strings.Contains(err.Error(), path) {
					t.Fatalf("byte %d: %v", i, err)
				}
			} else if ok && string(b) != want {
				t.Errorf("byte %d: %s is %q", i, name, b)
			}
		}
	}
	if errs < len(data)/4 {
		t.Errorf("only %d errors for %d bytes", errs, len(data))
	}
}

func TestChangedJar(t *testing.T) {
	path := writeJar(t, filepath.Join(t.TempDir(), "x.jar"), file{"A.class", "first"})
	j := openJar(t, path, 0)
	before, err := j.Digest()
	if err != nil {
		t.Fatal(err)
	}
	release, err := j.Hold()
	if err != nil {
		t.Fatal(err)
	}
	release()
	release() // once is enough, twice does no harm
	writeJar(t, path, file{"A.class", "second version"})
	if _, _, err := j.Find("A"); !errors.Is(err, ErrChanged) {
		t.Errorf("a changed jar: %v", err)
	}
	if after, err := j.Digest(); err != nil || after == before {
		t.Errorf("digest %s after %s, %v", after, before, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := j.Find("A"); ok || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a removed jar: %v, %v", ok, err)
	}
	if got := content(j.Find("B")); got != "-" {
		t.Errorf("a class that the removed jar never had: %q", got)
	}
}

func TestDuplicateNamesInJar(t *testing.T) {
	path := writeJar(t, filepath.Join(t.TempDir(), "x.jar"), file{"A.class", "first"}, file{"A.class", "second"},
		file{"d/", ""}, file{"d/x.class/", ""})
	j := openJar(t, path, 0)
	if got := content(j.Find("A")); got != "second" {
		t.Errorf("A is %q; java.util.zip takes the last", got)
	}
	if got := names(t, j); !slices.Equal(got, []string{"A"}) {
		t.Errorf("classes %q", got)
	}
}

func TestFolderFollowsChanges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	d := NewFolder(dir, Options{})
	if got := names(t, d); got != nil || content(d.Find("A")) != "-" {
		t.Errorf("a folder that does not exist holds %q", got)
	}
	empty, err := d.Digest()
	if err != nil {
		t.Fatal(err)
	}
	writeFolder(t, dir, file{"A.class", "a"}, file{"META-INF/services", "a file where a folder is usual"},
		file{"B.class/in.txt", "a folder called B.class"})
	if content(d.Find("A")) != "a" || !slices.Equal(names(t, d), []string{"A"}) {
		t.Error("the new class is not seen")
	}
	if got := content(d.Find("B")); got != "-" {
		t.Errorf("a folder called B.class is read as %q", got)
	}
	if s, err := d.Services(); len(s) != 0 || err != nil {
		t.Errorf("services %v, %v", s, err)
	}
	one, _ := d.Digest()
	writeFile(t, filepath.Join(dir, "A.class"), "b")
	two, _ := d.Digest()
	if err := os.Rename(filepath.Join(dir, "A.class"), filepath.Join(dir, "C.class")); err != nil {
		t.Fatal(err)
	}
	three, err := d.Digest()
	if err != nil || empty == one || one == two || two == three {
		t.Errorf("digests %s %s %s %s, %v", empty, one, two, three, err)
	}
}

func TestDigestCache(t *testing.T) {
	dir := t.TempDir()
	path, store := filepath.Join(dir, "f"), filepath.Join(dir, "cache.json")
	writeFile(t, path, "one")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	c := LoadDigestCache(store)
	one, err := c.File(path)
	if err != nil || one != "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed" {
		t.Fatalf("%s, %v", one, err)
	}
	if err := c.Save(store); err != nil {
		t.Fatal(err)
	}
	// Same size and time: the digest is the remembered one, from the file too.
	writeFile(t, path, "two")
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if again, err := LoadDigestCache(store).File(path); again != one || err != nil {
		t.Errorf("%s, %v", again, err)
	}
	if fresh, err := NewDigestCache().File(path); fresh == one || err != nil {
		t.Errorf("%s, %v", fresh, err)
	}
	// A file that has just changed may change again within its time stamp.
	writeFile(t, path, "three")
	if _, err := c.File(path); err != nil {
		t.Fatal(err)
	}
	now, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, "other")
	if err := os.Chtimes(path, now.ModTime(), now.ModTime()); err != nil {
		t.Fatal(err)
	}
	a, err := c.File(path)
	if b, _ := NewDigestCache().File(path); a != b || err != nil {
		t.Errorf("a file changed at once has digest %s, want %s, %v", a, b, err)
	}
	writeFile(t, store, "{damaged")
	if d := LoadDigestCache(store); len(d.entries) != 0 {
		t.Error("a damaged cache has entries")
	}
	if _, err := c.File(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
}

// TestConcurrentUse reads one jar and one JDK from several goroutines.
func TestConcurrentUse(t *testing.T) {
	var files []file
	for i := range 50 {
		files = append(files, file{fmt.Sprintf("p/C%d.class", i), strings.Repeat(fmt.Sprint(i), 200)})
	}
	dir := t.TempDir()
	p := Open([]string{writeJar(t, filepath.Join(dir, "a.jar"), files...),
		writeFolder(t, filepath.Join(dir, "b"), file{"q/D.class", "d"})}, Options{})
	p.Entries = append(p.Entries, openJDK(t, testjdk.AtLeast(t, 9)).Entry())
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				b, _, err := p.Find(fmt.Sprintf("p/C%d", (i+g)%50))
				if want := strings.Repeat(fmt.Sprint((i+g)%50), 200); err != nil || string(b) != want {
					t.Errorf("%d: %q, %v", i, b, err)
				}
			}
			if b, _, err := p.Find("java/lang/Object"); len(b) == 0 || err != nil {
				t.Errorf("Object: %v", err)
			}
			if n := len(names(t, p.Entries[2])); n < 20000 {
				t.Errorf("%d classes", n)
			}
		})
	}
	wg.Wait()
}

// FuzzJar opens jars of any content and reads what they list.
func FuzzJar(f *testing.F) {
	dir := f.TempDir()
	path := writeJar(f, filepath.Join(dir, "x.jar"),
		file{"META-INF/MANIFEST.MF", "Multi-Release: true\nClass-Path: a.jar\n"}, file{"p/A.class", "a"},
		file{"META-INF/versions/9/p/A.class", "b"}, file{"META-INF/services/s.S", "p.A"})
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	at := filepath.Join(f.TempDir(), "fuzz.jar") // one for all: a folder for each execution takes most of the time
	f.Fuzz(func(t *testing.T, data []byte) {
		path := at
		writeFile(t, path, string(data))
		j, err := OpenJar(path, Options{Feature: 25})
		if err != nil {
			return
		}
		for _, name := range names(t, j) {
			if _, ok, err := j.Find(name); !ok && err == nil {
				t.Errorf("%q is listed and not there", name)
			}
		}
		_, _ = j.Services() // an error or not: no panic
	})
}
