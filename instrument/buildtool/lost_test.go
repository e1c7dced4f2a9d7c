package buildtool

import "testing"

// A compiler that says it was done and wrote nothing of what it has compiled before has failed.
func TestLost(t *testing.T) {
	j := &job{st: &state{Sources: map[string]*sourceState{
		"A.java":            {Digest: "a", Classes: []string{"A.class"}},
		"package-info.java": {Digest: "p"},
	}}, digests: map[string]string{"A.java": "a", "package-info.java": "p", "New.java": "n"}}
	none := javacAnswer{ok: true}
	some := javacAnswer{ok: true, produced: map[string]string{"A.class": "A.java"}}
	for _, c := range []struct {
		name   string
		answer javacAnswer
		todo   []string
		want   bool
	}{
		{"nothing of what had a class", none, []string{"A.java", "package-info.java"}, true},
		{"something", some, []string{"A.java", "package-info.java"}, false},
		{"nothing of what never had one", none, []string{"package-info.java", "New.java"}, false},
	} {
		if got := j.compiledNothing(c.answer, c.todo); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
	j.digests["A.java"] = "all of it is a comment now"
	if j.compiledNothing(none, []string{"A.java"}) {
		t.Error("another content may have no class")
	}
}
