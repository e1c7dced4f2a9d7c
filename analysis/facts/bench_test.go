package facts

import (
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// baseFiles are the class files of java.base of JDK 17.
func baseFiles(b *testing.B) [][]byte {
	b.Helper()
	jdk, err := classpath.OpenJDK(testjdk.JDK(b, 17), classpath.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer jdk.Close()
	image := jdk.Entry().(*classpath.Image)
	var files [][]byte
	err = image.Each(func(name string) error {
		if m, _, err := image.ModuleOf(name); m != "java.base" {
			return err
		}
		data, _, err := image.Find(name)
		files = append(files, data)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return files
}

func baseRecords(b *testing.B) []*Class {
	var records []*Class
	for _, data := range baseFiles(b) {
		c, err := classfile.Parse(data)
		if err != nil {
			b.Fatal(err)
		}
		r, _ := FromClass(c, data, Options{})
		records = append(records, r)
	}
	return records
}

// BenchmarkFromClass makes the records of java.base, parsing included.
func BenchmarkFromClass(b *testing.B) {
	files := baseFiles(b)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for _, data := range files {
			c, err := classfile.Parse(data)
			if err != nil {
				b.Fatal(err)
			}
			FromClass(c, data, Options{})
		}
		n += len(files)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/class")
}

// BenchmarkEncode encodes the records of java.base.
func BenchmarkEncode(b *testing.B) {
	records := baseRecords(b)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		w := NewStoreBuilder()
		for _, r := range records {
			w.Add(r)
		}
		n += len(records)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/class")
}

// BenchmarkDecode decodes the records of java.base.
func BenchmarkDecode(b *testing.B) {
	w := NewStoreBuilder()
	for _, r := range baseRecords(b) {
		w.Add(r)
	}
	path := b.TempDir() + "/base.facts"
	if err := w.WriteFile(path, StoreKey("base"), true); err != nil {
		b.Fatal(err)
	}
	s, err := OpenStore(path)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	names := s.Names()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for _, name := range names {
			if _, ok := s.Class(name); !ok {
				b.Fatal(name)
			}
		}
		n += len(names)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/class")
}
