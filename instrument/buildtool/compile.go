package buildtool

// This file compiles one source set, incrementally.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/sealed"
)

// ModuleCompile describes one source set: the main or the test sources of a
// module. All paths are absolute.
type ModuleCompile struct {
	Key           string          // names the source set in the cache: the same key, the same folder
	JDKHome       string          // compiles with this JDK's javac
	JDKFeature    int             // its feature number; 0 unknown
	SourceRoots   []string        // searched for .java files
	Taken         workspace.Taken // which of them are compiled
	ClassPath     []string        // without the output folder
	Release       int             // 0: the JDK's own
	ReleaseIsFlag bool            // --release, else -source and -target
	Encoding      string          // "" means UTF-8
	Parameters    bool            // -parameters
	Proc          string          // -proc: "", "none", "only", "full"
	Processors    []string
	ProcessorPath []string
	Args          []string                              // further javac options of the project
	Resources     []string                              // folders whose files are copied beside the classes
	ResourceSets  []workspace.ResourceSet               // files of some, instead of their folders as a whole
	Filter        func(name string, text []byte) []byte // what the build writes of a filtered resource; nil: as it is
	// the build tool's class folders: last good classes before the first compilation here, and
	// processed resources
	UserOutputs []string
	Force       bool   // compile everything
	Begins      func() // called each time that a compiler is about to run; may be nil
}

// begins says that a compiler is about to run.
func (m *ModuleCompile) begins() {
	if m.Begins != nil {
		m.Begins()
	}
}

// Result is the outcome of a compilation.
type Result struct {
	OutputDir   string // the classes: new ones, and last good ones of what failed
	Diagnostics []Diagnostic
	Compiled    []string            // sources compiled by this call, successfully
	Failed      []string            // sources whose last good classes stand (stale), or that have none
	Removed     []string            // class files that are gone, relative to OutputDir
	Changed     []string            // class files whose bytes this call replaced or added, relative to OutputDir
	Classes     map[string][]string // every source -> its class files, relative to OutputDir
	API         string              // digest of what all classes show to other modules
	APIChanged  bool                // by this call
	Full        bool                // everything was compiled
	Duration    time.Duration
}

// OutputDir is where the classes of a source set with this key stand.
func (c *Compiler) OutputDir(key string) string { return filepath.Join(c.dirOf(key), "classes") }

func (c *Compiler) dirOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(c.opt.CacheDir, "compiled", hex.EncodeToString(sum[:12]))
}

// Compile brings the classes of a source set up to date. Sources that do not
// compile are in Result.Failed with their Diagnostics, and are no error; the
// error is for what kept the compiler from running (ErrNoCompiler for a Java
// without one) and for an ended context.
func (c *Compiler) Compile(ctx context.Context, m ModuleCompile) (Result, error) {
	start := time.Now()
	if m.Key == "" || m.JDKHome == "" {
		return Result{}, errors.New("a compilation needs a key and a JDK")
	}
	dir := c.dirOf(m.Key)
	if err := makeFolder(dir, filepath.Join(dir, "classes")); err != nil {
		return Result{}, err
	}
	lock := sealed.Lock(filepath.Join(dir, lockFile)) // another server may have the same workspace open
	if ok, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil || !ok {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		return Result{}, fmt.Errorf("cannot lock %s: %v", dir, err)
	}
	defer lock.Unlock()
	j := &job{c: c, m: m, dir: dir, out: filepath.Join(dir, "classes")}
	var found bool
	if j.st, found = loadState(dir); !found { // nobody knows what the classes are of
		if err := errors.Join(os.RemoveAll(j.out), os.MkdirAll(j.out, 0o700)); err != nil {
			return Result{}, err
		}
	}
	j.st.verified(j.out, &c.files)
	res, err := j.run(ctx)
	if err == nil {
		err = j.describeModule(ctx)
	}
	if err != nil {
		return Result{}, err
	}
	res.Duration = time.Since(start)
	return res, nil
}

// makeFolder makes a folder; where something else stands in the way, all of top is made anew.
func makeFolder(top, folder string) error {
	err := os.MkdirAll(folder, 0o700)
	if err != nil {
		err = errors.Join(os.RemoveAll(top), os.MkdirAll(folder, 0o700))
	}
	return err
}

