// Package edges records the call edges that a run of a workspace's tests takes
// between methods of the workspace, and checks that a call graph has them.
//
// The workspace's class files are rewritten with the probes of a real run, and
// the tests run in a plain JVM in which another class stands for the agent's: at
// the entry of a method it walks up the stack to the next method of the
// workspace. Normal runs have no part in it and pay nothing.
//
// An edge without frames between must be an edge of the graph, at that line. One
// through libraries must be a path of the graph through methods that are not the
// workspace's. A method that is entered must be reached, whoever calls it.
//
// An agent of the tests may put code into a method that calls the method once more by
// reflection, as that of Mockito does: such an edge is of no class file, and left out.
//
// Not seen are frames that StackWalker hides (those of lambda objects and method
// handles), so that an edge through them counts as one without frames between.
package edges

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/instrument/buildtool"
	"github.com/catchlens/catchlens/instrument/plan"
	"github.com/catchlens/catchlens/instrument/rewrite"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// Edge is a call that a run made.
type Edge struct {
	Caller  snapshot.MethodRef // zero: no method of the workspace is below on the stack
	Line    int32              // of the call; 0 or less: unknown
	Callee  snapshot.MethodRef
	Between []string // frames of other classes between, innermost first, at most eight
}

// String writes an edge as in messages.
func (e Edge) String() string {
	return fmt.Sprintf("%s.%s:%d -> %s.%s via %q", e.Caller.Class, e.Caller.Method, e.Line, e.Callee.Class,
		e.Callee.Method, e.Between)
}

// Record runs the tests of a workspace of one module that passes by itself, and
// returns the edges and how many tests ran. The JVM of JDK 17 leaves the proxy classes
// that it makes in the module's folder (Proxies).
func Record(t testing.TB, snap *snapshot.Snapshot) ([]Edge, int) {
	t.Helper()
	m := snap.Workspace.Modules[0]
	dir := t.TempDir()
	r := &recorder{t: t, snap: snap, dir: dir, m: m}
	r.rewrite()
	framework := "platform"
	libraries := slices.Clone(m.TestClassPath)
	switch m.Test.Framework {
	case workspace.JUnit3:
		framework = "junit3"
	case workspace.JUnit4:
		framework = "junit4"
	default:
		if !slices.ContainsFunc(libraries,
			func(p string) bool { return strings.Contains(filepath.Base(p), "junit-platform-launcher") }) {
			jars, _, err := buildtool.PlatformLauncher(context.Background(), m)
			if err != nil {
				t.Fatal(err)
			}
			libraries = append(libraries, jars...)
		}
	}
	probes := r.compile(framework, libraries)
	path := append([]string{probes, filepath.Join(dir, "classes")}, m.FullTestClassPath()...)
	edges := filepath.Join(dir, "edges")
	// commons-io's tests have 25 MB; here the probes and all tests share one JVM.
	args := append(slices.Clone(m.Test.JVMArgs), "-Xmx2g", "-cp",
		strings.Join(append(path, libraries...), string(os.PathListSeparator)),
		"-Xbootclasspath/a:"+probesOnly(t, probes, dir))
	for k, v := range m.Test.SystemProperties {
		args = append(args, "-D"+k+"="+v)
	}
	if strings.HasPrefix(snap.JDKVersion, "17.") { // with this, JDK 25 fails to make any proxy
		args = append(args, "-Djdk.proxy.ProxyGenerator.saveGeneratedFiles=true")
	}
	args = append(args, "-Djava.io.tmpdir="+t.TempDir(), "catchlens.rt.Record", filepath.Join(dir, "names"),
		filepath.Join(dir, "tests"), edges, framework)
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	cmd := exec.CommandContext(ctx, testjdk.Tool(m.JDKHome, "java"), args...)
	cmd.Dir, cmd.WaitDelay = m.Dir, time.Minute
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("recording call edges: %v\n%s", err, out[max(0, len(out)-4000):])
	}
	if _, failures, some := bytes.Cut(out, []byte("Failures (")); some {
		t.Logf("failures (%s", failures[:min(len(failures), 2000)])
	}
	return r.read(edges)
}

