package lab

import (
	"slices"
	"testing"
)

// The arguments of a JVM for a few tests leave the project's collector alone.
func TestLightArgs(t *testing.T) {
	for _, name := range []string{"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"} {
		t.Setenv(name, "")
	}
	const serial = "-XX:+UseSerialGC"
	for _, c := range []struct {
		args []string
		env  map[string]string
		want bool
	}{
		{nil, nil, true},
		{[]string{"-Xmx512m", "-ea"}, map[string]string{"LANG": "C"}, true},
		{[]string{"-XX:+UseParallelGC"}, nil, false},
		{[]string{"@more.args"}, nil, false},
		{nil, map[string]string{"JAVA_TOOL_OPTIONS": "-XX:+UseZGC"}, false},
	} {
		if got := lightArgs(25, c.args, c.env); slices.Contains(got, serial) != c.want ||
			!slices.Contains(got, "-XX:TieredStopAtLevel=1") {
			t.Errorf("%q, %q: %q", c.args, c.env, got)
		}
	}
	if got := lightArgs(17, nil, nil); slices.Contains(got, serial) {
		t.Errorf("JDK 17: %q", got)
	}
	t.Setenv("_JAVA_OPTIONS", "-XX:+UseG1GC")
	if got := lightArgs(25, nil, nil); slices.Contains(got, serial) {
		t.Errorf("a collector of the environment: %q", got)
	}
}
