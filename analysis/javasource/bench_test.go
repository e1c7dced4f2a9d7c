package javasource

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// benchSources reads the first n sources below a folder of a JDK's src.zip.
func benchSources(b *testing.B, under string, n int) [][]byte {
	b.Helper()
	for _, home := range testjdk.All(b) {
		file := filepath.Join(home, "lib", "src.zip")
		if _, err := os.Stat(file); err != nil {
			continue
		}
		z, err := zip.OpenReader(file)
		if err != nil {
			b.Fatal(err)
		}
		defer z.Close()
		var all [][]byte
		for _, f := range z.File {
			if !strings.HasPrefix(f.Name, under) || !strings.HasSuffix(f.Name, ".java") || len(all) == n {
				continue
			}
			r, err := f.Open()
			if err != nil {
				b.Fatal(err)
			}
			data, err := io.ReadAll(r)
			r.Close()
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, data)
		}
		return all
	}
	testjdk.Missing(b, "a JDK with lib/src.zip")
	return nil
}

// BenchmarkReparse parses one file of 5,000 lines, as each edit does.
func BenchmarkReparse(b *testing.B) {
	src := benchSources(b, "jdk.compiler/com/sun/tools/javac/comp/Attr.java", 1)[0]
	lines := strings.SplitAfterN(string(src), "\n", 5001)
	text := []byte(strings.Join(lines[:5000], ""))
	for _, x := range []struct {
		name string
		src  []byte
	}{{"whole", src}, {"5000", append(text, "}}}"...)}} { // the second is broken, too
		b.Run(fmt.Sprintf("%s-%dlines", x.name, strings.Count(string(x.src), "\n")), func(b *testing.B) {
			b.SetBytes(int64(len(x.src)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(x.src)
			}
		})
	}
}

// BenchmarkTree parses 626 files, the size of commons-lang with its tests.
func BenchmarkTree(b *testing.B) {
	files := benchSources(b, "java.base/java/", 626)
	size := 0
	for _, f := range files {
		size += len(f)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range files {
			Parse(f)
		}
	}
}

// BenchmarkManyTypes parses texts of many types and imports, each type with a catch of another one:
// the time for one of them stays the same.
func BenchmarkManyTypes(b *testing.B) {
	for _, n := range []int{1000, 10_000, 40_000} {
		var t strings.Builder
		for i := range n {
			fmt.Fprintf(&t, "import p.Other%d;\n", i)
		}
		for i := range n {
			fmt.Fprintf(&t, "class C%d { void m() { try { m(); } catch (C%d e) { } catch (Other%d e) { } } }\n",
				i, n-i, i)
		}
		text := []byte(t.String())
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Parse(text)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/type")
		})
	}
}