// Kept answers what the last compilation of a source set left in the cache, and
// compiles nothing: Failed has the sources that changed since or did not compile
// then. It is false if there is nothing of use.
func (c *Compiler) Kept(m ModuleCompile) (Result, bool) {
	dir := c.dirOf(m.Key)
	out := filepath.Join(dir, "classes")
	st, found := loadState(dir)
	if _, err := os.Stat(out); err != nil || !found || len(st.Sources) == 0 {
		return Result{}, false
	}
	// Who holds the lock brings all of it up to date.
	if lock := sealed.Lock(filepath.Join(dir, lockFile)); locked(lock) {
		whole := st.verified(out, &c.files)
		_ = lock.Unlock()
		if !whole {
			return Result{}, false
		}
	}
	sources, err := listSources(m.SourceRoots, m.Taken)
	if err != nil {
		return Result{}, false
	}
	changed, _, err := st.dirty(sources)
	if err != nil {
		return Result{}, false
	}
	r := Result{OutputDir: out, Failed: changed, Classes: make(map[string][]string, len(sources)), API: st.apiDigest()}
	found = false
	for _, src := range sources {
		r.Classes[src.path] = nil
		if s := st.Sources[src.path]; s != nil {
			r.Classes[src.path] = slices.Clone(s.Classes)
			found = found || len(s.Classes) > 0
		}
	}
	return r, found
}

// lockFile is held by the process that compiles a source set.
const lockFile = "lock"

// locked tells whether a lock could be had at once.
func locked(lock *flock.Flock) bool {
	ok, err := lock.TryLock()
	return ok && err == nil
}

// job is one call of Compile.
type job struct {
	c       *Compiler
	m       ModuleCompile
	dir     string // holds everything of the source set
	out     string // its classes
	st      *state
	sources []source
	digests map[string]string // content of each source that is compiled, from before the compiler reads it
	res     Result
	apiWas  string
}

func (j *job) run(ctx context.Context) (Result, error) {
	var err error
	if j.sources, err = listSources(j.m.SourceRoots, j.m.Taken); err != nil {
		return Result{}, err
	}
	j.res.OutputDir = j.out
	j.apiWas = j.st.apiDigest()
	options, classPath := j.optionsDigest(), j.classPathDigest()
	full := j.m.Force || j.st.Options != options || j.st.ClassPath != classPath
	changed, removed, err := j.st.dirty(j.sources)
	if err != nil {
		return Result{}, err
	}
	j.cleanStaging()
	j.syncResources()
	switch {
	case full:
		changed = allPaths(j.sources)
	case len(changed) == 0 && len(removed) == 0, len(removed) == 0 && j.st.sameFailures(changed):
		return j.finish(false)
	}
	gone := j.dropRemoved(removed)
	if j.wholeModule() {
		changed = allPaths(j.sources)
	} else if len(gone) > 0 && !full {
		changed = unite(changed, j.st.dependents(gone, j.sources, j.out))
	}
	if err := j.compileSet(ctx, changed, gone); err != nil {
		// The removed sources' classes are gone: do not believe the state.
		if len(removed) > 0 {
			j.st.Options = ""
			_ = j.st.save(j.dir)
		}
		return Result{}, err
	}
	j.st.Options, j.st.ClassPath = options, classPath
	return j.finish(true)
}

// finish writes the state and fills in what every result says.
func (j *job) finish(compiled bool) (Result, error) {
	if compiled {
		j.compact()
	}
	if err := j.st.save(j.dir); err != nil {
		return Result{}, err
	}
	r := &j.res
	r.API = j.st.apiDigest()
	r.APIChanged = r.API != j.apiWas
	r.Classes = make(map[string][]string, len(j.st.Sources))
	for _, p := range sortedKeys(j.st.Sources) {
		s := j.st.Sources[p]
		r.Classes[p] = slices.Clone(s.Classes)
		if len(s.Failed) > 0 {
			r.Failed = append(r.Failed, p)
			if !compiled {
				r.Diagnostics = append(r.Diagnostics, s.Failed...)
			}
		}
	}
	causesFirst(r.Diagnostics)
	r.Full = compiled && len(r.Compiled) == len(j.sources)
	slices.Sort(r.Compiled)
	slices.Sort(r.Changed)
	slices.Sort(r.Removed)
	return *r, nil
}

