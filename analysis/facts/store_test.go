package facts

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// fixtureRecords are the records of testdata as javac 25 compiles it.
func fixtureRecords(t *testing.T) []*Class {
	t.Helper()
	files, err := filepath.Glob("testdata/*.java")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	return compileRecords(t, configurations[2], files...)
}

func writeStore(t *testing.T, records []*Class, key [32]byte) string {
	t.Helper()
	b := NewStoreBuilder()
	for _, r := range records {
		b.Add(r)
	}
	path := filepath.Join(t.TempDir(), "x.facts")
	if err := b.WriteFile(path, key, true); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStoreRoundTrip(t *testing.T) {
	records := fixtureRecords(t)
	key := StoreKey("x", "y")
	path := writeStore(t, append(records, records[0]), key)
	s, err := OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Key != key || !s.Whole() || s.Len() != len(records) || s.Path() != path {
		t.Errorf("store of %d classes, whole %v", s.Len(), s.Whole())
	}
	var names []string
	var got []*Class
	for _, r := range records {
		c, ok := s.Class(r.Name)
		if !ok || !reflect.DeepEqual(c, r) {
			t.Errorf("%s: got %+v\nwant %+v", r.Name, c, r)
		}
		got = append(got, c)
		names = append(names, r.Name)
	}
	slices.Sort(names)
	if !slices.Equal(s.Names(), names) {
		t.Errorf("names %v, want %v", s.Names(), names)
	}
	for _, absent := range []string{"p/Absent", "", "p"} {
		if _, ok := s.Class(absent); ok || s.Has(absent) {
			t.Errorf("found %q, which is not there", absent)
		}
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, ok := s.Class(records[0].Name); ok || s.Has(records[0].Name) || s.Names() != nil {
		t.Error("a closed store answers")
	}
	if !reflect.DeepEqual(got, records) { // the file is gone from memory
		t.Error("records changed when the store was closed")
	}
}

// Whatever byte of a store is damaged: either it does not open, or classes are
// missing, or nothing has changed. It never gives wrong records.
func TestDamagedStore(t *testing.T) {
	records := fixtureRecords(t)
	whole, err := os.ReadFile(writeStore(t, records, StoreKey("x")))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "damaged.facts")
	check := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := OpenStore(path)
		if err != nil {
			if !errors.Is(err, ErrStore) {
				t.Errorf("%s: %v", what, err)
			}
			return
		}
		defer s.Close()
		missing := 0
		for _, r := range records {
			if c, ok := s.Class(r.Name); !ok {
				missing++
			} else if !reflect.DeepEqual(c, r) {
				t.Errorf("%s: wrong record of %s", what, r.Name)
			}
		}
		if missing == 0 {
			t.Errorf("%s: the damage was not seen", what)
		}
	}
	for at := 0; at < len(whole); at += 1 + at/64 {
		data := slices.Clone(whole)
		data[at] ^= 0x41
		check("a byte changed", data)
	}
	for _, n := range []int{0, 7, HeaderSize - 1, HeaderSize, len(whole) / 2, len(whole) - 1} {
		check("cut short", whole[:n])
	}
	check("extended", append(slices.Clone(whole), 0))
	check("text", []byte("this is not a store, it is a text that is a little longer than the header of a store would "+
		"be, so that it does not fail for its length alone"))
	if _, err := OpenStore(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
}

func FuzzOpenStore(f *testing.F) {
	b := NewStoreBuilder()
	b.Add(&Class{Name: "p/A", Super: "java/lang/Object", Methods: []Method{{Name: "m", Desc: "()V"}}})
	b.Add(&Class{Name: "p/B", Super: "p/A"})
	path := filepath.Join(f.TempDir(), "seed")
	if err := b.WriteFile(path, StoreKey("seed"), false); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:HeaderSize])
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < HeaderSize {
			return
		}
		s := &Store{data: data}
		if s.open() != "" {
			return
		}
		for _, name := range append(s.Names(), "p/A", "p/C") {
			s.Class(name)
		}
	})
}
