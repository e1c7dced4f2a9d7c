package plan

import (
	"reflect"
	"slices"
	"testing"
)

// A plan with a place of any kind is not empty, or classes with probes of that kind alone would
// stay as they are.
func TestEmpty(t *testing.T) {
	// Catches have tries; points of fine-grain injection are added to plans that have some.
	besides := []string{"Catches", "Points", "Dropped"}
	if !new(Class).Empty() {
		t.Error("a plan of nothing is not empty")
	}
	fields := reflect.TypeFor[Class]()
	for i := range fields.NumField() {
		f := fields.Field(i)
		if f.Type.Kind() != reflect.Slice || slices.Contains(besides, f.Name) {
			continue
		}
		var c Class
		reflect.ValueOf(&c).Elem().Field(i).Set(reflect.MakeSlice(f.Type, 1, 1))
		if c.Empty() {
			t.Errorf("a plan with %s alone is empty: Empty does not ask for them", f.Name)
		}
	}
}
