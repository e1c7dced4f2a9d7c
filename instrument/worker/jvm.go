package worker

// This file starts and ends JVMs.

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"catchlens/instrument/agent"
	"catchlens/internal/sandbox"
)

// JVM is a running test JVM. Its methods may be called from several goroutines;
// one request runs at a time.
type JVM struct {
	spec    Spec
	builder agent.Builder
	dirs    dirs
	ready   readyInfo

	// Confinement is what keeps the tests from writing elsewhere.
	Confinement sandbox.Confinement
	// Dropped lists the JVM arguments of the project that were left out.
	Dropped []string

	proc    *sandbox.Process
	super   Supervisor // nil: no call is held
	control *jsonrpc2.Conn
	bulk    net.Conn
	output  *tail
	events  *queue

	runMu   sync.Mutex // held by the request that runs
	seq     int
	writeMu sync.Mutex // frames to the agent

	mu       sync.Mutex
	classes  map[int]*Class
	late     map[Key]BundleEntry      // what the rewriter was asked for
	adapters map[agent.Adapter]string // jars, by adapter
	lastTest string
	why      DeathKind // set before the process is killed by us
	filled   int64     // bytes, where that is DiedDisk
	started  int       // processes, where that is DiedProcesses
	died     *Died
	gone     chan struct{}
}

// readyInfo is what the agent says when the JVM is ready.
type readyInfo struct {
	Java       string `json:"java"`
	VM         string `json:"vm"`
	SwapMicros int64  `json:"swapMicros"`
	Swapped    int    `json:"swapped"`
}

// Start starts a JVM and returns when its agent is ready for requests.
func Start(ctx context.Context, spec Spec) (*JVM, error) {
	d, err := prepare(spec)
	if err != nil {
		return nil, err
	}
	j, err := start(ctx, spec, d)
	if err != nil {
		d.remove()
	}
	return j, err
}

// keepLate extends the late bundle by what this JVM asked for. Two JVMs that end
// at once may lose one's classes, which are then asked for again.
func (j *JVM) keepLate() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.spec.LateBundle == "" || len(j.late) == 0 {
		return nil
	}
	entries, err := ReadBundle(j.spec.LateBundle)
	if err != nil {
		entries = nil // none yet, or damaged: it is made anew
	}
	for _, e := range j.late {
		entries = append(entries, e)
	}
	clear(j.late)
	return WriteBundle(j.spec.LateBundle, entries)
}

// bundles are the files that the agent looks up.
func (s Spec) bundles() []string {
	paths := append([]string{}, s.Bundles...)
	if _, err := ReadBundle(s.LateBundle); err == nil {
		paths = append(paths, s.LateBundle)
	}
	return paths
}

// Restart ends the JVM if it lives and starts another one, on its folders in their first state or on
// such ones that Spec.Folders has. If none starts, the result is the ended one, which
// is still to be closed, with the error.
func (j *JVM) Restart(ctx context.Context) (*JVM, error) {
	if j.spec.LateBundle == "" { // it is extended when this one has ended
		if d, ok := j.spec.Folders.spare(j.spec); ok {
			return j.restartOn(ctx, d)
		}
	}
	j.kill(DiedKilled)
	if err := errors.Join(j.keepLate(), j.dirs.reset()); err != nil {
		return j, err
	}
	next, err := start(ctx, j.spec, j.dirs)
	if err != nil {
		return j, err
	}
	return next, nil
}

// restartOn starts another JVM on other folders while this one ends: when it returns, that is over.
func (j *JVM) restartOn(ctx context.Context, d dirs) (*JVM, error) {
	ended := make(chan struct{})
	go func() {
		j.kill(DiedKilled)
		close(ended)
	}()
	next, err := start(ctx, j.spec, d)
	<-ended
	if err != nil {
		j.spec.Folders.put(d)
		return j, err
	}
	j.spec.Folders.put(j.dirs)
	return next, nil
}

// Close ends the JVM and removes its folders, or leaves them to Spec.Folders.
func (j *JVM) Close() error {
	j.kill(DiedKilled)
	err := j.keepLate()
	if j.spec.Folders != nil {
		j.spec.Folders.put(j.dirs)
		return err
	}
	return errors.Join(err, j.dirs.remove())
}

// start starts a JVM, and another one if that ends before it is ready: it may have
// been killed from outside, itself or what confines it, which not every exit tells.
func start(ctx context.Context, spec Spec, d dirs) (*JVM, error) {
	j, err := startOnce(ctx, spec, d)
	if err == nil {
		return j, nil
	}
	if ctx.Err() != nil || !mayStart(j, err) { // ctx is the caller's
		return nil, err
	}
	if j, err = startOnce(ctx, spec, d); err != nil {
		return nil, err
	}
	return j, nil
}

