package callchain_test

import (
	"bufio"
	"bytes"
	"maps"
	"os/exec"
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

// compiled is how a known program is compiled.
type compiled struct {
	compiler     testjdk.Compiler
	jdk, release int
}

// build compiles files, of testdata/known/paper004 where they have no full name, and gives their
// classes and their call graph; its entry points are the public methods.
func (c compiled) build(t *testing.T, files ...string) (classes string, g *callgraph.Graph) {
	t.Helper()
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		if !filepath.IsAbs(f) {
			files[i] = filepath.Join(root, "testdata", "known", "paper004", f)
		}
	}
	home, out := testjdk.JDK(t, c.jdk), t.TempDir()
	c.compiler(t, home, c.release, nil, out, files...)
	p := programtest.Open(t, home, facts.Options{}, 1, out)
	return out, rta.Build(hierarchy.New(p),
		callgraph.Config{Workspace: p.Workspace, Entries: features.PublicEntries(p, p.Workspace)})
}

// checkRuns runs the public methods of classes that take nothing, and compares the chains that ran
// with those of the forest: each must be there.
func checkRuns(t *testing.T, home, classes string, f *callchain.Forest, names ...string) {
	t.Helper()
	all := map[string]bool{}
	var walk func(n callchain.NodeID, above string)
	walk = func(n callchain.NodeID, above string) {
		m := f.Nodes[n].Method
		class := f.Graph.Class(m)
		name := class[strings.LastIndexByte(class, '/')+1:] + "." + f.Graph.Method(m).Name
		chain := strings.TrimSpace(above + " " + name)
		all[chain] = true
		for _, e := range f.Nodes[n].Edges {
			walk(e.To, chain)
		}
	}
	for _, r := range f.Roots {
		walk(r.ID, "")
	}
	cmd := exec.Command(testjdk.Tool(home, "java"), append([]string{"-cp", classes, "traced.Trace"}, names...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); ran++ {
		chain := lines.Text()
		if i := strings.LastIndex(chain, ".<clinit>"); i >= 0 {
			chain = chain[strings.LastIndexByte(chain[:i], ' ')+1:] // the VM has entered the component again
		}
		if !all[chain] {
			t.Errorf("%s ran, and is not in the forest", chain)
		}
	}
	if ran < 10 {
		t.Errorf("%d chains ran", ran)
	}
}

// What objects are that the chain passes: constants of enums in switches, text, classes, boxes.
// All compilers' code for it is understood, and no chain is left out that runs.
func TestObjects(t *testing.T) {
	compilers := map[string]compiled{"javac 8": {testjdk.Javac, 17, 8}, "javac 17": {testjdk.Javac, 17, 17},
		"javac 25": {testjdk.Javac, 25, 25}, "ecj 8": {testjdk.ECJCompile, 17, 8},
		"ecj 17": {testjdk.ECJCompile, 17, 17}}
	for _, name := range slices.Sorted(maps.Keys(compilers)) {
		t.Run(name, func(t *testing.T) {
			c := compilers[name]
			classes, g := c.build(t, "chains/Objects.java", "chains/Guards.java", "chains/Trace.java")
			f := callchain.Build(g, callchain.Options{Component: inPackage("chains"), Length: 5,
				Granularity: callchain.ByMethod, Skip: func(c callchain.Call) bool {
					return strings.HasPrefix(g.Method(c.To).Name, "$SWITCH_TABLE$") // of Eclipse's compiler
				}})
			check(t, f, []string{"Objects$Mode.inside",
				"Objects.switched", "Objects.defaulted", "Objects.caught", "Objects.eitherMode", "Objects.assignedMode",
				"Objects.ordinals", "Objects.falls", "Objects.early", "Objects.texts", "Objects.sameHash",
				"Objects.otherText", "Objects.equalText", "Objects.noText", "Objects.madeText", "Objects.kept",
				"Objects.turned", "Objects.circles", "Objects.squares", "Objects.constants", "Objects.nothing",
				"Objects.ofEnum", "Objects.replaced", "Objects.arrays", "Objects.boxes", "Objects.down",
				"Objects.dispatched", "Objects.two", "Objects.exchanged", "Objects.placed", "Objects.stored",
				"Objects.given", "Objects.lostMode"}, `
			Objects$Mode.inside
			  Objects$Mode.ownSwitch(Lchains/Objects$Mode;)
			    Objects.safe
			Objects.arrays
			  Objects$Ring.<init>
			    Objects$Circle.<init>
			  Objects.rest([Ljava/lang/Object;)
			    Objects.no
			    Objects.yes
			Objects.assignedMode
			  Objects.assigned(Lchains/Objects$Mode;)
			    Objects.fast
			    Objects.other
			    Objects.safe
			Objects.boxes
			  Objects.flag(Ljava/lang/Boolean;)
			    Objects.no
			    Objects.yes
			  Objects.number(Ljava/lang/Integer;)
			    Objects.fast
			Objects.caught
			  Objects.caught(Lchains/Objects$Mode;)
			    Objects.no
			    Objects.safe
			Objects.circles
			  Objects$Ring.<init>
			    Objects$Circle.<init>
			  Objects.kind(Ljava/lang/Object;)
			    Objects.fast
			Objects.constants
			  Objects.kind(Ljava/lang/Object;)
			    Objects.other
			Objects.defaulted
			  Objects.switchOf(Lchains/Objects$Mode;)
			    Objects.other
			Objects.dispatched
			  Objects$Inherits.<init>
			    Objects$One.<init>
			  Objects.handOn(Lchains/Objects$Task;)
			    Objects.run(Lchains/Objects$Task;)
			      Objects$One.run
			        Objects.yes
			Objects.down
			  Objects$Square.<init>
			  Objects.down(Ljava/lang/String;Ljava/lang/Object;)
			    Objects.further(Ljava/lang/Object;Ljava/lang/String;)
			      Objects.kind(Ljava/lang/Object;)
			        Objects.safe
			      Objects.text(Ljava/lang/String;)
			        Objects.fast
			Objects.early
			  Objects.earlySwitch(Lchains/Objects$Early;)
			    Objects.fast
			    Objects.no
			    Objects.other
			Objects.eitherMode
			  Objects.switchOf(Lchains/Objects$Mode;)
			    Objects.fast
			    Objects.other
			    Objects.safe
			Objects.equalText
			  Objects.either(Ljava/lang/String;)
			    Objects.yes
			  Objects.equal(Ljava/lang/String;)
			    Objects.yes
			  Objects.objectEqual(Ljava/lang/Object;)
			    Objects.yes
			  Objects.reversed(Ljava/lang/Object;)
			    Objects.no
			Objects.exchanged
			  Objects$One.<init>
			  Objects.exchanged(Lchains/Objects$Task;)
			    Objects$One.run
			      Objects.yes
			    Objects$Two.<init>
			    Objects$Two.run
			      Objects.no
			    Objects.other
			  Objects.lost(Lchains/Objects$Task;)
			    Objects$One.run
			      Objects.yes
			Objects.falls
			  Objects.through(Lchains/Objects$Mode;)
			    Objects.fast
			    Objects.safe
			Objects.given
			  Objects$One.<init>
			  Objects.given(Lchains/Objects$Task;)
			    Objects$One.run
			      Objects.yes
			    Objects$Two.run
			      Objects.no
			    Objects.other
			    Objects.pick
			      Objects$Two.<init>
			Objects.kept
			  Objects.kept(Ljava/lang/String;)
			    Objects.fast
			    Objects.yes
			Objects.lostMode
			  Objects.isFast(Lchains/Objects$Mode;)
			    Objects.fast
			    Objects.other
			Objects.madeText
			  Objects$Equal.<init>
			  Objects.equal(Ljava/lang/String;)
			    Objects.no
			    Objects.yes
			  Objects.objectEqual(Ljava/lang/Object;)
			    Objects$Equal.equals(Ljava/lang/Object;)
			    Objects.no
			    Objects.yes
			Objects.noText
			  Objects.reversed(Ljava/lang/Object;)
			    Objects.no
			Objects.nothing
			  Objects.comparable(Ljava/lang/Object;)
			    Objects.no
			Objects.ofEnum
			  Objects.comparable(Ljava/lang/Object;)
			    Objects.no
			    Objects.yes
			Objects.ordinals
			  Objects.ordinal(Lchains/Objects$Mode;)
			    Objects.yes
			Objects.otherText
			  Objects.text(Ljava/lang/String;)
			    Objects.other
			Objects.placed
			  Objects$One.<init>
			  Objects$Two.<init>
			  Objects.<init>
			  Objects.placed(Lchains/Objects$Task;JLchains/Objects$Task;)
			    Objects$One.run
			      Objects.yes
			Objects.replaced
			  Objects$Ring.<init>
			    Objects$Circle.<init>
			  Objects.replaced(Ljava/lang/Object;)
			    Objects.no
			    Objects.yes
			Objects.sameHash
			  Objects.text(Ljava/lang/String;)
			    Objects.no
			Objects.squares
			  Objects$Square.<init>
			  Objects.kind(Ljava/lang/Object;)
			    Objects.safe
			Objects.stored
			  Objects$One.<init>
			  Objects$Two.<init>
			  Objects.stored(Lchains/Objects$Task;[Lchains/Objects$Task;)
			    Objects$One.run
			      Objects.yes
			    Objects$Two.run
			      Objects.no
			    Objects.other
			Objects.switched
			  Objects.switchOf(Lchains/Objects$Mode;)
			    Objects.fast
			Objects.texts
			  Objects.text(Ljava/lang/String;)
			    Objects.safe
			Objects.turned
			  Objects.turned(Ljava/lang/String;)
			    Objects.no
			    Objects.yes
			Objects.two
			  Objects$Two.<init>
			  Objects.run(Lchains/Objects$Task;)
			    Objects$Two.run
			      Objects.no`)
			checkRuns(t, testjdk.JDK(t, c.jdk), classes, f, "chains.Objects", "chains.Objects$Mode", "chains.Guards")
		})
	}
}

// Switches on patterns are decided by the first label that matches.
func TestPatterns(t *testing.T) {
	classes, g := compiled{testjdk.Javac, 25, 25}.build(t, "patterns/Patterns.java", "chains/Trace.java")
	f := callchain.Build(g, callchain.Options{Component: inPackage("patterns"), Length: 4,
		Granularity: callchain.ByMethod, Skip: func(c callchain.Call) bool {
			return strings.HasPrefix(g.Class(c.To), "patterns/Patterns$") // records
		}})
	check(t, f, []string{"Patterns.modes", "Patterns.noMode", "Patterns.circles", "Patterns.squares", "Patterns.texts",
		"Patterns.numbers", "Patterns.again", "Patterns.words", "Patterns.noWord", "Patterns.keys", "Patterns.all",
		"Patterns.noTask"}, `
			Patterns.again
			  Patterns.again(Ljava/lang/Object;)
			    Patterns.first
			    Patterns.other
			    Patterns.second
			Patterns.all
			  Patterns.every(Lpatterns/Patterns$Mode;)
			    Patterns.third
			Patterns.circles
			  Patterns.shape(Lpatterns/Patterns$Shape;)
			    Patterns.first
			Patterns.keys
			  Patterns.key(Lpatterns/Patterns$Key;)
			    Patterns.first
			    Patterns.second
			Patterns.modes
			  Patterns.mode(Lpatterns/Patterns$Mode;)
			    Patterns.second
			    Patterns.third
			Patterns.noMode
			  Patterns.mode(Lpatterns/Patterns$Mode;)
			    Patterns.second
			    Patterns.third
			Patterns.noTask
			  Patterns.task(Ljava/lang/Runnable;)
			    Patterns.first
			    Patterns.second
			    Patterns.third
			Patterns.noWord
			  Patterns.word(Ljava/lang/String;)
			    Patterns.third
			Patterns.numbers
			  Patterns.guarded(Ljava/lang/Object;)
			    Patterns.third
			Patterns.squares
			  Patterns.shape(Lpatterns/Patterns$Shape;)
			    Patterns.second
			Patterns.texts
			  Patterns.guarded(Ljava/lang/Object;)
			    Patterns.first
			    Patterns.other
			    Patterns.second
			    Patterns.third
			Patterns.words
			  Patterns.word(Ljava/lang/String;)
			    Patterns.second`)
	checkRuns(t, testjdk.JDK(t, 25), classes, f, "patterns.Patterns")
}
