package reference

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// leastContrast is what WCAG 2.2 asks of text of normal size (1.4.3, level AA).
const leastContrast = 4.5

// luminance is the relative luminance of a colour such as #1a7f37 or #fff (WCAG 2.2).
func luminance(t *testing.T, color string) (sum float64) {
	t.Helper()
	hex := strings.TrimPrefix(color, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

var (
	colorScheme   = regexp.MustCompile(`:root \{ (--bg:[^}]*)\}`)
	lineScheme    = regexp.MustCompile(`:root \{ (--hit:[^}]*)\}`)
	colorProperty = regexp.MustCompile(`--(\w+):(#[0-9a-f]+);`)
)

// Text of the pages can be read on what it stands on, in the light and in the dark scheme.
func TestPageContrast(t *testing.T) {
	if got := contrast(t, "#fff", "#000000"); math.Abs(got-21) > 1e-9 {
		t.Fatalf("white on black has %v", got)
	}
	schemes := colorScheme.FindAllStringSubmatch(textOf(t, "internal/pagestyle/page.css"), -1)
	lines := lineScheme.FindAllStringSubmatch(textOf(t, "codelens/coveragepage/page.html"), -1)
	if len(schemes) != 2 || len(lines) != 2 {
		t.Fatalf("%d schemes, %d of lines", len(schemes), len(lines))
	}
	for i, s := range schemes {
		colors := map[string]string{}
		for _, p := range colorProperty.FindAllStringSubmatch(s[1]+strings.TrimSpace(lines[i][1])+";", -1) {
			colors[p[1]] = p[2]
		}
		for _, behind := range []string{"hit", "part", "missed"} {
			for _, text := range []string{"fg", "soft"} { // the source, and what stands beside it
				if got := contrast(t, colors[text], colors[behind]); got < leastContrast {
					t.Errorf("--%s (%s) on --%s (%s): %.2f", text, colors[text], behind, colors[behind], got)
				}
			}
		}
		for _, behind := range []string{"bg", "panel"} {
			for _, text := range []string{"fg", "soft", "good", "bad", "open", "link", "lens"} {
				if got := contrast(t, colors[text], colors[behind]); got < leastContrast {
					t.Errorf("--%s (%s) on --%s (%s): %.2f", text, colors[text], behind, colors[behind], got)
				}
			}
		}
	}
}

var moves = regexp.MustCompile(`@keyframes|\b(animation|transition)[\w-]*:|smooth`)

// Nothing moves on a page, so that nobody needs a setting against it.
func TestNothingMoves(t *testing.T) {
	for _, file := range []string{"internal/pagestyle/page.css", "codelens/report.html", "analysis/callchain/html.go",
		"codelens/coveragepage/page.html"} {
		if m := moves.FindString(textOf(t, file)); m != "" {
			t.Errorf("%s: %s", file, m)
		}
	}
	for _, m := range []string{"@keyframes x {", "animation-name: x", "transition:top 1s", "behavior: 'smooth'"} {
		if !moves.MatchString(m) {
			t.Errorf("%s is not found", m)
		}
	}
}