// mayStart tells whether a JVM that could not be started may start the next time.
func mayStart(j *JVM, err error) bool {
	if j == nil {
		return errors.Is(err, sandbox.ErrHelperEnded)
	}
	return j.Died() != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded)
}

// startProcess starts a confined process; tests have others.
var startProcess = sandbox.Start

// startOnce starts a JVM. One that has ended comes with the error.
func startOnce(ctx context.Context, spec Spec, d dirs) (*JVM, error) {
	if spec.StartTimeout == 0 {
		spec.StartTimeout = 15 * time.Minute
	}
	if spec.TestTimeout == 0 {
		spec.TestTimeout = time.Minute
	}
	compiler := spec.Compiler
	if compiler == "" {
		compiler = spec.JDK
	}
	j := &JVM{spec: spec, dirs: d, builder: agent.Builder{JDK: compiler, Cache: spec.Cache},
		output: newTail(64 << 10), events: newQueue(), classes: map[int]*Class{}, adapters: map[agent.Adapter]string{}, late: map[Key]BundleEntry{}, gone: make(chan struct{})}
	jar, err := j.builder.Jar(ctx)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	token, reply := secret(), secret()
	settings, err := json.Marshal(map[string]any{"port": l.Addr().(*net.TCPAddr).Port, "token": token, "reply": reply,
		"bundles": spec.bundles(), "ask": spec.Rewriter != nil, "named": spec.NamedOnly, "tries": wireTries(spec.Tries)})
	if err != nil {
		return nil, err
	}
	if err := j.launch(jar, append(settings, '\n')); err != nil {
		if j.proc == nil {
			return nil, err
		}
		return j, err
	}
	ctx, cancel := context.WithTimeout(ctx, spec.StartTimeout)
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	go j.watchStart(ctx, giveUp, startPatience)
	if err := j.connect(ctx, l, token, reply); err != nil {
		j.kill(DiedKilled)
		if errors.Is(context.Cause(ctx), errSilent) {
			err = errSilent
		}
		return j, fmt.Errorf("the test JVM did not start: %w\n%s", err, j.output)
	}
	return j, nil
}

// wireTries is what catchlens.rt.Below takes.
func wireTries(tries []Try) map[string][][5]any {
	m := map[string][][5]any{}
	for _, t := range tries {
		m[t.Class] = append(m[t.Class], [5]any{t.Catch, t.N, t.First, t.Last, t.Method})
	}
	return m
}

func secret() string {
	b := make([]byte, 32)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// launch starts the process and writes the settings to its standard input.
func (j *JVM) launch(jar string, settings []byte) error {
	work := j.workingDir()
	if err := os.MkdirAll(work, 0o700); err != nil {
		return err
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		inW.Close()
		return err
	}
	args, err := j.arguments(jar)
	if err == nil {
		command := sandbox.Command{Path: javaTool(j.spec.JDK), Args: args, Env: j.environment(), Dir: work,
			Stdin: inR, Stdout: outW, Stderr: outW, Write: []string{j.dirs.root}, Prefer: j.spec.Confine}
		if len(j.spec.Trap) > 0 {
			j.super = j.spec.NewSupervisor()
			command.Trap, command.Supervise = j.spec.Trap, j.super.Serve
		}
		j.proc, err = startProcess(command)
	}
	inR.Close()
	outW.Close()
	if err != nil {
		if j.super != nil {
			j.super.Close()
		}
		inW.Close()
		outR.Close()
		return err
	}
	j.Confinement = j.proc.Confinement
	printed := make(chan struct{})
	go func() {
		io.Copy(j.output, outR)
		outR.Close()
		close(printed)
	}()
	go j.watch(printed)
	go j.watchDisk()
	_, err = inW.Write(settings)
	if err = errors.Join(err, inW.Close()); err != nil {
		j.kill(DiedKilled)
		return fmt.Errorf("the test JVM does not read its settings: %w\n%s", err, j.output)
	}
	return nil
}

func javaTool(home string) string {
	name := "java"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(home, "bin", name)
}

func (j *JVM) workingDir() string {
	s := j.spec
	if s.WorkingDir == "" || j.dirs.copy == nil {
		return j.dirs.work
	}
	dir := s.WorkingDir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.ModuleDir, dir)
	}
	to := j.dirs.copy.Map(dir)
	if rel, err := filepath.Rel(j.dirs.root, to); err == nil && filepath.IsLocal(rel) {
		return to
	}
	return j.dirs.work
}

