package datareach

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catchlens/analysis/callgraph"
	"catchlens/analysis/callgraph/programtest"
	"catchlens/analysis/callgraph/rta"
	"catchlens/analysis/exceptions"
	"catchlens/analysis/facts"
	"catchlens/analysis/hierarchy"
	"catchlens/analysis/pointsto"
	"catchlens/internal/testjdk"
)

// This file runs the analysis on Figure 4 of paper 000, with points-to results
// written down by hand.

// The objects of the program, one block each. Both tries make a
// BufferedInputStream: that of readFile is around a FileIn.
const (
	fileIn = pointsto.Object(64 * iota)
	socketIn
	bufferedFile
	bufferedNet
	socket
)

const fieldIn = pointsto.Field(1)

// byHand gives the RTA graph of the program a points-to result. filter says
// what the field in of the two BufferedInputStreams holds.
func byHand(g *callgraph.Graph, ofFile, ofNet []pointsto.Object) *handmade {
	h := &handmade{g: g, of: map[callgraph.NodeID][]pointsto.Node{}, vars: [][]pointsto.Object{nil},
		types:  []string{"streams/FileIn", "streams/SocketIn", "streams/BufferedInputStream", "streams/BufferedInputStream", "streams/Socket"},
		fields: map[pointsto.Object]map[pointsto.Field]pointsto.Var{}}
	variable := func(objects ...pointsto.Object) pointsto.Var {
		h.vars = append(h.vars, objects)
		return pointsto.Var(len(h.vars) - 1)
	}
	h.fields[bufferedFile] = map[pointsto.Field]pointsto.Var{fieldIn: variable(ofFile...)}
	h.fields[bufferedNet] = map[pointsto.Field]pointsto.Var{fieldIn: variable(ofNet...)}
	created := map[string][]pointsto.Object{
		"transfer/Transfer.readFile": {fileIn, bufferedFile}, "transfer/Transfer.readNet": {bufferedNet},
		"streams/Socket.getInputStream": {socketIn}, "transfer/Transfer.main": {socket},
	}
	// What the receivers of calls of read point to, by method.
	receivers := map[string][]pointsto.Object{
		"transfer/Transfer.readFile": {bufferedFile}, "transfer/Transfer.readNet": {bufferedNet},
		"streams/BufferedInputStream.fill": union(ofFile, ofNet), "streams/FilterInputStream.read": {},
	}
	for n := range g.Nodes {
		id := callgraph.NodeID(n)
		x := handmadeNode{graph: id}
		name := ""
		if m := g.Method(id); m != nil {
			name = g.Class(id) + "." + m.Name
		}
		x.created = created[name]
		if name == "streams/BufferedInputStream.fill" || name == "streams/FilterInputStream.read" {
			x.loads = []pointsto.Field{fieldIn}
		}
		for _, s := range g.SitesOf(id) {
			site := handmadeSite{}
			called := s.Origin == callgraph.FromCalls && g.Method(id).Calls[s.Index].Kind != facts.Static
			objects, known := receivers[name]
			known = known && called && g.Method(id).Calls[s.Index].Name == "read"
			if known {
				site.recv = variable(objects...)
			} else if called {
				site.recv = variable(bufferedFile, bufferedNet, socket)
			}
			for _, t := range g.Targets(s.Set) {
				c := handmadeCallee{node: pointsto.Node(t)}
				if known {
					c.via = []pointsto.Object{}
					for _, o := range objects {
						if h.types[o/64] == g.Class(t) {
							c.via = append(c.via, o)
						}
					}
				}
				site.callees = append(site.callees, c)
			}
			x.sites = append(x.sites, site)
		}
		h.nodes = append(h.nodes, x)
		h.of[id] = []pointsto.Node{pointsto.Node(n)}
	}
	return h
}

func union(a, b []pointsto.Object) []pointsto.Object {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// figure4 compiles the program and analyses it with RTA.
func figure4(t *testing.T) (*callgraph.Graph, *exceptions.Result) {
	home := testjdk.JDK(t, 17)
	root := filepath.Join("..", "..", "testdata", "known", "paper000", "fig4")
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".java") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	testjdk.Javac(t, home, 8, nil, out, files...)
	p := programtest.Open(t, home, facts.Options{}, 1, out)
	g := rta.Build(hierarchy.New(p), callgraph.Config{Workspace: p.Workspace, Entries: callgraph.MainEntries(p, p.Workspace)})
	c, _ := p.Class("transfer/Transfer")
	var targets []exceptions.HandlerRef
	for _, name := range []string{"readFile", "readNet"} {
		i := slices.IndexFunc(c.Methods, func(m facts.Method) bool { return m.Name == name })
		targets = append(targets, exceptions.HandlerRef{Class: c.Name, Method: i})
	}
	return g, exceptions.Analyze(g, targets, exceptions.Default(p.Own))
}

