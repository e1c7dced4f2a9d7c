package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/session"
)

// This file runs catchlens, as a process to measure it and as a library to have
// its graph.

// runCatchlens measures one cold run, and how long the call graph took in it.
func runCatchlens(ctx context.Context, in *input, graph string) (s sample, alone time.Duration, err error) {
	cache, err := os.MkdirTemp("", "catchlens-peers-cache-")
	if err != nil {
		return s, 0, err
	}
	defer os.RemoveAll(cache)
	cmd := exec.CommandContext(ctx, *program, "analyze", "--verbose", "--format", "sarif", "--entry-points", "mains",
		"--call-graph", graph, "--cache", cache, in.dir)
	s, text, err := measureOutput(ctx, cmd)
	if err != nil {
		return s, 0, err
	}
	m := graphTime.FindSubmatch(text)
	if m == nil {
		return s, 0, errors.New("catchlens analyze --verbose does not say how long the call graph took")
	}
	seconds, err := strconv.ParseFloat(string(m[1]), 64)
	return s, time.Duration(seconds * float64(time.Second)), err
}

var graphTime = regexp.MustCompile(`msg=analysed .* graph=([0-9.]+)`)

// catchlensResult builds the graph again, in this process.
func catchlensResult(ctx context.Context, in *input, graph string) (*result, error) {
	s, err := session.Open([]string{in.dir},
		session.Options{CacheDir: filepath.Join(in.dir, "cache"),
			Settings: snapshot.Settings{CallGraph: graph, EntryPoints: "mains"}})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.Reload(ctx, nil); err != nil {
		return nil, err
	}
	snap := s.View().Snap
	if snap == nil {
		return nil, errors.New("nothing was analysed")
	}
	if snap.Config.CallGraph != graph {
		return nil, fmt.Errorf("call graph %s: there is %s", graph, snap.Config.CallGraph)
	}
	g, r := snap.CallGraph(), newResult()
	for n := range g.Nodes {
		name := sootName(g, callgraph.NodeID(n))
		if name == "" {
			continue
		}
		r.method(name)
		for _, site := range g.SitesOf(callgraph.NodeID(n)) {
			eachTarget(g, site, func(to callgraph.NodeID) { r.edge(name, sootName(g, to)) })
		}
	}
	return r, nil
}

// eachTarget calls f for the methods that a site leads to, by synthetic nodes or
// not, in no order and perhaps more than once.
func eachTarget(g *callgraph.Graph, s callgraph.Site, f func(callgraph.NodeID)) {
	var seen map[callgraph.SetID]bool // made when first needed
	for work := []callgraph.SetID{s.Set}; len(work) > 0; {
		set := work[len(work)-1]
		work = work[:len(work)-1]
		for _, n := range g.Targets(set) {
			if g.Nodes[n].Method != hierarchy.NoMethod {
				f(n)
				continue
			}
			for _, below := range g.SitesOf(n) {
				if seen == nil {
					seen = map[callgraph.SetID]bool{s.Set: true}
				}
				if !seen[below.Set] {
					seen[below.Set] = true
					work = append(work, below.Set)
				}
			}
		}
	}
}

// sootName is the signature of a method as Soot and its successors write it, "" for
// a synthetic node.
func sootName(g *callgraph.Graph, n callgraph.NodeID) string {
	m := g.Method(n)
	if m == nil {
		return ""
	}
	var types []string
	for _, p := range classfile.Parameters(m.Desc) {
		types = append(types, sootType(p))
	}
	ret := sootType(classfile.Result(m.Desc))
	return strings.ReplaceAll(g.Class(n), "/", ".") + ": " + ret + " " + m.Name + "(" + strings.Join(types, ",") + ")"
}

var primitives = map[byte]string{'B': "byte", 'C': "char", 'D': "double", 'F': "float", 'I': "int", 'J': "long",
	'S': "short", 'Z': "boolean", 'V': "void"}

// sootType is a field descriptor, or "V", as they write it.
func sootType(d string) string {
	dims := len(d) - len(strings.TrimLeft(d, "["))
	name := strings.ReplaceAll(classfile.DescriptorClass(d[dims:]), "/", ".")
	if name == "" && dims < len(d) {
		name = primitives[d[dims]]
	}
	return name + strings.Repeat("[]", dims)
}