// arguments are those of the java command.
func (j *JVM) arguments(jar string) ([]string, error) {
	s := j.spec
	keep, dropped := FilterJVMArgs(s.JVMArgs)
	j.Dropped = dropped
	args := []string{agentOption(s, keep) + jar}
	for _, a := range append(withRoom(keep), attachedAgents(keep, s.ClassPath)...) {
		args = append(args, j.mapValue(a))
	}
	if s.MaxHeap > 0 {
		args = append(args, fmt.Sprintf("-Xmx%dk", s.MaxHeap>>10))
	}
	if s.EnableAssertions {
		args = append(args, "-ea")
	}
	args = append(args, "-XX:-OmitStackTraceInFastThrow", "-XX:-UsePerfData",
		"-XX:ErrorFile="+filepath.Join(j.dirs.root, "hs_err.log"), "-XX:-CreateCoredumpOnCrash")
	for _, k := range sortedKeys(s.SystemProperties) {
		args = append(args, "-D"+k+"="+j.mapValue(s.SystemProperties[k]))
	}
	args = append(args, "-Djava.io.tmpdir="+j.dirs.tmp, "-Duser.home="+j.dirs.home)
	args = append(args, j.moduleArgs()...)
	cp := strings.Join(j.classPath(), string(os.PathListSeparator))
	feature, err := agent.Feature(s.JDK)
	if err != nil {
		return nil, err
	}
	if feature < 9 {
		args = without(args, "-XX:-CreateCoredumpOnCrash") // JDK 9 and later know it
	}
	if len(cp) > 30000 && feature >= 9 { // longer than Windows' command lines, and near Linux' limit per argument
		file := filepath.Join(j.dirs.root, "classpath.args")
		os.Remove(file) // a link, say, that tests have put there
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(cp)
		if err := os.WriteFile(file, []byte("-cp\n\""+quoted+"\"\n"), 0o600); err != nil {
			return nil, err
		}
		args = append(args, "@"+file)
	} else {
		args = append(args, "-cp", cp)
	}
	return append(args, "catchlens.rt.Main"), nil
}

// classPath is that of the spec but for what belongs to the module, mapped.
func (j *JVM) classPath() []string {
	m := j.spec.Module
	if m == nil {
		return j.mapped(j.spec.ClassPath)
	}
	return j.mapped(slices.DeleteFunc(slices.Clone(j.spec.ClassPath), func(p string) bool {
		return slices.Contains(m.Path, p) || slices.ContainsFunc(m.Patches, func(x Patch) bool { return slices.Contains(x.Entries, p) })
	}))
}

// mapped are paths with what the working copy has in it: tests find the same files by resources and by
// relative paths, and may write beside them.
func (j *JVM) mapped(paths []string) []string {
	if j.dirs.copy == nil {
		return paths
	}
	mapped := make([]string, len(paths))
	for i, p := range paths {
		mapped[i] = j.dirs.copy.Map(p)
	}
	return mapped
}

// moduleArgs are the arguments for tests in a Java module. The agent is in the unnamed module of the boot loader, which the JVM lets each module read whose
// classes an agent rewrites.
func (j *JVM) moduleArgs() []string {
	m := j.spec.Module
	if m == nil {
		return nil
	}
	args := []string{"--module-path", strings.Join(j.mapped(m.Path), string(os.PathListSeparator)), "--add-modules", m.Name}
	for _, p := range m.Patches {
		args = append(args, "--patch-module", p.Module+"="+strings.Join(j.mapped(p.Entries), string(os.PathListSeparator)))
	}
	if len(m.Packages) == 0 {
		for _, p := range []string{"util", "logging"} { // the launcher of the JUnit Platform is on the class path
			args = append(args, "--add-opens", "org.junit.platform.commons/org.junit.platform.commons."+p+"=ALL-UNNAMED")
		}
		return args
	}
	args = append(args, "--add-reads", m.Name+"=ALL-UNNAMED")
	for _, p := range m.Packages {
		args = append(args, "--add-opens", m.Name+"/"+p+"=ALL-UNNAMED")
	}
	return args
}

func without(args []string, drop string) []string {
	var kept []string
	for _, a := range args {
		if a != drop {
			kept = append(kept, a)
		}
	}
	return kept
}

// mapValue turns paths into the module's folder, in a property or argument,
// into paths into the working copy.
func (j *JVM) mapValue(v string) string {
	c := j.dirs.copy
	if c == nil || !strings.Contains(v, c.From) || strings.HasPrefix(v, "-javaagent:") || strings.HasPrefix(v, "-agentpath:") {
		return v
	}
	prefix, value := "", v
	if i := strings.IndexByte(v, '='); strings.HasPrefix(v, "-D") && i > 0 {
		prefix, value = v[:i+1], v[i+1:]
	}
	parts := strings.Split(value, string(os.PathListSeparator))
	for i, p := range parts {
		parts[i] = c.Map(p)
	}
	return prefix + strings.Join(parts, string(os.PathListSeparator))
}