// compact forgets sources and classes that no longer exist.
func (j *job) compact() {
	have := map[string]bool{}
	for _, s := range j.sources {
		have[s.path] = true
	}
	classes := map[string]bool{}
	for p, s := range j.st.Sources {
		if !have[p] {
			delete(j.st.Sources, p)
			continue
		}
		for _, c := range s.Classes {
			classes[strings.TrimSuffix(c, ".class")] = true
		}
	}
	for _, c := range j.st.Generated {
		classes[strings.TrimSuffix(c, ".class")] = true
	}
	for c := range j.st.API {
		if !classes[c] {
			delete(j.st.API, c)
			delete(j.st.Supers, c)
		}
	}
}

func allPaths(sources []source) []string {
	out := make([]string, len(sources))
	for i, s := range sources {
		out[i] = s.path
	}
	return out
}

func unite(a, b []string) []string {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// cleanStaging removes what a killed compilation left behind.
func (j *job) cleanStaging() {
	old, _ := filepath.Glob(filepath.Join(j.dir, "staging-*"))
	for _, d := range old {
		_ = os.RemoveAll(d)
	}
}

// dropRemoved deletes the classes of sources that are gone and returns their
// names.
func (j *job) dropRemoved(removed []string) map[string]bool {
	gone := map[string]bool{}
	for _, p := range removed {
		for _, f := range j.st.Sources[p].Classes {
			j.removeClass(f)
			gone[strings.TrimSuffix(f, ".class")] = true
		}
		delete(j.st.Sources, p)
	}
	return gone
}

func (j *job) removeClass(rel string) {
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return
	}
	delete(j.st.Files, rel)
	if os.Remove(filepath.Join(j.out, filepath.FromSlash(rel))) == nil {
		j.res.Removed = append(j.res.Removed, rel)
	}
}

// compileSet compiles the sources; those that fail are taken out and the rest
// is tried again. gone are classes that no longer exist.
func (j *job) compileSet(ctx context.Context, todo []string, gone map[string]bool) error {
	j.digests = map[string]string{}
	failed := map[string][]Diagnostic{}
	var loose []Diagnostic // errors that name no file of the set
	for round := 0; round < j.c.opt.MaxRounds && len(todo) > 0; round++ {
		if err := j.digest(todo); err != nil {
			return err
		}
		staging, ans, err := j.javac(ctx, todo, len(failed) > 0)
		if err != nil {
			return err
		}
		if ans.ok && j.compiledNothing(ans, todo) {
			ans.ok, ans.notes, ans.trouble = false, nil, "javac ended without an error and wrote no class"
		}
		if ans.ok {
			more := j.affected(staging, ans, todo, failed, gone)
			if len(more) > 0 {
				_ = os.RemoveAll(staging)
				todo = unite(todo, more)
				continue
			}
			err := j.accept(staging, ans, todo)
			_ = os.RemoveAll(staging)
			if err != nil {
				return err
			}
			j.res.Diagnostics = append(j.res.Diagnostics, ans.notes...)
			todo = nil
			break
		}
		_ = os.RemoveAll(staging)
		bad := j.failing(ans, todo)
		if len(bad) == 0 {
			if all := allPaths(j.sources); len(todo) < len(all) && len(failed) == 0 && round == 0 {
				todo = all // the state may not fit: try everything once
				continue
			}
			if loose = ans.notes; len(loose) == 0 {
				loose = []Diagnostic{{Severity: workspace.Error, Message: ans.trouble}}
			}
			break
		}
		follows := len(failed) > 0
		for p, notes := range bad {
			for i := range notes {
				notes[i].Follows = follows
			}
			failed[p] = notes
		}
		todo = slices.DeleteFunc(slices.Clone(todo), func(p string) bool { return bad[p] != nil })
	}
	for _, p := range todo { // rounds ran out, or trouble without a file
		failed[p] = append([]Diagnostic{}, loose...)
		if len(loose) == 0 {
			failed[p] = []Diagnostic{{Severity: workspace.Error, File: p,
				Message: "not compiled: too many other files of the module have errors"}}
		}
	}
	j.keepFailed(failed)
	for _, p := range sortedKeys(failed) {
		if len(loose) == 0 || !slices.Contains(todo, p) {
			j.res.Diagnostics = append(j.res.Diagnostics, failed[p]...)
		}
	}
	j.res.Diagnostics = append(j.res.Diagnostics, loose...)
	causesFirst(j.res.Diagnostics)
	return nil
}

