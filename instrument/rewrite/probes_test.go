package rewrite

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/instrument/plan"
)

// byMethod takes the places of each kind, and says so where they are not in the order of methods:
// what it does not know of stays without a probe.
func TestByMethodTakesAll(t *testing.T) {
	fields := reflect.TypeFor[plan.Class]()
	for i := range fields.NumField() {
		f := fields.Field(i)
		if f.Type.Kind() != reflect.Slice || f.Name == "Dropped" {
			continue // what is dropped has no probe
		}
		if _, ok := f.Type.Elem().FieldByName("Method"); !ok {
			continue // of no method
		}
		var c plan.Class
		places := reflect.MakeSlice(f.Type, 2, 2)
		places.Index(0).FieldByName("Method").SetUint(1)
		reflect.ValueOf(&c).Elem().Field(i).Set(places)
		if _, err := byMethod(&c, 2); err == nil {
			t.Errorf("%s of method 1 before one of method 0: byMethod does not look at them", f.Name)
		}
		if f.Name == "Catches" {
			continue // they have tries
		}
		c = plan.Class{}
		reflect.ValueOf(&c).Elem().Field(i).Set(reflect.MakeSlice(f.Type, 1, 1))
		if plans, err := byMethod(&c, 1); err != nil || plans[0].empty() {
			t.Errorf("a method with %s alone counts as one without probes (%v)", f.Name, err)
		}
	}
}

// The agent has a method for each probe, and so have the classes that stand in for it in tests.
func TestProbesHaveMethods(t *testing.T) {
	lacks := map[string][]string{"../agent/java": nil, "testdata/noop": nil,
		"testdata/harness": {"guard", "select"}} // its programs have no guards
	for dir, without := range lacks {
		file := filepath.Join(dir, "catchlens", "rt", "Probe.java")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range regexp.MustCompile(`public static \S+ (\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
		for _, p := range probeMethods {
			if p.name != "" && !slices.Contains(names, p.name) && !slices.Contains(without, p.name) {
				t.Errorf("rewritten classes call Probe.%s%s, which %s lacks", p.name, p.desc, file)
			}
		}
	}
}