// environment is this process's own with the module's on top and private
// folders for home and temporary files.
func (j *JVM) environment() []string {
	env := map[string]string{}
	for _, kv := range os.Environ() {
		if k, v, ok := strings.Cut(kv, "="); ok && !strings.HasPrefix(k, "CATCHLENS_") {
			env[k] = v
		}
	}
	for k, v := range j.spec.Environment {
		env[k] = j.mapValue(v)
	}
	for _, k := range []string{"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"} {
		if v, ok := env[k]; ok {
			if env[k] = filterOptionsVariable(v); env[k] == "" {
				delete(env, k)
			}
		}
	}
	for _, k := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"} {
		delete(env, k) // their defaults are below the home
	}
	env["HOME"], env["USERPROFILE"] = j.dirs.home, j.dirs.home
	env["TMPDIR"], env["TMP"], env["TEMP"] = j.dirs.tmp, j.dirs.tmp, j.dirs.tmp
	env["JAVA_HOME"] = j.spec.JDK
	list := make([]string, 0, len(env))
	for _, k := range sortedKeys(env) {
		list = append(list, k+"="+env[k])
	}
	return list
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// connect accepts the agent's two connections and waits until it is ready.
func (j *JVM) connect(ctx context.Context, l net.Listener, token, reply string) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	go func() {
		select {
		case <-j.gone:
			l.Close()
		case <-ctx.Done():
		}
	}()
	var control net.Conn
	for control == nil || j.bulk == nil {
		c, err := l.Accept()
		if err != nil {
			if control != nil {
				control.Close()
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return errors.New("it ended before its agent connected")
		}
		switch authenticate(c, token, reply) {
		case 'C':
			control = c
		case 'B':
			j.mu.Lock()
			j.bulk = c
			j.mu.Unlock()
		default:
			c.Close()
		}
	}
	readied := make(chan readyInfo, 1)
	handler := jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
		if r.Method == "ready" && r.Params != nil {
			var info readyInfo
			if json.Unmarshal(*r.Params, &info) == nil {
				select {
				case readied <- info:
				default:
				}
			}
		}
		return nil, nil
	})
	quiet := jsonrpc2.SetLogger(nullLogger{})
	conn := jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(control, jsonrpc2.VarintObjectCodec{}), handler, quiet)
	j.mu.Lock()
	j.control = conn
	j.mu.Unlock()
	go j.readBulk()
	select {
	case j.ready = <-readied:
		return nil
	case <-j.gone:
		return errors.New("it ended before it was ready")
	case <-ctx.Done():
		return ctx.Err()
	}
}

type nullLogger struct{}

func (nullLogger) Printf(string, ...any) {}

// authenticate reads the token of a connection and answers with the reply; it
// returns which channel it is, or 0.
func authenticate(c net.Conn, token, reply string) byte {
	c.SetDeadline(time.Now().Add(10 * time.Second))
	defer c.SetDeadline(time.Time{})
	b := make([]byte, len(token)+2)
	if _, err := io.ReadFull(c, b); err != nil || subtle.ConstantTimeCompare(b[:len(token)], []byte(token)) != 1 {
		return 0
	}
	if _, err := c.Write([]byte(reply + "\n")); err != nil {
		return 0
	}
	return b[len(token)]
}

func (j *JVM) readBulk() {
	r := bufio.NewReaderSize(j.bulk, 1<<16)
	for {
		typ, payload, err := readFrame(r)
		if err != nil {
			j.events.end()
			return
		}
		j.frame(typ, payload)
	}
}

// frame handles what needs no request and passes everything on, so that frames
// can be counted.
func (j *JVM) frame(typ byte, payload []byte) {
	switch typ {
	case frameClasses:
		j.mu.Lock()
		err := decodeClasses(payload, func(c *Class) { j.classes[c.Number] = c })
		j.mu.Unlock()
		j.complain("classes", err)
	case frameNotice:
		d := &decoder{b: payload}
		j.log(d.str())
	case frameAsk:
		go j.answer(payload)
	}
	j.events.put(event{typ, payload})
}

func (j *JVM) complain(what string, err error) {
	if err != nil {
		j.log(fmt.Sprintf("the agent sent damaged %s: %v", what, err))
	}
}

