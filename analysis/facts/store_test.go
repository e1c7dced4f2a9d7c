package facts

import (
	"path/filepath"
	"reflect"
	"testing"
)

func TestStoreRoundTrip(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.java")
	records := compileRecords(t, configurations[2], files...)
	b := NewStoreBuilder()
	for _, r := range records {
		b.Add(r)
	}
	path := filepath.Join(t.TempDir(), "x.facts")
	key := StoreKey("x", "y")
	if err := b.WriteFile(path, key, true); err != nil {
		t.Fatal(err)
	}
	s, err := OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.key != key || !s.Whole() || s.Len() != len(records) {
		t.Errorf("store of %d classes, whole %v", s.Len(), s.Whole())
	}
	for _, r := range records {
		got, ok := s.Class(r.Name)
		if !ok || !reflect.DeepEqual(got, r) {
			t.Errorf("%s: got %+v\nwant %+v", r.Name, got, r)
		}
	}
	if _, ok := s.Class("p/Absent"); ok {
		t.Error("found a class that is not there")
	}
}
