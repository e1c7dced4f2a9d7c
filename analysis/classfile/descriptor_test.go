package classfile

import (
	"slices"
	"testing"
)

func TestParameters(t *testing.T) {
	for desc, want := range map[string][]string{
		"()V": nil, "(I[JLa/B;)V": {"I", "[J", "La/B;"}, "([[La/B;D)La/C;": {"[[La/B;", "D"},
		"": nil, "(": nil, "(La/B": nil, "(ILa/B": {"I"}, "([": {"["},
	} {
		if got := Parameters(desc); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", desc, got, want)
		}
	}
}