func (j *JVM) log(text string) {
	if j.spec.Log != nil {
		j.spec.Log(text)
	}
}

// answer rewrites a class that the JVM is loading.
func (j *JVM) answer(payload []byte) {
	id, loader, name, original, err := decodeAsk(payload)
	j.complain("class", err)
	var out []byte
	var meta Meta
	ok := false
	if err == nil && j.spec.Rewriter != nil && !NoProbes(name) {
		out, meta, ok = j.spec.Rewriter(loader, name, original)
		if ok {
			if err := meta.check(name, len(out)); err != nil {
				j.log(err.Error())
				ok = false
			}
		}
	}
	if err == nil {
		e := BundleEntry{Name: name, Original: KeyOf(original)}
		if ok {
			e.Rewritten, e.Meta = bytes.Clone(out), meta
		}
		j.mu.Lock()
		j.late[e.Original] = e
		j.mu.Unlock()
	}
	j.writeMu.Lock()
	defer j.writeMu.Unlock()
	j.bulk.Write(answerFrame(id, out, meta, ok))
}

func (j *JVM) class(number int) *Class {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c := j.classes[number]; c != nil {
		return c
	}
	return &Class{Number: number}
}

// lastOutput is how long what a JVM has printed may be on its way when all its processes are gone.
const lastOutput = 10 * time.Millisecond

// watch notes how the process ended. printed is closed when all output has been read, which
// what has got away from the process may hold open.
func (j *JVM) watch(printed <-chan struct{}) {
	e := j.proc.Wait()
	if j.super != nil {
		j.super.Close()
	}
	select {
	case <-printed:
	case <-time.After(lastOutput):
	}
	j.mu.Lock()
	d := &Died{Kind: j.why, Code: e.Code, Signal: e.Signal, LastTest: j.lastTest, Output: j.output.String(), Left: e.Left, Filled: j.filled, Started: j.started}
	if text, err := readHead(filepath.Join(j.dirs.root, "hs_err.log"), 16<<10); err == nil {
		d.HsErr = text
		os.Remove(filepath.Join(j.dirs.root, "hs_err.log"))
	}
	if d.Kind == "" {
		d.Kind = deathKind(d)
	}
	j.died = d
	bulk, control := j.bulk, j.control
	j.mu.Unlock()
	close(j.gone)
	j.events.end()
	if bulk != nil {
		bulk.Close()
	}
	if control != nil {
		control.Close()
	}
}

func deathKind(d *Died) DeathKind {
	switch {
	case strings.Contains(d.HsErr[:min(len(d.HsErr), 500)], "insufficient memory"),
		strings.Contains(d.Output, "Terminating due to java.lang.OutOfMemoryError"):
		return DiedOOM
	case d.HsErr != "", d.Signal == 6, d.Signal == 11, d.Code == 134:
		return DiedCrash
	case d.Signal == 9: // nobody here sent it: the system's memory killer does
		return DiedOOM
	case d.Signal != 0:
		return DiedCrash
	}
	return DiedExit
}

func readHead(name string, n int64) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, n))
	return string(b), err
}

// kill ends the JVM and all it started; why is noted if it lives.
func (j *JVM) kill(why DeathKind) *Died {
	if j.proc == nil {
		return nil
	}
	j.mu.Lock()
	if j.died == nil && j.why == "" {
		j.why = why
	}
	j.mu.Unlock()
	j.proc.Kill()
	<-j.gone
	return j.died
}

// Alive tells whether the JVM runs.
func (j *JVM) Alive() bool {
	select {
	case <-j.gone:
		return false
	default:
		return true
	}
}

// Died is how the JVM ended, or nil while it lives.
func (j *JVM) Died() *Died {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.died
}

// Supervisor is what Spec.NewSupervisor made for this JVM, or nil.
func (j *JVM) Supervisor() Supervisor { return j.super }

// WorkingDir is the folder that the tests run in.
func (j *JVM) WorkingDir() string { return j.workingDir() }

// AgentAddress is where the agent's own connections go to.
func (j *JVM) AgentAddress() net.Addr {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.bulk == nil {
		return nil
	}
	return j.bulk.LocalAddr()
}

// WorkingCopy is the copy that the tests run in, or nil.
func (j *JVM) WorkingCopy() *WorkingCopy { return j.dirs.copy }

// Java is the version of the running JVM.
func (j *JVM) Java() string { return j.ready.Java }

// StartUp is the time in which the agent retransformed the classes that were
// loaded before it, and their number.
func (j *JVM) StartUp() (time.Duration, int) {
	return time.Duration(j.ready.SwapMicros) * time.Microsecond, j.ready.Swapped
}
