package rewrite

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/jimage"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// This file lets a JVM judge rewritten classes of the JDK: every class is
// loaded with full verification.

// fullVerification makes a JVM verify every class, the boot loader's too.
var fullVerification = []string{
	"-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", "-XX:+BytecodeVerificationRemote",
}

// patchedJDK is a JDK with rewritten classes patched into its modules.
type patchedJDK struct {
	home    string
	dir     string   // module -> classes
	modules []string // with rewritten classes
	names   []string // binary names of the rewritten classes
	probes  [numProbes]int
	covers  int
	chains  int
	skipped []string
}

// patchJDK rewrites the classes of a JDK that want selects.
func patchJDK(t testing.TB, home string, kinds plan.Kinds, want func(l *jimage.Location) bool) *patchedJDK {
	t.Helper()
	p := &patchedJDK{home: home, dir: t.TempDir()}
	r, err := jimage.Open(jimage.PathIn(home))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	seen := map[string]bool{}
	err = r.Each(func(l jimage.Location, err error) error {
		if err != nil || l.Ext != "class" || l.Base == "module-info" || !want(&l) {
			return err
		}
		data, err := r.Read(l)
		if err != nil {
			return err
		}
		out := p.rewrite(t, data, kinds)
		if out == nil {
			return nil
		}
		if !seen[l.Module] {
			seen[l.Module] = true
			p.modules = append(p.modules, l.Module)
		}
		name := l.Name()
		p.names = append(p.names, strings.ReplaceAll(strings.TrimSuffix(name, ".class"), "/", "."))
		return writeClass(filepath.Join(p.dir, l.Module, filepath.FromSlash(name)), out)
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(p.modules)
	p.addProbe(t)
	return p
}

func writeClass(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}

// rewrite returns the rewritten class; nil when no probe went in.
func (p *patchedJDK) rewrite(t testing.TB, data []byte, kinds plan.Kinds) []byte {
	t.Helper()
	pl, f := planFor(t, data, kinds)
	if kinds == plan.Full {
		addPoints(pl, f)
		addGuards(t, pl, data)
		addCovers(t, pl, data, techniques[len(p.names)%len(techniques)])
		p.covers += len(pl.Covers)
		if strings.HasPrefix(pl.Name, "java/util/") || strings.HasPrefix(pl.Name, "java/io/") {
			addChains(t, pl, f, data)
		}
		p.chains += len(pl.Chains)
		p.probes[probePoint] += len(pl.Points)
		p.probes[probeGuard] += len(pl.Guards)
	}
	res, err := Rewrite(data, pl)
	if err != nil {
		t.Error(err)
		return nil
	}
	for _, s := range res.Skipped {
		p.skipped = append(p.skipped, fmt.Sprintf("%s method %d try %d: %s", pl.Name, s.Method, s.Try, s.Why))
	}
	p.probes[probeTryEnter] += len(pl.Tries)
	p.probes[probeCaught] += len(pl.Catches)
	p.probes[probeThrown] += len(pl.Throws)
	p.probes[probeRoot] += len(pl.Roots)
	if res.ClassNumberOffset < 0 {
		return nil
	}
	checkParses(t, res.Bytes)
	return res.Bytes
}

// addPoints adds a place to throw at the start of each try and at each call in one,
// operands on the stack or not.
func addPoints(p *plan.Class, f *facts.Class) {
	for i := range f.Methods {
		at := map[int32]bool{}
		for k := range p.Tries {
			if int(p.Tries[k].Method) != i {
				continue
			}
			at[p.Tries[k].Start()] = true
			for _, c := range f.Methods[i].Calls {
				if p.Tries[k].Contains(c.PC) {
					at[c.PC] = true
				}
			}
		}
		for _, pc := range slices.Sorted(maps.Keys(at)) {
			if len(p.Points) < 60_000 {
				p.Points = append(p.Points, plan.Point{N: uint16(len(p.Points)), Method: uint16(i), PC: pc})
			}
		}
	}
}

// addGuards adds the guards of each throw.
func addGuards(t testing.TB, p *plan.Class, data []byte) {
	t.Helper()
	c, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range p.Throws {
		code, err := c.Code(c.Methods[x.Method])
		if err == nil {
			_, err = p.AddGuards(code.Bytecode, x)
		}
		if err != nil {
			t.Error(err)
		}
	}
	p.SortGuards()
}

// checkParses reads back what was written.
func checkParses(t testing.TB, data []byte) {
	t.Helper()
	c, err := classfile.Parse(data)
	if err != nil {
		t.Error(err)
		return
	}
	for _, m := range c.Methods {
		code, err := c.Code(m)
		if err == nil && code != nil {
			_, err = c.StackMap(m, code)
		}
		if err != nil {
			t.Errorf("%s.%s: %v", c.Name(), c.MemberName(m), err)
		}
	}
}

// brokenClass does not verify: it returns a reference from an int method.
const brokenClass = "catchlens.rt.Broken"

// addProbe puts the Probe that does nothing into java.base, and with it a
// class that no verifier accepts: as long as that one is refused, the others
// were verified.
func (p *patchedJDK) addProbe(t testing.TB) {
	t.Helper()
	base := filepath.Join(p.dir, "java.base")
	noop := filepath.Join("testdata", "noop", "catchlens", "rt", "Probe.java")
	testjdk.Javac(t, p.home, 8, nil, base, noop,
		filepath.Join("testdata", "noop", "catchlens", "rt", "record", "Chains.java"))
	if err := writeClass(filepath.Join(base, "catchlens", "rt", "Broken.class"), brokenBytes(t)); err != nil {
		t.Fatal(err)
	}
	if len(p.modules) == 0 || p.modules[0] != "java.base" {
		p.modules = append([]string{"java.base"}, p.modules...)
	}
}

func brokenBytes(t testing.TB) []byte {
	t.Helper()
	super := &facts.Class{Name: "java/lang/Exception", Methods: []facts.Method{
		{Name: "<init>", Desc: "()V"}, {Name: "number", Desc: "()Ljava/lang/Object;", Access: classfile.AccAbstract},
	}}
	data, _, err := AbstractStub(super.Name, func(string) *facts.Class { return super })
	if err != nil {
		t.Fatal(err)
	}
	c, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if c.ThisIndex, err = c.Pool.AddClass(strings.ReplaceAll(brokenClass, ".", "/")); err != nil {
		t.Fatal(err)
	}
	m := c.FindMethod("number", "()Ljava/lang/Object;")
	err = c.SetCode(m, &classfile.Code{MaxStack: 1, MaxLocals: 1,
		Bytecode: []byte{byte(classfile.OpIconst0), byte(classfile.OpAreturn)}})
	if err != nil {
		t.Fatal(err)
	}
	if data, err = c.Bytes(); err != nil {
		t.Fatal(err)
	}
	return data
}

// options are the java options that run the patched JDK.
func (p *patchedJDK) options() []string {
	var out []string
	for _, m := range p.modules {
		out = append(out, "--patch-module", m+"="+filepath.Join(p.dir, m))
	}
	readers := append([]string{"ALL-UNNAMED"}, p.modules...)
	for i, m := range readers {
		if m == "java.base" {
			readers = append(readers[:i], readers[i+1:]...)
			break
		}
	}
	return append(out, "--add-exports", "java.base/catchlens.rt="+strings.Join(readers, ","))
}

func runJava(t testing.TB, home string, args ...string) string {
	t.Helper()
	out, err := tryJava(t, home, args)
	if err != nil {
		t.Fatalf("java %.2000s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func tryJava(t testing.TB, home string, args []string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "args") // many modules make a long command line
	var b strings.Builder
	for _, a := range args {
		fmt.Fprintf(&b, "%q\n", a)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(testjdk.Tool(home, "java"), "@"+file).CombinedOutput()
	return string(out), err
}

// link links the rewritten classes with full verification and returns how many
// were linked. One that cannot be is an error unless excused says so, and so is
// the broken class if it can.
func (p *patchedJDK) link(t testing.TB, classPath string, excused func(name string) bool, more ...string) int {
	t.Helper()
	args := append(p.options(), fullVerification...)
	linked, failed := linkNames(t, p.home, append(args, more...), classPath, append([]string{brokenClass}, p.names...))
	if !strings.HasPrefix(failed[brokenClass], "bad java.lang.VerifyError") {
		t.Errorf("the broken class was not refused: nothing was verified (%s)", failed[brokenClass])
	}
	n := 0
	for name, why := range failed {
		if name == brokenClass || strings.HasPrefix(why, "missing") && excused != nil && excused(name) {
			continue
		}
		if n++; n <= 30 {
			t.Errorf("%s: %s", name, why)
		}
	}
	return linked
}

// linkNames runs Link, and returns how many classes it linked, and what it said
// about the others.
func linkNames(t testing.TB, home string, options []string, classPath string,
	names []string) (linked int, failed map[string]string) {
	t.Helper()
	list := filepath.Join(t.TempDir(), "names")
	if err := os.WriteFile(list, []byte(strings.Join(names, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	out := runJava(t, home, append(append([]string{}, options...), "-cp", classPath, "Link", list)...)
	failed = map[string]string{}
	linked = -1
	for _, line := range strings.Split(out, "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case "bad", "missing":
			name, why, _ := strings.Cut(rest, " ")
			failed[name] = kind + " " + why
		case "linked":
			_, _ = fmt.Sscan(rest, &linked)
		}
	}
	if linked < 0 {
		t.Fatalf("no result:\n%.2000s", out)
	}
	return linked, failed
}

func linkHarness(t testing.TB, home string) string {
	t.Helper()
	dir := t.TempDir()
	testjdk.Javac(t, home, 8, nil, dir, filepath.Join("testdata", "harness", "Link.java"))
	return dir
}

// checkSkipped accepts nothing but what may be left out of a JDK.
func (p *patchedJDK) checkSkipped(t testing.TB) {
	t.Helper()
	for _, s := range p.skipped {
		if !strings.HasSuffix(s, whyEmptyFinalizer) && !strings.HasPrefix(s, "java/lang/Object ") {
			t.Errorf("skipped %s", s)
		}
	}
}

// TestSomeOfTheJDK patches java.util and java.io into java.base. The JVM starts
// with them, so they run, too.
func TestSomeOfTheJDK(t *testing.T) {
	for _, home := range testjdk.All(t) {
		if testjdk.Feature(t, home) < 9 {
			continue
		}
		t.Run(fmt.Sprint(testjdk.Feature(t, home)), func(t *testing.T) {
			p := patchJDK(t, home, plan.Full|plan.Roots, func(l *jimage.Location) bool {
				return l.Module == "java.base" && (l.Parent == "java/io" || l.Parent == "java/util")
			})
			p.checkSkipped(t)
			if p.chains < 5000 {
				t.Errorf("%d methods tell of call chains", p.chains)
			}
			if n := p.link(t, linkHarness(t, home), nil); n != len(p.names) || n < 500 {
				t.Errorf("linked %d classes of %d, want all, and 500 at least", n, len(p.names))
			}
		})
	}
}
