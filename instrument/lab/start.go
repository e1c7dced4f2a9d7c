package lab

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/catchlens/catchlens/instrument/agent"
	"github.com/catchlens/catchlens/instrument/fault"
	"github.com/catchlens/catchlens/instrument/worker"
)

// Setup says what a JVM has beside what the module's settings say.
type Setup struct {
	// Named JVMs probe the classes of the workspace alone: what libraries throw has been seen. They
	// start sooner.
	Named bool
	// Light JVMs are Named, and run a few tests only.
	Light   bool
	Args    []string     // more than the project's own
	Bundles []Bundle     // that come before all others
	Engine  fault.Engine // that strikes in the JVM; nil: none
}

// Start starts a JVM in folders of its own. The error says why it has not started.
func (l *Lab) Start(ctx context.Context, s Setup) (*worker.JVM, error) {
	spec, err := l.spec(s)
	if err != nil {
		return nil, err
	}
	j, err := l.timed(func() (*worker.JVM, error) { return worker.Start(ctx, spec) })
	if err != nil && spec.Module != nil && l.leaveModule(err) {
		return l.Start(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.confinement = string(j.Confinement.Kind)
	if l.confinement == "none" {
		l.unconfined = j.Confinement.Why
	}
	l.mu.Unlock()
	for _, d := range j.Dropped {
		l.note("the JVM argument %s was left out: it belongs to a coverage agent", d)
	}
	return j, nil
}

// spec is what a JVM starts with.
func (l *Lab) spec(s Setup) (worker.Spec, error) {
	test := &l.Module.Test
	args, named := slices.Concat(test.JVMArgs, s.Args), s.Named || s.Light
	if s.Light {
		feature, err := agent.Feature(l.Module.JDKHome)
		if err != nil {
			return worker.Spec{}, err
		}
		args = append(args, lightArgs(feature, args, test.Environment)...)
	}
	spec := worker.Spec{
		JDK: l.Module.JDKHome, Cache: l.agentDir(), ClassPath: l.classPath,
		Module: l.JavaModule(), JVMArgs: args,
		SystemProperties: test.SystemProperties, Environment: test.Environment,
		EnableAssertions: test.EnableAssertions,
		Place: worker.Place{ModuleDir: l.Module.Dir, WorkingDir: test.WorkingDir, Copy: copyPolicy(l.Module),
			Folders: l.folders, MaxDisk: l.options.MaxDisk},
		Background: l.options.Background,
		Bundles:    l.Probes.bundlePaths(named), NamedOnly: named, Rewriter: l.Probes.rewriteLoaded,
		Tries: l.Probes.tries(),
		Log:   func(s string) { l.options.Log.Debug("test JVM", "says", s) }, Delayed: l.delayed,
	}
	for i, b := range s.Bundles {
		spec.Bundles = slices.Insert(spec.Bundles, i, b.path)
	}
	if err := l.serveFaultAPI(&spec); err != nil {
		return spec, err
	}
	if s.Engine != nil {
		return spec, s.Engine.Prepare(&spec)
	}
	return spec, nil
}

// Restart is worker.JVM's, and counts as a start.
func (l *Lab) Restart(ctx context.Context, j *worker.JVM) (*worker.JVM, error) {
	return l.timed(func() (*worker.JVM, error) { return j.Restart(ctx) })
}

// timed counts and times the start of a JVM.
func (l *Lab) timed(start func() (*worker.JVM, error)) (*worker.JVM, error) {
	began := time.Now()
	j, err := start()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starts++
	l.starting += time.Since(began)
	return j, err
}

// lightArgs are arguments for a JVM of a JDK's feature version that runs a few tests only: its code
// is not worth optimising, and a collector of one thread starts sooner, where the project names
// none. JDK 17 is left with its own: it cannot take objects from its archive with the collector of
// one thread (as JDK 25 can), and starts later so.
func lightArgs(feature int, args []string, env map[string]string) []string {
	light := []string{"-XX:TieredStopAtLevel=1"}
	options := slices.Clone(args)
	for _, name := range []string{"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"} {
		options = append(options, os.Getenv(name), env[name])
	}
	for _, o := range options {
		if feature == 17 || strings.Contains(o, "GC") || strings.Contains(o, "@") || strings.Contains(o, "-XX:Flags") ||
			strings.Contains(o, "-XX:VMOptionsFile") {
			return light
		}
	}
	return append(light, "-XX:+UseSerialGC")
}
