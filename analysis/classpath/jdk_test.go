package classpath

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/jimage"
	"github.com/catchlens/catchlens/internal/testjdk"
)

func TestInstalledJDKs(t *testing.T) {
	for _, home := range testjdk.All(t) {
		jdk := openJDK(t, home)
		if want := testjdk.Feature(t, home); jdk.Feature != want || FeatureOf(jdk.Version) != want ||
			jdk.Vendor == "" || len(jdk.Problems) != 0 {
			t.Errorf("%s: %+v, want feature %d", home, jdk, want)
		}
		e := jdk.Entry()
		b, ok, err := e.Find("java/lang/Object")
		if err != nil || !ok {
			t.Fatalf("no Object: %v", err)
		}
		c, err := classfile.Parse(b)
		if err != nil || c.Name() != "java/lang/Object" || c.SuperName() != "" {
			t.Errorf("Object is %s: %v", c.Name(), err)
		}
		for _, name := range []string{"java/sql/Connection", "javax/net/ssl/SSLSocket", "com/sun/tools/javac/Main",
			"sun/nio/cs/ext/IBM037"} {
			if _, ok, err := e.Find(name); !ok && jdk.Feature >= 9 || err != nil {
				t.Errorf("%s: %v, %v", name, ok, err)
			}
		}
		for _, name := range []string{"java/lang/Absent", "p/A", "", "Object", "module-info", "java/lang",
			"java.lang/Object"} {
			if _, ok, err := e.Find(name); ok || err != nil {
				t.Errorf("%q: %v, %v", name, ok, err)
			}
		}
		services, err := e.Services()
		if err != nil || !slices.Contains(services["java/nio/file/spi/FileSystemProvider"],
			"jdk/nio/zipfs/ZipFileSystemProvider") {
			t.Errorf("file systems %q, %v", services["java/nio/file/spi/FileSystemProvider"], err)
		}
	}
}

func TestImage(t *testing.T) {
	jdk := openJDK(t, testjdk.AtLeast(t, 9))
	image := jdk.Entry().(*Image)
	for class, want := range map[string]string{"java/lang/Object": "java.base", "java/sql/Driver": "java.sql",
		"p/A": "", "Object": ""} {
		if m, ok, err := image.ModuleOf(class); m != want || ok != (want != "") || err != nil {
			t.Errorf("%s is in %q, %v, %v", class, m, ok, err)
		}
	}
	m, err := image.Module("java.sql")
	if err != nil || !slices.Contains(m.Uses, "java/sql/Driver") || m.Version == "" ||
		FeatureOf(m.Version) != jdk.Feature {
		t.Errorf("java.sql is %+v, %v", m, err)
	}
	if _, err := image.Module("no.such"); err == nil || !strings.Contains(err.Error(), image.Path()) {
		t.Errorf("a module that is not there: %v", err)
	}
	if b, ok, err := image.Resource("java/lang/uniName.dat"); len(b) == 0 || !ok || err != nil {
		t.Errorf("a resource of a package: %d bytes, %v, %v", len(b), ok, err)
	}
	if _, ok, err := image.Resource("META-INF/absent"); ok || err != nil {
		t.Errorf("a resource that is not there: %v, %v", ok, err)
	}
	all := names(t, image)
	if !slices.IsSorted(all) || len(all) < 25000 ||
		slices.ContainsFunc(all, func(n string) bool { return strings.HasSuffix(n, "module-info") }) {
		t.Errorf("%d classes, sorted: %v", len(all), slices.IsSorted(all))
	}
}

// fakeJDK8 writes the files of a JDK 8 with classes that say where they are.
func fakeJDK8(t *testing.T, home, lib string) {
	t.Helper()
	jar := func(name string, files ...file) { writeJar(t, filepath.Join(home, lib, name), files...) }
	jar("rt.jar", file{"META-INF/MANIFEST.MF", "Implementation-Version: 1.8.0_342\nMulti-Release: true\n"},
		file{"java/lang/Object.class", "rt"}, file{"both/X.class", "rt"},
		file{"META-INF/versions/9/java/lang/Object.class", "nine"})
	jar("resources.jar", file{"META-INF/services/a.S", "res.Provider"}, file{"both/X.class", "resources"})
	jar("jsse.jar", file{"javax/net/ssl/SSLSocket.class", "jsse"})
	jar("jce.jar", file{"javax/crypto/Cipher.class", "jce"})
	jar("charsets.jar", file{"sun/nio/cs/ext/Big5.class", "charsets"})
	jar("ext/zipfs.jar", file{"com/sun/nio/zipfs/Zip.class", "zipfs"}, file{"META-INF/services/a.S", "ext.Provider"})
	writeFile(t, filepath.Join(home, lib, "ext", "broken.jar"), "no zip")
	writeFile(t, filepath.Join(home, lib, "ext", "meta-index"), "no jar")
	jar("unrelated.jar", file{"un/Related.class", "unrelated"})
}

