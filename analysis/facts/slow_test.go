//go:build slow

package facts

import (
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// The whole of every JDK has records without problems, which a store keeps as
// they are. The log states size and times.
func TestStoreOfWholeJDKs(t *testing.T) {
	floors := map[int]struct{ classes, calls, throws int }{17: {26000, 800000, 39000}, 25: {26000, 800000, 40000}}
	for _, home := range testjdk.All(t) {
		jdk, err := classpath.OpenJDK(home, classpath.Options{})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		records := recordsOf(t, jdk.Entry(), 2)
		computed := time.Since(start)
		calls, throws := 0, 0
		for _, r := range records {
			for i := range r.Methods {
				checkInvariants(t, r, &r.Methods[i])
				calls += len(r.Methods[i].Calls)
				throws += len(r.Methods[i].Throws())
			}
		}
		if f := floors[jdk.Feature]; len(records) < f.classes || calls < f.calls || throws < f.throws {
			t.Errorf("JDK %d: %d classes, %d calls, %d throws: too few", jdk.Feature, len(records), calls, throws)
		}
		path := filepath.Join(t.TempDir(), "jdk.facts")
		start = time.Now()
		b := NewStoreBuilder()
		for _, r := range records {
			b.Add(r)
		}
		if err := b.WriteFile(path, StoreKey(home), true); err != nil {
			t.Fatal(err)
		}
		written := time.Since(start)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		start = time.Now()
		s, err := OpenStore(path)
		if err != nil {
			t.Fatal(err)
		}
		opened := time.Since(start)
		start = time.Now()
		decoded := make([]*Class, len(records))
		for i, r := range records {
			decoded[i], _ = s.Class(r.Name)
		}
		read := time.Since(start)
		for i, r := range records {
			if !reflect.DeepEqual(decoded[i], r) {
				t.Fatalf("%s: the stored record differs", r.Name)
			}
		}
		t.Logf("JDK %s: %d classes, %d calls, %d throws; computed on 2 goroutines %v, encoded and written %v, %d "+
			"bytes, opened %v, all decoded on one %v",
			jdk.Version, len(records), calls, throws, computed, written, info.Size(), opened, read)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		jdk.Close()
	}
}

// recordsOf computes the records of all classes of an entry.
func recordsOf(t *testing.T, e classpath.Entry, goroutines int) []*Class {
	t.Helper()
	var names []string
	if err := e.Each(func(n string) error { names = append(names, n); return nil }); err != nil {
		t.Fatal(err)
	}
	records := make([]*Class, len(names))
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := g; i < len(names); i += goroutines {
				data, _, err := e.Find(names[i])
				r, problems, err := FromFile(names[i], data, err, Options{})
				if err != nil || len(problems) > 0 {
					t.Error(err, problems)
				}
				records[i] = r
			}
		})
	}
	wg.Wait()
	return records
}

// Every jar of the public set has records without problems.
func TestPublicJars(t *testing.T) {
	for coordinates, floor := range map[string]int{
		"org.apache.commons:commons-lang3:3.17.0": 395,
		"commons-codec:commons-codec:1.17.1":      100,
		"org.apache.commons:commons-csv:1.12.0":   19,
		"commons-io:commons-io:2.18.0":            300,
		"joda-time:joda-time:2.10.14":             240,
		"org.beanshell:bsh:2.0b4":                 158,
		"net.bytebuddy:byte-buddy:1.14.12":        2500,
	} {
		path := testjdk.Artifact(t, coordinates)
		jar, err := classpath.OpenJar(path, classpath.Options{Feature: 17})
		if err != nil {
			t.Fatal(err)
		}
		records := recordsOf(t, jar, 1)
		for _, r := range records {
			for i := range r.Methods {
				checkInvariants(t, r, &r.Methods[i])
			}
		}
		if len(records) < floor {
			t.Errorf("%s: %d classes", coordinates, len(records))
		}
	}
}

// A class file cut short at any byte gives an error or problems, never a panic.
func TestTruncatedClassFiles(t *testing.T) {
	home := testjdk.JDK(t, 17)
	jdk, err := classpath.OpenJDK(home, classpath.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer jdk.Close()
	for _, name := range []string{"java/io/FileInputStream", "java/util/stream/Collectors"} {
		data, _, err := jdk.Entry().Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for n := range data {
			if _, _, err := FromFile(name, data[:n], nil, Options{}); err == nil {
				t.Errorf("%s cut at byte %d gives a record", name, n)
			}
		}
		flipped := 0
		for n := 10; n < len(data); n += 3 {
			spoiled := append([]byte(nil), data...)
			spoiled[n] ^= byte(1 + n%255)
			if c, err := classfile.Parse(spoiled); err == nil {
				r, _ := FromClass(c, spoiled, Options{Implicit: true})
				for i := range r.Methods {
					checkInvariants(t, r, &r.Methods[i])
				}
				flipped++
			}
		}
		if flipped < 1000 {
			t.Errorf("%s: only %d spoiled files parsed", name, flipped)
		}
	}
}
