package session

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/instrument/results"
	"github.com/catchlens/catchlens/instrument/worker"
	"github.com/catchlens/catchlens/internal/sealed"
)

// FuzzCache gives each reader of the cache folder a file of any content: as it is and, where a seal
// would keep it from being looked at, behind a good seal.
func FuzzCache(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, "20200101T000000.0-1.results")
	readers := []func() error{
		func() error { _, err := sealed.Read(path, "x"); return err },
		func() error { return sealed.CheckFile(path) },
		func() error { classpath.LoadDigestCache(path); return nil },
		func() error { _, err := worker.ReadBundle(path); return err },
		func() error {
			s, err := results.Open(dir)
			if err != nil {
				return err
			}
			s.Runs()
			s.Cells()
			return s.Close()
		},
		func() error {
			s, err := facts.OpenStore(path)
			if err != nil {
				return err
			}
			for _, name := range s.Names() {
				s.Class(name)
			}
			return s.Close()
		},
	}
	behind := []func(content []byte){
		func(content []byte) { build.ReadRuledOut(bytes.NewReader(content)) },
		func(content []byte) {
			if err := sealed.Write(path, "digests", content); err != nil {
				f.Error(err)
			}
			classpath.LoadDigestCache(path)
		},
	}
	for _, text := range []string{"", "{}", "clfacts\n", "CLB1", "catchlens results 3\n"} {
		for n := range len(readers) + len(behind) {
			f.Add(byte(n), []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, which byte, content []byte) {
		n := int(which) % (len(readers) + len(behind))
		if n >= len(readers) {
			behind[n-len(readers)](content)
			return
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = readers[n]() // an error or not: no panic, no end of memory
	})
}