// recorder is one recording.
type recorder struct {
	t       testing.TB
	snap    *snapshot.Snapshot
	m       *workspace.Module
	dir     string
	classes []*facts.Class // by class number
}

// rewrite writes the workspace's classes with probes, and lists them and the
// tests.
func (r *recorder) rewrite() {
	r.t.Helper()
	var names, tests strings.Builder
	for _, c := range r.snap.Classes() {
		data, err := r.snap.ClassBytes(c.Name)
		if err != nil {
			r.t.Fatal(err)
		}
		res, err := rewrite.Rewrite(data, plan.ForClass(c.Facts, plan.Enters))
		if err == nil && res.ClassNumberOffset >= 0 {
			data = res.Bytes
			binary.BigEndian.PutUint32(data[res.ClassNumberOffset:], uint32(len(r.classes)))
		}
		r.classes = append(r.classes, c.Facts)
		binary := strings.ReplaceAll(c.Name, "/", ".")
		names.WriteString(binary + "\n")
		if ok, _ := r.m.Test.Selects(c.Name, ""); ok && c.InTests && c.Facts.Outer == "" && r.snap.HasTests(c) {
			tests.WriteString(binary + "\n")
		}
		r.write(filepath.Join("classes", filepath.FromSlash(c.Name)+".class"), string(data))
	}
	r.write("names", names.String())
	r.write("tests", tests.String())
}

func (r *recorder) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// compile compiles the Java of this package against the project's framework.
func (r *recorder) compile(framework string, libraries []string) string {
	r.t.Helper()
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		r.t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(root, "test", "edges", "java", "catchlens", "rt", "*.java"))
	if err != nil || len(all) != 5 {
		r.t.Fatalf("%d Java files: %v", len(all), err)
	}
	runners := map[string]string{"junit3": "JUnit3", "junit4": "JUnit4", "platform": "Platform"}
	var files []string
	for name, class := range runners {
		if name != framework {
			stub := filepath.Join("stub", "catchlens", "rt", class+".java")
			r.write(stub, "package catchlens.rt; class "+class+
				" { static long run(java.util.List<String> l) { throw new Error(); } }")
			files = append(files, filepath.Join(r.dir, stub))
			all = slices.DeleteFunc(all, func(f string) bool { return filepath.Base(f) == class+".java" })
		}
	}
	files = append(files, all...)
	out := filepath.Join(r.dir, "probes")
	testjdk.Javac(r.t, r.m.JDKHome, 11, libraries, out, files...)
	return out
}

// probesOnly moves Probe to a folder of its own, for the boot class path: class
// loaders that a test makes find it there.
func probesOnly(t testing.TB, probes, dir string) string {
	t.Helper()
	boot := filepath.Join(dir, "boot", "catchlens", "rt")
	if err := os.MkdirAll(boot, 0o777); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(probes, "catchlens", "rt", "Probe*.class"))
	for _, f := range files {
		if err := os.Rename(f, filepath.Join(boot, filepath.Base(f))); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "boot")
}

// read reads what Probe.write wrote.
func (r *recorder) read(file string) ([]Edge, int) {
	r.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	ran, err := strconv.Atoi(lines[0])
	if err != nil {
		r.t.Fatal(err)
	}
	var all []Edge
	for _, line := range lines[1:] {
		f := strings.SplitN(line, " ", 5)
		if len(f) != 5 {
			r.t.Fatalf("recorded edge %q", line)
		}
		c, _ := strconv.Atoi(f[0])
		n, _ := strconv.Atoi(f[1])
		at, _ := strconv.Atoi(f[3])
		m := r.classes[c].Methods[n]
		e := Edge{Callee: snapshot.MethodRef{Class: r.classes[c].Name, Method: m.Name + m.Desc}, Line: int32(at)}
		if name, desc, ok := strings.Cut(f[2], "("); ok {
			dot := strings.LastIndexByte(name, '.')
			e.Caller = snapshot.MethodRef{Class: strings.ReplaceAll(name[:dot], ".", "/"),
				Method: name[dot+1:] + "(" + desc}
		}
		if f[4] != "" {
			e.Between = strings.Split(f[4], ",")
		}
		all = append(all, e)
	}
	return all, ran
}

