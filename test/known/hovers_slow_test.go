//go:build slow

package known

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/codelens"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// hover is what the hovers of a catch, in both settings of words, or the page behind its lens, say.
type hover struct {
	program, method string
	graphs          []string // those of which it is true
	has, hasNot     []string // without the targets of links
}

var (
	merging = []string{"cha", "rta", "pta", "inpta", "pta-dr"} // one buffered stream is as the other
	telling = []string{"inpta-dr", "obj-dr"}
	viaFile = "`Transfer.readFile:25` → `BufferedInputStream.read:17` → `BufferedInputStream.fill:32` → " +
		"`FileIn.read:15` → `FileIn.read0`"
	viaNet = "`Transfer.readNet:40` → `BufferedInputStream.read:17` → `BufferedInputStream.fill:32` → " +
		"`SocketIn.read:15` → `SocketIn.read0`"
	// What the JDK's buffered stream over a file or socket comes to.
	viaBytes = "`TransferJdk.readFile:63` → `FilterInputStream.read:106` → `BufferedInputStream.read:343` → " +
		"`BufferedInputStream.read1:282` → `FileInputStream.read:276` → `FileInputStream.readBytes`"
	viaSocks = "→ `NioSocketImpl.available:847` → `Net.available`"
)

var hovers = []hover{
	{"fig4", "readFile", merging, []string{"Not tested: 2 of 2 failures.", "2 throw sites", viaFile,
		"`Transfer.readFile:25` → `BufferedInputStream.read:17` → `BufferedInputStream.fill:32` → `SocketIn.read:15` " +
			"→ `SocketIn.read0`"},
		[]string{"Ruled out"}},
	{"fig4", "readFile", telling, []string{"Not tested: 1 of 1 failure.", "1 throw site\n", viaFile,
		"Ruled out: 1 further throw site.\n\n- `SocketIn.read0 (native)`: no `SocketIn` can be reached from here\n"},
		[]string{"→ `SocketIn"}},
	{"fig4", "readNet", telling, []string{"1 throw site\n", viaNet,
		"Ruled out: 1 further throw site.\n\n- `FileIn.read0 (native)`: no `FileIn` can be reached from here\n"},
		[]string{"→ `FileIn"}},
	{"fig4jdk", "readFile", telling, []string{viaBytes, "no `NioSocketImpl` can be reached from here",
		"no `FileDispatcherImpl` can be reached from here", "its condition holds in no call from here"},
		[]string{"→ `Socket", "→ `NioSocketImpl", "none of the ways"}},
	{"fig4jdk", "readNet", telling, []string{viaSocks,
		"`FileInputStream.available0 (native)`: no `FileInputStream` can be reached from here",
		"no `RandomAccessFile` can be reached from here"},
		[]string{"→ `FileInputStream", "→ `RandomAccessFile", "none of the ways"}},
	{"fig4jdk", "readNet", []string{"pta", "inpta"}, []string{"`FileInputStream.readBytes`", "`Net.available`"},
		[]string{"Ruled out"}},
	{"container", "concatenate", []string{"inpta", "inpta-dr"},
		[]string{"`Sequence.concatenate:87` → `Sequence.SequenceIn.read:70` → `Sequence.Unzip.read:47`"},
		[]string{"Ruled out"}},
	// The points-to analysis of obj-dr itself has no such call, so that there is nothing to rule
	// out.
	{"container", "concatenate", []string{"obj-dr"},
		[]string{"1 throw site\n", "`Sequence.concatenate:87` → `Sequence.SequenceIn.read:70` → " +
			"`Sequence.FileIn.read:30` → `Sequence.FileIn.read0`"},
		[]string{"Unzip", "Ruled out"}},
	{"container", "unpack", snapshot.CallGraphs,
		[]string{"`Sequence.unpack:101` → `Sequence.Unzip.read:47`", "`Sequence.FileIn.read0`"}, nil},
}

// TestHovers asks for what a person reads about links of paper 000's examples that
// some call graphs predict and others discard, and for the chains that are left.
func TestHovers(t *testing.T) {
	cache := scratch.CacheDir(t)
	for _, program := range []string{"fig4", "fig4jdk", "container"} {
		t.Run(program, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "src"),
				os.DirFS(filepath.Join("..", "..", "testdata", "known", "paper000", program))); err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(dir, "src", "*.java"))
			more, err2 := filepath.Glob(filepath.Join(dir, "src", "*", "*.java"))
			if files = append(files, more...); err != nil || err2 != nil || len(files) == 0 {
				t.Fatalf("%d programs: %v, %v", len(files), err, err2)
			}
			jdk := testjdk.JDK(t, 17)
			testjdk.Javac(t, jdk, 8, nil, filepath.Join(dir, "out"), files...)
			scratch.Write(t, filepath.Join(dir, "catchlens.toml"),
				fmt.Sprintf("build = \"plain\"\njdk = %q\nsources = [\"src\"]\noutputs = [\"out\"]\n", jdk))
			for _, graph := range snapshot.CallGraphs {
				t.Run(graph, func(t *testing.T) { checkHovers(t, dir, cache, program, graph) })
			}
		})
	}
}

var linkTarget = regexp.MustCompile(`\[(` + "`[^`]*`" + `)\]\([^)]*\)`)

// checkHovers checks one program with one call graph.
func checkHovers(t *testing.T, dir, cache, program, graph string) {
	s, err := session.Open([]string{dir},
		session.Options{CacheDir: cache, Settings: snapshot.Settings{CallGraph: graph, EntryPoints: "mains"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	v, uri := s.View(), codelens.FileURI(dir)
	terms := v
	terms.Words = "paper"
	said := map[string]string{}
	for _, c := range v.Snap.Catches {
		method, _, _ := strings.Cut(c.Method, "(")
		text := codelens.CatchHover(v, c, uri, nil) + "\n" + codelens.CatchHover(terms, c, uri, nil) + "\n" +
			codelens.ChainsPage(v, c, uri)
		said[method] = linkTarget.ReplaceAllString(text, "$1")
		for _, l := range c.Links {
			chain := l.Chain()
			if first, last := chain[0], chain[len(chain)-1]; first.Method != c.Method || last.Class != l.Site.Class ||
				last.Method != l.Site.Method {
				t.Errorf("%s: the chain of %s goes from %v to %v", c.ID, l.ID, first, last)
			}
		}
	}
	n := 0
	for _, h := range hovers {
		if h.program != program || !slices.Contains(h.graphs, graph) {
			continue
		}
		n++
		text := said[h.method]
		for _, want := range h.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", h.method, want, text)
			}
		}
		for _, no := range h.hasNot {
			if strings.Contains(text, no) {
				t.Errorf("%s says %q:\n%s", h.method, no, text)
			}
		}
	}
	if n == 0 && program == "fig4" {
		t.Error("nothing is known of what this call graph makes of it")
	}
}
