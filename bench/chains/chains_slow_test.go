//go:build slow

package chains

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/callchain"
	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// The chain (n1, n2, n4) of Figure 4 is a worst-case chain: no run takes it, but with conditions
// that come out by chance one does (sections 3.4 and 6). The others run as they are.
func TestWorstCaseChain(t *testing.T) {
	sources, err := filepath.Glob("../../testdata/known/paper004/text/*.java")
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	ctx, home, plain, dir := t.Context(), testjdk.JDK(t, 17), t.TempDir(), t.TempDir()
	testjdk.Javac(t, home, 17, nil, plain, sources...)
	rewritten, classes := filepath.Join(dir, "rewritten"), []string{"text/DecimalFormat", "text/FormatSymbols",
		"text/NumberFormat"}
	tools := &tools{dir: dir, jdk: home, java: "java", patched: filepath.Join(dir, "patched")}
	if err := tools.compile(ctx, plain, "../testdata/Drive.java"); err != nil {
		t.Fatal(err)
	}
	if err := tools.rewrite(ctx, plain, rewritten, classes); err != nil {
		t.Fatal(err)
	}
	run := func(abstracted bool) []string {
		file := filepath.Join(dir, fmt.Sprint(abstracted))
		args := append([]string{"--patch-module", "java.base=" + tools.patched}, exports[2:]...)
		if _, err := runTool(ctx, tools.tool("java"), append(args, "-cp", rewritten+":"+tools.made(), "Drive", file,
			fmt.Sprint(abstracted))...); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	ran := &runs{tests: run(false), abstracted: run(true)}
	if err := keep(rewritten, dir, classes); err != nil {
		t.Fatal(err)
	}

	p := programtest.Open(t, home, facts.Options{}, 2, tools.made(), plain)
	g := rta.Build(hierarchy.New(p), callgraph.Config{Workspace: p.Workspace,
		Entries: features.MainEntries(p, []string{"Drive"})})
	m, err := newMatcher(g, &component{name: "figure 1", classes: []string{"text.*"}}, dir)
	if err != nil {
		t.Fatal(err)
	}
	f := m.forest(callchain.BySite, maxCalls, true)
	names := callchain.NewNames(f, nil)
	taken, abstracted := m.found(f, ran.tests), m.found(f, ran.abstracted)
	var never, worst []string
	m.each(f, func(x *chain) {
		if text := x.text(names); !taken[x.number] && !abstracted[x.number] {
			never = append(never, text)
		} else if !taken[x.number] {
			worst = append(worst, text)
		}
	})
	const start = "0: DecimalFormat.toPattern() > 17: DecimalFormat.toPattern(boolean) > " +
		"29: FormatSymbols.getSeparator()"
	// With getDefault, which only getSeparator calls, it is four calls from main.
	want := []string{start, start + " > 13: FormatSymbols.getDefault()"}
	if !slices.Equal(worst, want) || len(never) > 0 || len(taken) < 8 {
		t.Errorf("%d chains were taken; worst-case: %q; never: %q", len(taken), worst, never)
	}
	r := m.row("rta", callchain.BySite, ran)
	if n := r.counts[maxCalls-1]; n.static != len(taken) || n.without != len(taken)+2 || n.tests != n.static ||
		n.taken != n.static || n.worst != 0 {
		t.Errorf("with what is passed: %+v, of %d chains that were taken", n, len(taken))
	}
	if n := r.counts[0]; n.static >= r.counts[1].static || n.static == 0 {
		t.Errorf("of one call: %+v, of two: %+v", n, r.counts[1])
	}
}