// Proxies are the proxy classes that the JVM of a run put down in its folder, as
// those that real runs observe; none where it does not.
func Proxies(t testing.TB, dir string) (out []snapshot.GeneratedClass) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), "$Proxy") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		c, err := classfile.Parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, snapshot.GeneratedClass{Name: c.Name(), Data: data})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Observed is what the run tells of reflection, for the next analysis
// (snapshot.Options.Extra): the methods that it entered and the graph of snap does
// not reach, and those that it entered from reflection where the graph does not.
func Observed(snap *snapshot.Snapshot, edges []Edge) callgraph.Extra {
	var extra callgraph.Extra
	seen := map[snapshot.MethodRef]bool{}
	for _, e := range Missing(snap, edges) {
		if seen[e.Callee] || snap.Reaches(e.Callee) && !e.reflective() {
			continue
		}
		seen[e.Callee] = true
		name, desc, _ := strings.Cut(e.Callee.Method, "(")
		extra.Edges = append(extra.Edges,
			callgraph.ExtraEdge{To: features.MethodRef{Class: e.Callee.Class, Name: name, Desc: "(" + desc},
				Kind: callgraph.Reflection})
	}
	return extra
}

// reflective tells whether core reflection called the callee.
func (e Edge) reflective() bool {
	return len(e.Between) > 0 && (strings.HasPrefix(e.Between[0], "jdk.internal.reflect.") ||
		strings.HasPrefix(e.Between[0], "java.lang.reflect."))
}

// Missing are the edges that the call graph of a snapshot does not have.
func Missing(snap *snapshot.Snapshot, edges []Edge) []Edge {
	c := &checker{g: snap.CallGraph(), snap: snap}
	return slices.DeleteFunc(slices.Clone(edges), func(e Edge) bool { return e.instrumented() || c.has(e) })
}

// instrumented tells whether code that Mockito's agent put into a method made the
// call, of the same method.
func (e Edge) instrumented() bool {
	return e.Caller == e.Callee && slices.ContainsFunc(e.Between, func(f string) bool {
		return strings.HasPrefix(f, "org.mockito.internal.creation.bytebuddy.MockMethodAdvice.")
	})
}

type checker struct {
	g    *callgraph.Graph
	snap *snapshot.Snapshot

	own       []int32    // by node: numbers of methods of the workspace, -1 for others
	owned     int        // how many the workspace has
	component []int32    // of other nodes: index into below
	below     [][]uint64 // bits: the methods of the workspace that a component calls
	through   map[callgraph.NodeID][]uint64
}

func (c *checker) node(m snapshot.MethodRef) callgraph.NodeID {
	class := c.snap.Class(m.Class)
	if class == nil {
		return callgraph.NoNode
	}
	return c.g.Find(m.Class, slices.IndexFunc(class.Facts.Methods,
		func(f facts.Method) bool { return f.Name+f.Desc == m.Method }))
}

func (c *checker) has(e Edge) bool {
	to := c.node(e.Callee)
	if to == callgraph.NoNode || e.Caller.Class == "" {
		return to != callgraph.NoNode
	}
	from := c.node(e.Caller)
	if from == callgraph.NoNode {
		return false
	}
	if len(e.Between) > 0 {
		return c.calls(from, to)
	}
	for _, s := range c.g.SitesOf(from) {
		if at := c.g.Position(from, s); (e.Line <= 0 || at.Line <= 0 || at.Line == e.Line) && c.callsIndirectly(s, to) {
			return true
		}
	}
	return false
}

