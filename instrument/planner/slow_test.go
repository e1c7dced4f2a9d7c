//go:build slow

package planner

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/internal/testjdk"
)

func all(string) bool { return true }

// Every technique gives the coverage of all blocks and edges on all methods of a library.
func TestLibraryMethods(t *testing.T) {
	jar, err := classpath.OpenJar(testjdk.Artifact(t, "org.apache.commons:commons-lang3:3.17.0"),
		classpath.Options{Feature: 17})
	if err != nil {
		t.Fatal(err)
	}
	checkMethods(t, jar, all, 4000)
}

// The same on what the JDK has in java.util and below, and in java.io.
func TestJDKMethods(t *testing.T) {
	checkMethods(t, jdk(t), func(class string) bool {
		return strings.HasPrefix(class, "java/util/") || strings.HasPrefix(class, "java/io/")
	}, 8000)
}