// causesFirst puts what may only follow from other errors behind them.
func causesFirst(found []Diagnostic) {
	slices.SortStableFunc(found, func(a, b Diagnostic) int {
		switch {
		case a.Follows == b.Follows:
			return 0
		case a.Follows:
			return 1
		}
		return -1
	})
}

// compiledNothing tells whether nothing came of sources of which the same content had classes
// before: whatever the compiler says, it has not compiled them.
func (j *job) compiledNothing(a javacAnswer, todo []string) bool {
	return len(a.produced) == 0 && slices.ContainsFunc(todo, func(p string) bool {
		s := j.st.Sources[p]
		return s != nil && len(s.Classes) > 0 && s.Digest == j.digests[p]
	})
}

// digest notes what the sources contain before the compiler reads them: an
// edit meanwhile shows as a difference next time.
func (j *job) digest(paths []string) error {
	for _, p := range paths {
		d, err := fileDigest(p)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		j.digests[p] = d
	}
	return nil
}

// failing maps each source of the set with errors to them.
func (j *job) failing(a javacAnswer, todo []string) map[string][]Diagnostic {
	in := map[string]bool{}
	for _, p := range todo {
		in[p] = true
	}
	bad := map[string][]Diagnostic{}
	for _, d := range a.notes {
		if d.Severity == workspace.Error && in[d.File] {
			bad[d.File] = append(bad[d.File], d)
		}
	}
	return bad
}