// callsIndirectly tells whether a site calls a node, by synthetic nodes between or not.
func (c *checker) callsIndirectly(s callgraph.Site, to callgraph.NodeID) bool {
	seen := map[callgraph.SetID]bool{s.Set: true}
	for work := []callgraph.SetID{s.Set}; len(work) > 0; {
		set := work[len(work)-1]
		work = work[:len(work)-1]
		for _, n := range c.g.Targets(set) {
			if n == to {
				return true
			}
			if c.g.Nodes[n].Method != hierarchy.NoMethod {
				continue
			}
			for _, below := range c.g.SitesOf(n) {
				if !seen[below.Set] {
					seen[below.Set] = true
					work = append(work, below.Set)
				}
			}
		}
	}
	return false
}

// calls tells whether a method of the workspace calls another, directly or by way of
// methods that are not the workspace's.
func (c *checker) calls(from, to callgraph.NodeID) bool {
	if c.own == nil {
		c.condense()
	}
	r := c.through[from]
	if r == nil {
		r = c.gather(from, nil)
		c.through[from] = r
	}
	i := c.own[to]
	return i >= 0 && r[i/64]>>(i%64)&1 != 0
}

// gather adds to a set of the workspace's methods what the calls of a node lead to.
func (c *checker) gather(from callgraph.NodeID, into []uint64) []uint64 {
	if into == nil {
		into = make([]uint64, (c.owned+63)/64)
	}
	done := int32(-1)
	for _, s := range c.g.SitesOf(from) {
		for _, to := range c.g.Targets(s.Set) {
			if i := c.own[to]; i >= 0 {
				into[i/64] |= 1 << (i % 64)
				continue
			}
			k := c.component[to]
			if k == done || c.own[from] < 0 && k == c.component[from] {
				continue
			}
			done = k
			for i, w := range c.below[k] {
				into[i] |= w
			}
		}
	}
	return into
}

// condense finds the strongly connected components of the nodes that are not the
// workspace's (Tarjan, 1972), and what each reaches, callees first.
func (c *checker) condense() {
	n := c.g.NumNodes()
	c.own, c.component, c.through = make([]int32, n), make([]int32, n), map[callgraph.NodeID][]uint64{}
	for i := range c.own {
		c.own[i] = -1
		if class := c.g.Class(callgraph.NodeID(i)); class != "" && c.snap.Class(class) != nil {
			c.own[i] = int32(c.owned)
			c.owned++
		}
	}
	number, low := make([]int32, n), make([]int32, n) // from 1 on; 0: not seen
	type frame struct {
		node callgraph.NodeID
		to   []callgraph.NodeID // callees that are left
	}
	var open []callgraph.NodeID
	var stack []frame
	next := int32(0)
	enter := func(v callgraph.NodeID) {
		next++
		number[v], low[v] = next, next
		open = append(open, v)
		var to []callgraph.NodeID
		for _, s := range c.g.SitesOf(v) {
			to = append(to, c.g.Targets(s.Set)...)
		}
		slices.Sort(to)
		stack = append(stack, frame{v, slices.Compact(to)})
	}
	for i := range c.own {
		if c.own[i] >= 0 || number[i] != 0 {
			continue
		}
		enter(callgraph.NodeID(i))
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if len(f.to) > 0 {
				w := f.to[0]
				f.to = f.to[1:]
				switch {
				case c.own[w] >= 0:
				case number[w] == 0:
					enter(w)
				default: // if w is of a component that is complete, its low is the highest number
					low[f.node] = min(low[f.node], low[w])
				}
				continue
			}
			v := f.node
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				up := stack[len(stack)-1].node
				low[up] = min(low[up], low[v])
			}
			if low[v] == number[v] {
				at := slices.Index(open, v)
				c.close(open[at:], low)
				open = open[:at]
			}
		}
	}
}

// close makes a component of nodes, and gathers what they reach.
func (c *checker) close(nodes []callgraph.NodeID, low []int32) {
	k := int32(len(c.below))
	for _, v := range nodes {
		c.component[v] = k
		low[v] = math.MaxInt32
	}
	c.below = append(c.below, nil)
	var all []uint64
	for _, v := range nodes {
		all = c.gather(v, all)
	}
	c.below[k] = all
}
