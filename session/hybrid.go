package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/campaign"
	"github.com/catchlens/catchlens/instrument/coverage"
	"github.com/catchlens/catchlens/instrument/lab"
	"github.com/catchlens/catchlens/instrument/planner"
	"github.com/catchlens/catchlens/instrument/planner/hybrid"
	"github.com/catchlens/catchlens/instrument/record"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

// This file chooses techniques of coverage plans by their costs: it counts executions, measures
// what probes cost, and keeps both.

// counted is what is kept of how often methods were executed.
type counted struct {
	Methods map[string]countedMethod // by class and method
}

type countedMethod struct {
	Digest []byte // of the method's code
	JVMs   int    // of the modules whose tests executed it
	*lab.Executions
}

// countedKey names a method in what is kept.
func countedKey(m snapshot.MethodRef) string { return m.Class + " " + m.Method }

// forgetful is a memory that takes nothing new.
type forgetful struct{ record.Memory }

func (forgetful) PutTestRun(*record.TestRun) error   { return nil }
func (forgetful) PutCell(*record.Cell) error         { return nil }
func (forgetful) PutFaultRun(*record.FaultRun) error { return nil }
func (forgetful) PutTouched(*record.Touched) error   { return nil }
func (forgetful) PutStretched(*record.Stretched) error {
	return nil
}
func (forgetful) PutObserved(record.Observed) error { return nil }

// CountExecutions runs all tests once with probes that count how often code is executed, and keeps
// that for HybridPlan; nothing else is recorded. It grants nothing: an untrusted session returns
// ErrUntrusted. The error also says why no test ran, and then what was counted before stays.
func (s *Session) CountExecutions(ctx context.Context, p Progress) (Summary, error) {
	var mu sync.Mutex
	snap, found := s.View().Snap, counted{Methods: map[string]countedMethod{}}
	sum, err := s.runTests(ctx, CoverScope{Again: true}, func(c *campaign.Campaign) {
		c.Memory = forgetful{c.Memory}
		c.Options.BaselineDone = nil // nothing is recorded
		c.Options.Count = func(of map[snapshot.MethodRef]*lab.Executions, jvms int) {
			mu.Lock()
			defer mu.Unlock()
			found.add(snap, of, jvms)
		}
	}, p)
	if err != nil {
		return sum, err
	}
	if len(found.Methods) == 0 {
		return sum, errors.New("no test executed any code outside tests")
	}
	text, err := json.Marshal(found)
	if err != nil {
		return sum, err
	}
	s.kept.write(executionsCounted, "", text)
	return sum, nil
}

// add adds what was counted in one execution of tests, in so many JVMs.
func (c *counted) add(snap *snapshot.Snapshot, of map[snapshot.MethodRef]*lab.Executions, jvms int) {
	for ref, x := range of {
		digest, ok := snap.MethodDigest(ref)
		if !ok {
			continue
		}
		have, known := c.Methods[countedKey(ref)]
		if !known || have.Shape != x.Shape || len(have.Nodes) != len(x.Nodes) {
			c.Methods[countedKey(ref)] = countedMethod{digest[:], jvms, x}
			continue
		}
		for n, times := range x.Nodes {
			have.Nodes[n] += times
		}
		have.JVMs += jvms
		c.Methods[countedKey(ref)] = have
	}
}

// ErrNotCounted says that it is not known how often code is executed.
var ErrNotCounted = errors.New("it is not known how often the code is executed as it is now")

// HybridPlan chooses a technique for each method that was executed when executions were counted
// (CountExecutions) and has not changed since, by what probes cost on the JDK of the first module.
// That is measured once for a JDK: then a JVM is started, so that an untrusted session returns
// ErrUntrusted where it is not known. changed is how many methods have changed. The error is
// ErrNotCounted where nothing has been counted of the present code.
func (s *Session) HybridPlan(ctx context.Context) (plan *hybrid.Plan, changed int, err error) {
	snap, c := s.View().Snap, counted{}
	text, _ := s.kept.read(executionsCounted, "")
	if text == nil || json.Unmarshal(text, &c) != nil {
		return nil, 0, ErrNotCounted
	}
	methods, changed := c.of(snap)
	if len(methods) == 0 {
		return nil, changed, ErrNotCounted // all have changed
	}
	home := ""
	for _, m := range snap.Workspace.Modules {
		if home == "" {
			home = m.JDKHome
		}
	}
	var graphs []*planner.Graph
	for i := range methods {
		graphs = append(graphs, methods[i].Graph)
	}
	s.pipe.refiner.hold() // it would be measured, too
	defer s.pipe.refiner.release()
	costs, err := s.probeCosts(ctx, home, graphs)
	if err != nil {
		return nil, changed, err
	}
	plan, err = hybrid.Choose(methods, costs)
	return plan, changed, err
}

