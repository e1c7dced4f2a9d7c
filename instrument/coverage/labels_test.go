package coverage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// A run knows which ways it did not take: each is named as the source has it, whichever compiler
// made the branch.
func TestLabels(t *testing.T) {
	for name, compile := range map[string]compiler{"javac": testjdk.Javac, "ecj": testjdk.ECJCompile} {
		for _, release := range []int{8, 17} {
			t.Run(fmt.Sprint(name, "/", release), func(t *testing.T) {
				source := filepath.Join("testdata", "Labels.java")
				lines := covered(t, testjdk.JDK(t, 17), release, compile, source)
				text, err := os.ReadFile(source)
				if err != nil {
					t.Fatal(err)
				}
				named := 0
				for i, line := range strings.Split(string(text), "\n") {
					var got []string
					l := lines[i+1]
					labels := l.Labels(line)
					for _, b := range l.Branches {
						for way, taken := range b {
							if !taken {
								got = append(got, labels[way])
							}
							if strings.HasSuffix(labels[way], ": true") {
								named++
							}
						}
						labels = labels[len(b):]
					}
					_, want, _ := strings.Cut(line, "//# ")
					if got := strings.Join(got, ", "); got != want {
						t.Errorf("%s:%d: never taken: %q, want %q", source, i+1, got, want)
					}
				}
				if named < 20 {
					t.Errorf("only %d conditions have a name", named)
				}
			})
		}
	}
}