func TestJDK8(t *testing.T) {
	for _, lib := range []string{filepath.Join("jre", "lib"), "lib"} {
		home := t.TempDir()
		fakeJDK8(t, home, lib)
		if lib == "lib" { // a JRE, with a release file
			writeFile(t, filepath.Join(home, "release"),
				"JAVA_VERSION=\"1.8.0_402\"\r\nIMPLEMENTOR=\"Some One\"\nnonsense\n")
		}
		jdk := openJDK(t, home)
		version, vendor := "1.8.0_342", ""
		if lib == "lib" {
			version, vendor = "1.8.0_402", "Some One"
		}
		if jdk.Feature != 8 || jdk.Version != version || jdk.Vendor != vendor || jdk.Entry().Kind() != KindJDK8 ||
			jdk.Entry().Path() != home {
			t.Errorf("%+v", jdk)
		}
		if len(jdk.Problems) != 1 || filepath.Base(jdk.Problems[0].File) != "broken.jar" ||
			jdk.Problems[0].Severity != SeverityError {
			t.Errorf("problems %v", jdk.Problems)
		}
		e := jdk.Entry()
		for name, want := range map[string]string{"java/lang/Object": "rt", "javax/net/ssl/SSLSocket": "jsse",
			"javax/crypto/Cipher": "jce", "sun/nio/cs/ext/Big5": "charsets",
			"com/sun/nio/zipfs/Zip": "zipfs", "both/X": "resources", "un/Related": "-", "java/lang/Absent": "-"} {
			if got := content(e.Find(name)); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		want := []string{"both/X", "com/sun/nio/zipfs/Zip", "java/lang/Object", "javax/crypto/Cipher",
			"javax/net/ssl/SSLSocket", "sun/nio/cs/ext/Big5"}
		if got := names(t, e); !slices.Equal(got, want) {
			t.Errorf("classes %q", got)
		}
		if s, err := e.Services(); err != nil || !slices.Equal(s["a/S"], []string{"res/Provider", "ext/Provider"}) {
			t.Errorf("services %v, %v", s, err)
		}
		before, err := e.Digest()
		if err != nil {
			t.Fatal(err)
		}
		writeJar(t, filepath.Join(home, lib, "jce.jar"), file{"javax/crypto/Cipher.class", "other"})
		if after, err := e.Digest(); after == before || err != nil {
			t.Errorf("digest %s after %s, %v", after, before, err)
		}
	}
}

// TestJDK8Classes: real classes behind rt.jar, made of a newer JDK's.
func TestJDK8Classes(t *testing.T) {
	image := openJDK(t, testjdk.AtLeast(t, 9)).Entry()
	object, _, err := image.Find("java/lang/Object")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	writeJar(t, filepath.Join(home, "jre", "lib", "rt.jar"), file{"java/lang/Object.class", string(object)})
	jdk := openJDK(t, home)
	b, _, err := jdk.Entry().Find("java/lang/Object")
	if c, perr := classfile.Parse(b); err != nil || perr != nil || c.Name() != "java/lang/Object" {
		t.Errorf("Object: %v, %v", err, perr)
	}
	if jdk.Feature != 0 || jdk.Version != "" {
		t.Errorf("a version from nowhere: %+v", jdk)
	}
}

func TestNoJDK(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	writeFile(t, filepath.Join(empty, "release"), "JAVA_VERSION=\"17\"\n")
	rubbish := filepath.Join(dir, "rubbish")
	writeFile(t, filepath.Join(rubbish, "lib", "modules"), strings.Repeat("rubbish", 100))
	noZip := filepath.Join(dir, "nozip")
	writeFile(t, filepath.Join(noZip, "jre", "lib", "rt.jar"), "no zip")
	for _, home := range []string{filepath.Join(dir, "absent"), empty, rubbish, noZip} {
		if jdk, err := OpenJDK(home, Options{}); err == nil || !strings.Contains(err.Error(), home) {
			t.Errorf("%s: %v, %v", home, jdk, err)
		}
	}
	// A real image cut short opens or not, but never panics.
	image, err := os.ReadFile(jimage.PathIn(testjdk.AtLeast(t, 9)))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{20, 1000, 1 << 20, 2 << 20, 8 << 20} {
		home := filepath.Join(dir, "cut")
		writeFile(t, jimage.PathIn(home), string(image[:n]))
		jdk, err := OpenJDK(home, Options{})
		if err == nil {
			_, _, err = jdk.Entry().Find("java/lang/Object")
			jdk.Close()
		}
		if err == nil || !strings.Contains(err.Error(), home) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
}

// TestMacHome: a JDK bundle of macOS may be named by its outer folder.
func TestMacHome(t *testing.T) {
	outer := t.TempDir()
	inner := filepath.Join(outer, "Contents", "Home")
	fakeJDK8(t, inner, "lib")
	if jdk := openJDK(t, outer); jdk.Home != inner {
		t.Errorf("home %s", jdk.Home)
	}
}

func TestFeatureOf(t *testing.T) {
	for version, want := range map[string]int{"1.8.0_392": 8, "17.0.15": 17, "25": 25, "26-ea": 26, "9-internal": 9,
		"1.7.0": 7, "": 0, "x": 0, "1.": 0, "11.0.1+13": 11, "99999999999999999999": 0} {
		if got := FeatureOf(version); got != want {
			t.Errorf("feature of %q is %d, want %d", version, got, want)
		}
	}
}