// sitesAt lists the throw sites linked to a target.
func sitesAt(r *exceptions.Result, target int) (out []string) {
	for _, id := range r.LinksAt(target) {
		out = append(out, r.Link(id).Site.Class)
	}
	return out
}

func TestFigure4(t *testing.T) {
	g, before := figure4(t)
	both := []string{"streams/FileIn", "streams/SocketIn"}
	if got := sitesAt(before, 0); !slices.Equal(got, both) {
		t.Fatalf("readFile before: %v", got)
	}
	// Without contexts in.read calls both from both.
	merged := Confirm(g, byHand(g, []pointsto.Object{fileIn, socketIn}, []pointsto.Object{fileIn, socketIn}), before)
	for i := range 2 {
		if got := sitesAt(merged.Result(), i); !slices.Equal(got, both) {
			t.Errorf("target %d without contexts: %v", i, got)
		}
	}
	// With constructors by call site each holds its own.
	a := Confirm(g, byHand(g, []pointsto.Object{fileIn}, []pointsto.Object{socketIn}), before)
	if got := sitesAt(a.Result(), 0); !slices.Equal(got, both[:1]) {
		t.Errorf("readFile: %v", got)
	}
	if got := sitesAt(a.Result(), 1); !slices.Equal(got, both[1:]) {
		t.Errorf("readNet: %v", got)
	}
	for i, class := range []string{"streams/SocketIn", "streams/FileIn"} {
		dropped := a.Result().Dropped(i)
		if len(dropped) != 1 {
			t.Fatalf("target %d: %d links dropped", i, len(dropped))
		}
		why, ok := a.Why(dropped[0])
		if !ok || !slices.Equal(why.Classes, []string{class}) || !why.None || g.Method(why.Caller).Name != "fill" || g.Class(why.Callee) != class {
			t.Errorf("target %d: %v %+v", i, ok, why)
		}
	}
	if chain := a.Result().Chain(a.Result().LinksAt(1)[0]); len(chain) != 5 || chain[2].Method != "fill()V" {
		t.Errorf("chain %v", chain)
	}
	if s := a.Stats(); s.Searches == 0 || s.Searches > s.Calls || s.Dead == 0 || s.Unknown != 0 {
		t.Errorf("stats %+v", s)
	}
}

// What is not understood keeps the links.
func TestFigure4NotUnderstood(t *testing.T) {
	for what, spoil := range map[string]func(h *handmade, readNet *handmadeNode, fill *handmadeNode){
		"arguments": func(_ *handmade, readNet, _ *handmadeNode) {
			for i := range readNet.sites {
				readNet.sites[i].unknown = true
			}
		},
		"an opaque method": func(_ *handmade, _, fill *handmadeNode) { fill.opaque = true },
		"a global": func(h *handmade, _, fill *handmadeNode) {
			fill.globals = []pointsto.Var{pointsto.Var(len(h.vars))}
			h.vars = append(h.vars, []pointsto.Object{fileIn})
		},
		"an object of the VM":  func(h *handmade, _, _ *handmadeNode) { h.always_ = []pointsto.Object{fileIn} },
		"an object made below": func(_ *handmade, _, fill *handmadeNode) { fill.created = []pointsto.Object{fileIn} },
	} {
		t.Run(what, func(t *testing.T) {
			g, before := figure4(t)
			h := byHand(g, []pointsto.Object{fileIn}, []pointsto.Object{socketIn})
			var readNet, fill *handmadeNode
			for i := range h.nodes {
				switch n := h.nodes[i].graph; g.Class(n) {
				case "transfer/Transfer":
					if g.Method(n).Name == "readNet" {
						readNet = &h.nodes[i]
					}
				case "streams/BufferedInputStream":
					if g.Method(n).Name == "fill" {
						fill = &h.nodes[i]
					}
				}
			}
			spoil(h, readNet, fill)
			a := Confirm(g, h, before)
			if got := sitesAt(a.Result(), 1); len(got) != 2 {
				t.Errorf("readNet: %v, want both", got)
			}
		})
	}
}
