//go:build slow

package known

import "testing"

// TestPaper001 has all programs of paper 001, by both compilers and at several
// class file versions.
func TestPaper001(t *testing.T) {
	check(t, paperFiles(t),
		compilation{release: 8, jdk: 17},
		compilation{release: 17, jdk: 17},
		compilation{release: 25, jdk: 25},
		compilation{ecj: true, release: 8, jdk: 17},
		compilation{ecj: true, release: 17, jdk: 17})
}
