// Package flattest helps to test that a copy of what an analysis keeps shares nothing with the
// original, and that what was written is read again: whatever fields there are, also those that are
// new.
package flattest

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// Fill gives every empty list and map that x points to something, but for those in values of the
// types of which examples are given.
func Fill(x any, but ...any) {
	leave := map[reflect.Type]bool{}
	for _, b := range but {
		leave[reflect.TypeOf(b)] = true
	}
	fill(reflect.ValueOf(x).Elem(), 0, leave)
}

func fill(v reflect.Value, depth int, leave map[reflect.Type]bool) {
	if v.CanAddr() && !v.CanSet() {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	if leave[v.Type()] {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth, leave)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), depth, leave)
		}
	case reflect.Slice:
		if v.Len() == 0 && depth < 2 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 4))
			fill(v.Index(0), depth+1, leave)
		}
	case reflect.Map:
		if v.Len() == 0 {
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
		}
	}
}

// Memory collects the addresses of all slices and maps that have room in what x points to, by path;
// of slices in slices it looks at the first that has any. Paths that are shared on purpose are left
// out, with all below them.
func Memory(x any, shared map[string]bool) map[string]uintptr {
	out := map[string]uintptr{}
	memory(reflect.ValueOf(x).Elem(), "", shared, out)
	return out
}

func memory(v reflect.Value, path string, shared map[string]bool, out map[string]uintptr) {
	if shared[path] {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			memory(v.Field(i), strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."), shared, out)
		}
	case reflect.Array:
		for i := range v.Len() {
			memory(v.Index(i), path, shared, out)
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
				memory(e, path+"[]", shared, out)
			}
		}
	}
}

// CheckSharesNothing checks that of two values that are pointed to neither has a list of the
// other's, but for those that are shared on purpose, and that there are at least so many.
func CheckSharesNothing(t *testing.T, x, y any, shared map[string]bool, atLeast int) {
	t.Helper()
	before, after := Memory(x, shared), Memory(y, shared)
	if len(before) < atLeast {
		t.Errorf("only %d lists were found", len(before))
	}
	for path, p := range before {
		if after[path] == p {
			t.Errorf("%s is shared", path)
		}
	}
}

// Compare says where two values that are pointed to differ; lists without elements are equal. Paths
// that are left out begin with the given name.
func Compare(t *testing.T, name string, x, y any, leftOut map[string]bool) {
	t.Helper()
	compare(t, name, reflect.ValueOf(x).Elem(), reflect.ValueOf(y).Elem(), leftOut)
}

func compare(t *testing.T, path string, a, b reflect.Value, leftOut map[string]bool) {
	t.Helper()
	if leftOut[path] {
		return
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			compare(t, path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i), leftOut)
		}
	case reflect.Slice, reflect.Map:
		if a.Len() == 0 && b.Len() == 0 {
			return
		}
		if a.Len() != b.Len() {
			t.Errorf("%s has %d elements, read %d", path, a.Len(), b.Len())
			return
		}
		if a.Kind() == reflect.Map {
			for _, k := range a.MapKeys() {
				if v := b.MapIndex(k); !v.IsValid() {
					t.Errorf("%s lacks %v", path, k)
				} else {
					compare(t, path, a.MapIndex(k), v, leftOut)
				}
			}
			return
		}
		for i := range a.Len() {
			compare(t, path+"[]", a.Index(i), b.Index(i), leftOut)
		}
	case reflect.Array:
		for i := range a.Len() {
			compare(t, path+"[]", a.Index(i), b.Index(i), leftOut)
		}
	case reflect.Pointer:
		if a.IsNil() != b.IsNil() {
			t.Errorf("%s: only one is nil", path)
		} else if !a.IsNil() {
			compare(t, path, a.Elem(), b.Elem(), leftOut)
		}
	case reflect.Func:
	default:
		if !a.Equal(b) {
			t.Errorf("%s is %v, read %v", path, a, b)
		}
	}
}
