//go:build slow

package known

import (
	"slices"
	"strings"
	"testing"
)

// TestPaper001 has all programs of paper 001, by both compilers and at several
// class file versions.
func TestPaper001(t *testing.T) {
	files := slices.DeleteFunc(paperFiles(t), func(path string) bool { return strings.Contains(path, "Stretching") })
	check(t, files,
		compilation{release: 8, jdk: 17},
		compilation{release: 17, jdk: 17},
		compilation{release: 25, jdk: 25},
		compilation{ecj: true, release: 8, jdk: 17},
		compilation{ecj: true, release: 17, jdk: 17})
}

// TestStretching has the cases of catch stretching (sections 3.4 and 4.3).
func TestStretching(t *testing.T) {
	check(t, paperFiles(t, "Stretching"), compilation{release: 17, jdk: 17})
}
