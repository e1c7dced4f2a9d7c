package pointsto

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
)

// sharedOnPurpose are the lists that a forked solver shares: what is in them is never
// written to, or only after it was copied.
var sharedOnPurpose = map[string]bool{
	"h": true, "cfg": true, "program.contexts.workspace": true,
	"arena.blocks[]": true, "arena.words[]": true, "large.sets[]": true, "program.lambdas[]": true,
	"program.initOf[]": true,
}

// memory collects the addresses of all slices and maps of a value that have room, by
// path; of slices in slices it looks at the first that has any.
func memory(v reflect.Value, path string, out map[string]uintptr) {
	if sharedOnPurpose[path] {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			memory(v.Field(i), strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."), out)
		}
	case reflect.Array:
		for i := range v.Len() {
			memory(v.Index(i), path, out)
		}
	case reflect.Map:
		if v.Len() > 0 {
			out[path] = v.Pointer()
		}
	case reflect.Slice:
		if v.Cap() == 0 {
			return
		}
		out[path] = v.Pointer()
		if v.Type().Elem().Kind() != reflect.Slice {
			return
		}
		for i := range v.Len() {
			if e := v.Index(i); e.Len() > 0 && e.Cap() > e.Len() { // who appends would write behind the other's
				memory(e, path+"[]", out)
			}
		}
	}
}

// A forked solver shares no list that either writes to. A field that is new fails
// here until fork copies it.
func TestForkSharesNothing(t *testing.T) {
	h := hierarchy.New(hierarchy.SourceFunc(func(name string) (*facts.Class, bool) {
		return &facts.Class{Name: name, Super: "java/lang/Object"}, name != "Missing"
	}))
	s := newSolver(h, callgraph.Config{}, Constructors)
	s.seed()
	s.solve()
	fill(reflect.ValueOf(s).Elem(), 0)
	s.work, s.ops, s.opArgs = nil, nil, nil
	before, after := map[string]uintptr{}, map[string]uintptr{}
	memory(reflect.ValueOf(s).Elem(), "", before)
	memory(reflect.ValueOf(s.fork(h.Source())).Elem(), "", after)
	if len(before) < 70 {
		t.Errorf("only %d lists were found", len(before))
	}
	for path, p := range before {
		if after[path] == p {
			t.Errorf("%s is shared", path)
		}
	}
}

// fill gives every empty list and map of a value something.
func fill(v reflect.Value, depth int) {
	if v.CanAddr() && !v.CanSet() {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type() != reflect.TypeFor[hierarchy.Hierarchy]() && v.Type() != reflect.TypeFor[callgraph.Config]() {
				fill(v.Field(i), depth)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), depth)
		}
	case reflect.Slice:
		if v.Len() == 0 && depth < 2 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 4))
			fill(v.Index(0), depth+1)
		}
	case reflect.Map:
		if v.Len() == 0 {
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
		}
	}
}
