package main

import (
	"slices"
	"testing"
)

func TestFoldMissing(t *testing.T) {
	got := foldMissing([]string{
		"a:a:1 (jar) is not in the repository /r; build", "the folder lib does not exist",
		"b:b:1 (jar) is not in the repository /r; build", "x:x:1 (jar) is not in the repository /other; build",
		"c:c:1 (jar) is not in the repository /r; build", "d:d:1 (jar) is not in the repository /r; build",
		"e:e:1 (jar) is not in the repository /r; build", "y:y:1 (jar) is not in the repository /other; build",
		"v:v has no version; build", "v:v has no version; build", "w:w has no version; build",
		"annotation processor: p:p:1 (jar) is not in the repository /r",
		"annotation processor: q:q:1 (jar) is not in the repository /r",
	})
	want := []string{
		"a:a:1 (jar), b:b:1 (jar), c:c:1 (jar) and 2 more (--all lists them): none of them is in the repository " +
			"/r; build",
		"the folder lib does not exist",
		"x:x:1 (jar), y:y:1 (jar): none of them is in the repository /other; build",
		"v:v, w:w: none of them has a version; build",
		"annotation processors: p:p:1 (jar), q:q:1 (jar): none of them is in the repository /r",
	}
	if !slices.Equal(got, want) {
		t.Errorf("folded to\n%q, want\n%q", got, want)
	}
	if one := []string{"a:a:1 (jar) is not in the repository /r; build"}; !slices.Equal(foldMissing(one), one) {
		t.Errorf("a single row became %q", foldMissing(one))
	}
}