// of are the methods of a snapshot that are as they were when their executions were counted, and
// how many are not.
func (c *counted) of(snap *snapshot.Snapshot) (methods []hybrid.Method, changed int) {
	for _, class := range snap.Classes() {
		data, err := snap.ClassBytes(class.Name)
		if err != nil || class.InTests {
			continue
		}
		parsed, err := classfile.Parse(data)
		if err != nil {
			continue
		}
		var plans *coverage.Class // made for classes of which something was counted
		for i, m := range parsed.Methods {
			ref := snapshot.MethodRef{Class: class.Name, Method: parsed.MemberName(m) + parsed.MemberDesc(m)}
			x, known := c.Methods[countedKey(ref)]
			if !known {
				continue
			}
			if plans == nil {
				plans = coverage.PlanClass(parsed, planner.StaticNode, nil, nil)
			}
			digest, _ := snap.MethodDigest(ref)
			of := plans.Methods[i]
			if of == nil || x.Executions == nil || string(digest[:]) != string(x.Digest) || of.Shape != x.Shape ||
				len(x.Nodes) != int(of.Graph.Blocks) || x.JVMs < 1 {
				changed++
				continue
			}
			methods = append(methods, hybrid.Method{Class: classfile.SourceName(class.Name), Name: parsed.MemberName(m),
				Graph: of.Graph, Executions: x.Nodes, JVMs: x.JVMs})
		}
	}
	return methods, changed
}

// probeCosts are the costs of probes on a JDK, measured now if none are kept, and of plans of some
// graphs. These are measured each time: what is kept is for all workspaces, and another one may
// have no graph that takes any planning.
func (s *Session) probeCosts(ctx context.Context, home string, graphs []*planner.Graph) (hybrid.Costs, error) {
	costs, known := KeptProbeCosts(s.cache, home)
	if !known {
		if !s.trusted() {
			return costs, ErrUntrusted
		}
		if home == "" {
			return costs, errors.New("no JDK was found to measure what probes cost: set JAVA_HOME, or jdk in " +
				"catchlens.toml")
		}
		static, demand, err := agent.Builder{JDK: home, Cache: filepath.Join(s.cache, "agent")}.ProbeCosts(ctx)
		if err != nil {
			return costs, err
		}
		costs = hybrid.OfProbes(static, demand)
		if err := keepProbeCosts(s.cache, home, costs); err != nil {
			s.log.Warn("what probes cost is not kept", "error", err)
		}
	}
	return costs, costs.MeasurePlans(graphs)
}

// keepProbeCosts keeps the costs of probes on a JDK in a cache folder, for all workspaces.
func keepProbeCosts(cache, home string, costs hybrid.Costs) error {
	text, err := json.Marshal(costs)
	if err != nil {
		return err
	}
	file := probeCostsFile(cache, home)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return sealed.Write(file, filepath.Base(file), text)
}

// KeptProbeCosts are the costs of probes on a JDK that are kept in a cache folder, without those of
// plans; false: none are.
func KeptProbeCosts(cache, home string) (costs hybrid.Costs, known bool) {
	file := probeCostsFile(cache, home)
	text, err := sealed.Read(file, filepath.Base(file))
	known = err == nil && json.Unmarshal(text, &costs) == nil && costs.Static > 0 && costs.Demand > 0
	return costs, known
}

// probeCostsFile is where they are kept: by the place of the JDK, whatever link leads there, and by
// which one it is.
func probeCostsFile(cache, home string) string {
	if place, err := filepath.EvalSymlinks(home); err == nil {
		home = place
	}
	release, _ := bounded.Read(filepath.Join(home, "release"), bounded.Text)
	h := sha256.Sum256(fmt.Appendf(nil, "1 %s\n%s", home, release))
	return filepath.Join(cache, "probe-costs", hex.EncodeToString(h[:8]))
}
