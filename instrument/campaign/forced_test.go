package campaign

import (
	"reflect"
	"testing"
)

// A look at the guards of one catch leaves what was seen at others, and replaces what was
// seen at its own.
func TestKeepGuardsOfOthers(t *testing.T) {
	old := &Touched{Catches: map[string][]string{"a": {"p/A.m()V#0", "p/A.m()V#1"}, "b": {"p/B.m()V#0"}}, Others: []string{"p/A.m()V#0", "p/B.m()V#0"}, Deps: []MethodID{1, 2}}
	now := &Touched{Catches: map[string][]string{"a": {"p/A.m()V#1"}}, Others: []string{"p/A.m()V#1"}, Deps: []MethodID{2, 3}}
	now.keep(old, map[string]*forcing{"p/A.m()V#0": {}, "p/A.m()V#1": {}, "p/C.m()V#0": nil})
	want := &Touched{Catches: map[string][]string{"a": {"p/A.m()V#1"}, "b": {"p/B.m()V#0"}}, Others: []string{"p/A.m()V#1", "p/B.m()V#0"}, Deps: []MethodID{1, 2, 3}}
	if !reflect.DeepEqual(now, want) {
		t.Errorf("%+v, want %+v", now, want)
	}
}
