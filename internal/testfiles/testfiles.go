// Package testfiles writes the folders that tests look at.
package testfiles

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files are the files of a test folder by slash path.
type Files map[string]string

// In writes the files below a folder, which it answers. A jar without text is an empty archive.
func (f Files) In(t testing.TB, dir string) string {
	t.Helper()
	for name, text := range f {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".jar") && text == "" {
			WriteJar(t, p)
			continue
		}
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// WriteJar writes an archive with a manifest and empty entries.
func WriteJar(t testing.TB, p string, entries ...string) {
	t.Helper()
	out, err := os.Create(p)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	z := zip.NewWriter(out)
	for _, e := range append(entries, "META-INF/MANIFEST.MF") {
		if _, err := z.Create(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// JDK writes the files of a JDK that are looked at, and answers its folder.
func JDK(t testing.TB, dir, version string, compiler bool) string {
	t.Helper()
	f := Files{"release": "IMPLEMENTOR=\"Test\"\nJAVA_VERSION=\"" + version + "\"\n", "lib/modules": ""}
	if compiler {
		f["bin/javac"] = ""
	}
	return f.In(t, filepath.Join(dir, "jdks", version))
}
