package datareach

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// Escapes.java has a try for each way by which an object comes into another state than that in
// which it was made. What each of them catches in a run is predicted.
func TestEscapes(t *testing.T) {
	file := filepath.Join("testdata", "Escapes.java")
	home, out := testjdk.JDK(t, 17), t.TempDir()
	testjdk.Javac(t, home, 17, nil, out, file)
	run, err := exec.Command(testjdk.Tool(home, "java"), "-cp", out, "escapes.Escapes").Output()
	if err != nil {
		t.Fatal(err)
	}
	var methods, thrown []string
	for line := range strings.Lines(string(run)) {
		method, class, _ := strings.Cut(strings.TrimSpace(line), " ")
		methods, thrown = append(methods, method), append(thrown, class)
	}
	tries := strings.Count(strings.Join(readLines(t, file), "\n"), "came(e);")
	if tries == 0 || tries != len(methods) {
		t.Fatalf("%d tries caught something, of %d", len(methods), tries)
	}
	p := compiledFor(t, 17, "escapes/Escapes", methods, file)
	class, _ := p.Class("escapes/Escapes")
	for i := range p.targets { // the outermost catch of a method comes last
		h := &p.targets[i]
		h.Handler = len(class.Methods[h.Method].Handlers()) - 1
	}
	r := p.confirmed(pointsto.Containers).Result()
	for i, m := range methods {
		var classes []string
		for _, id := range r.LinksAt(i) {
			classes = append(classes, r.Link(id).Site.Class)
		}
		if !slices.Contains(classes, thrown[i]) {
			t.Errorf("%s: %s threw, of %v", m, thrown[i], classes)
		}
	}
}