// affected lists the further sources that must be compiled because what the
// new classes show differs from the old ones.
func (j *job) affected(staging string, a javacAnswer, todo []string, failed map[string][]Diagnostic,
	gone map[string]bool) []string {
	if len(todo)+len(failed) >= len(j.sources) {
		return nil
	}
	changed := map[string]bool{}
	for n := range gone {
		changed[n] = true
	}
	fresh := map[string]bool{}
	for rel := range a.produced {
		name, digest, supers, err := j.apiOf(staging, rel)
		if err != nil {
			continue
		}
		fresh[name] = true
		if j.st.API[name] != digest {
			changed[name] = true
		}
		_ = supers
	}
	for _, p := range todo {
		if s := j.st.Sources[p]; s != nil {
			for _, f := range s.Classes {
				if n := strings.TrimSuffix(f, ".class"); !fresh[n] && j.st.API[n] != "local" {
					changed[n] = true
				}
			}
		}
	}
	for n := range changed {
		if j.st.API[n] == "local" {
			delete(changed, n)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	in := map[string]bool{}
	for _, p := range todo {
		in[p] = true
	}
	var more []string
	for _, p := range j.st.dependents(changed, j.sources, j.out) {
		if !in[p] && failed[p] == nil {
			more = append(more, p)
		}
	}
	return more
}

func (j *job) apiOf(folder, rel string) (name, digest string, supers []string, err error) {
	data, err := bounded.Read(filepath.Join(folder, filepath.FromSlash(rel)), bounded.Class)
	if err != nil {
		return "", "", nil, err
	}
	return classAPI(data)
}

// accept moves new classes into place and notes them.
func (j *job) accept(staging string, a javacAnswer, todo []string) error {
	bySource := map[string][]string{}
	for _, rel := range sortedKeys(a.produced) {
		src := a.produced[rel]
		bySource[src] = append(bySource[src], rel)
		if _, known := j.st.Files[rel]; known && j.unchanged(staging, rel) {
			continue
		}
		if err := j.move(staging, rel); err != nil {
			return err
		}
		j.res.Changed = append(j.res.Changed, rel)
	}
	for _, rel := range sortedKeys(a.produced) {
		if name, digest, supers, err := j.apiOf(j.out, rel); err == nil {
			j.st.API[name], j.st.Supers[name] = digest, supers
		}
	}
	j.moveRest(staging)
	stamps := map[string]fileStamp{}
	for _, s := range j.sources {
		stamps[s.path] = s.stamp
	}
	for _, p := range todo {
		old := j.st.Sources[p]
		if old != nil {
			for _, f := range old.Classes {
				if _, still := a.produced[f]; !still {
					j.removeClass(f)
				}
			}
		}
		j.st.Sources[p] = &sourceState{fileStamp: stamps[p], Digest: j.digests[p], Classes: bySource[p]}
	}
	j.res.Compiled = append(j.res.Compiled, todo...)
	j.noteGenerated(bySource, len(todo) == len(j.sources))
	return nil
}

// noteGenerated keeps track of classes whose sources annotation processors
// wrote; when everything was compiled, those that came no more are removed.
func (j *job) noteGenerated(bySource map[string][]string, all bool) {
	now := map[string]bool{}
	for src, classes := range bySource {
		if s := j.st.Sources[src]; s == nil {
			for _, c := range classes {
				now[c] = true
			}
		}
	}
	for _, c := range j.st.Generated {
		if now[c] {
			continue
		}
		if all {
			j.removeClass(c)
			continue
		}
		now[c] = true
	}
	j.st.Generated = sortedKeys(now)
}

// foreign says whether the output folder holds classes of other languages,
// which the sources may need.
func (j *job) foreign() bool {
	for rel := range j.st.Resources {
		if strings.HasSuffix(rel, ".class") && rel != "module-info.class" {
			return true
		}
	}
	return false
}

// unchanged says whether the class in place has the same bytes.
func (j *job) unchanged(staging, rel string) bool {
	a, err1 := bounded.Read(filepath.Join(staging, filepath.FromSlash(rel)), bounded.Class)
	b, err2 := bounded.Read(filepath.Join(j.out, filepath.FromSlash(rel)), bounded.Class)
	return err1 == nil && err2 == nil && string(a) == string(b)
}

func (j *job) move(staging, rel string) error {
	to := filepath.Join(j.out, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := sealed.Move(filepath.Join(staging, filepath.FromSlash(rel)), to); err != nil {
		return err
	}
	return j.st.noteFile(j.out, rel)
}

// moveRest moves what annotation processors wrote beside classes.
func (j *job) moveRest(staging string) {
	_ = filepath.WalkDir(staging, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		rel, err := filepath.Rel(staging, p)
		if err == nil && !strings.HasSuffix(p, ".class") &&
			!strings.HasPrefix(filepath.ToSlash(rel), generatedName+"/") {
			_ = j.move(staging, filepath.ToSlash(rel))
		}
		return nil
	})
}

// generatedName is the folder of a staging folder that gets generated sources.
const generatedName = ".generated"

// javac runs the compiler on some sources into a new staging folder.
func (j *job) javac(ctx context.Context, files []string, incomplete bool) (string, javacAnswer, error) {
	staging, err := os.MkdirTemp(j.dir, "staging-")
	if err != nil {
		return "", javacAnswer{}, err
	}
	fail := func(err error) (string, javacAnswer, error) {
		_ = os.RemoveAll(staging)
		return "", javacAnswer{}, err
	}
	generated := filepath.Join(staging, generatedName)
	if err := os.Mkdir(generated, 0o700); err != nil {
		return fail(err)
	}
	classPath := append([]string{j.out}, j.m.ClassPath...)
	if !incomplete && len(files) == len(j.sources) && !j.foreign() {
		classPath = classPath[1:] // nothing of old must help
	}
	if incomplete { // the build tool's classes stand in for what fails here
		classPath = append(classPath, j.m.UserOutputs...)
	}
	encoding := j.m.Encoding
	if encoding == "" {
		encoding = "UTF-8"
	}
	options := append(j.options(), "-classpath", strings.Join(classPath, string(os.PathListSeparator)))
	j.m.begins()
	a, err := j.c.javac(ctx, j.m.JDKHome,
		javacRequest{options: options, output: staging, generated: generated, files: files, encoding: encoding})
	if err != nil {
		return fail(err)
	}
	if a.trouble != "" && !a.ok && len(a.notes) == 0 {
		a.trouble = "javac: " + a.trouble
	}
	return staging, a, nil
}

// options are the javac options but for the class path.
func (j *job) options() []string {
	m := &j.m
	opts := []string{"-g", "-implicit:none", "-Xmaxerrs", "10000", "-Xmaxwarns", "1000"}
	if m.Parameters {
		opts = append(opts, "-parameters")
	}
	if m.Release > 0 {
		r := strconv.Itoa(m.Release)
		switch {
		case m.ReleaseIsFlag && m.JDKFeature != 8:
			opts = append(opts, "--release", r)
		default:
			opts = append(opts, "-source", r, "-target", r, "-Xlint:-options")
		}
	}
	if !j.processing() {
		opts = append(opts, "-proc:none")
	} else {
		if m.Proc != "" {
			opts = append(opts, "-proc:"+m.Proc)
		}
		if len(m.ProcessorPath) > 0 {
			opts = append(opts, "-processorpath", strings.Join(m.ProcessorPath, string(os.PathListSeparator)))
		}
		if len(m.Processors) > 0 {
			opts = append(opts, "-processor", strings.Join(m.Processors, ","))
		}
	}
	return append(opts, filterArgs(m.Args)...)
}

// filterArgs leaves out options that say where files go or come from, and
// those that turn warnings into errors.
func filterArgs(args []string) []string {
	withValue := map[string]bool{"-d": true, "-s": true, "-h": true, "-cp": true, "-classpath": true,
		"--class-path": true, "-sourcepath": true,
		"--source-path": true, "-encoding": true, "--release": true, "-source": true, "--source": true, "-target": true,
		"--target":  true,
		"-Xmaxerrs": true, "-Xmaxwarns": true, "--module-source-path": true, "-p": true, "--module-path": true,
		"--module": true, "-m": true,
		"--patch-module": true, "--add-modules": false}
	var out []string
	for i := 0; i < len(args); i++ {
		a := strings.TrimSpace(args[i])
		name, _, joined := strings.Cut(a, "=")
		switch {
		case a == "", a == "-Werror", a == "-verbose", a == "-nowarn", strings.HasPrefix(a, "-g"),
			strings.HasPrefix(a, "-J"),
			strings.HasPrefix(a, "-implicit:"), strings.HasPrefix(a, "@"), a == "-Xdiags:verbose":
		case withValue[name] && joined:
		case withValue[a]:
			i++
		default:
			out = append(out, a)
		}
	}
	return out
}

// keepFailed notes what failed; a source that never compiled here borrows the
// classes that the build tool made of it.
func (j *job) keepFailed(failed map[string][]Diagnostic) {
	stamps := map[string]fileStamp{}
	for _, s := range j.sources {
		stamps[s.path] = s.stamp
	}
	for p, notes := range failed {
		s := j.st.Sources[p]
		if s == nil {
			s = &sourceState{}
			j.st.Sources[p] = s
		}
		if len(s.Classes) == 0 {
			s.Classes = j.borrow(p)
		}
		s.fileStamp, s.Failed, s.Tried = stamps[p], notes, j.digests[p]
	}
}

// borrow copies the classes of a source from the build tool's output: those of
// the file's name and nested in it.
func (j *job) borrow(src string) []string {
	var out []string
	for _, root := range j.m.SourceRoots {
		rel, err := filepath.Rel(root, src)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		base := strings.TrimSuffix(filepath.Base(rel), ".java")
		for _, o := range j.m.UserOutputs {
			entries, err := os.ReadDir(filepath.Join(o, filepath.Dir(rel)))
			if err != nil {
				continue
			}
			for _, e := range entries {
				n := e.Name()
				if !strings.HasSuffix(n, ".class") || n != base+".class" && !strings.HasPrefix(n, base+"$") {
					continue
				}
				f := filepath.ToSlash(filepath.Join(filepath.Dir(rel), n))
				if copyFile(filepath.Join(o, filepath.FromSlash(f)),
					filepath.Join(j.out, filepath.FromSlash(f))) == nil {
					out = append(out, f)
					j.res.Changed = append(j.res.Changed, f)
					if name, digest, supers, err := j.apiOf(j.out, f); err == nil {
						j.st.API[name], j.st.Supers[name] = digest, supers
					}
				}
			}
			if len(out) > 0 {
				return out
			}
		}
	}
	return out
}
