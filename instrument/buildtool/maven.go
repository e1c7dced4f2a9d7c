package buildtool

// This file asks Maven for class paths.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/discovery"
	"github.com/catchlens/catchlens/analysis/maven"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/mavenversion"
	"github.com/catchlens/catchlens/internal/tempdir"
)

// ResolveMaven runs Maven (the project's wrapper, else mvn) to obtain the exact
// class paths of the Maven modules of w. Nothing is written into the
// workspace and no phase of the build runs: Maven's dependency plug-in is
// called directly, offline first when it is in the local repository. Entries
// that are other modules of the workspace become their class folders. Modules
// that Maven cannot resolve because they need unbuilt neighbours are resolved
// by package workspace after Maven has fetched what it could, and after runs
// on stand-in projects that have only the missing dependencies.
//
// Answers are kept by digests of the build files. The error carries Maven's
// last lines; what could be resolved is answered beside it.
func ResolveMaven(ctx context.Context, w *workspace.Workspace,
	opt ResolveOptions) ([]workspace.ResolvedClassPath, error) {
	opt = opt.withDefaults()
	var all []workspace.ResolvedClassPath
	var errs []error
	roots := buildRoots(w, workspace.Maven, "pom.xml")
	for _, root := range sortedKeys(roots) {
		mods := roots[root]
		key := resolveKey(root, mods, "maven")
		if !opt.Refresh {
			if list, ok := recall(opt.CacheDir, key); ok {
				all = append(all, list...)
				continue
			}
		}
		if opt.KeptOnly {
			continue
		}
		m := &mavenRun{w: w, opt: opt, root: root, mods: mods}
		list, err := m.run(ctx)
		if ctx.Err() != nil {
			return all, context.Cause(ctx)
		}
		all = append(all, list...)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if err := keep(opt.CacheDir, key, list); err != nil {
			errs = append(errs, err)
		}
	}
	return all, errors.Join(errs...)
}

// mavenRun resolves the modules of one Maven build.
type mavenRun struct {
	w    *workspace.Workspace
	opt  ResolveOptions
	root string
	mods []*workspace.Module
	tool string
	out  string // folder for the plug-in's answers
}

const (
	dependencyPlugin  = "org.apache.maven.plugins:maven-dependency-plugin"
	dependencyVersion = "3.6.1" // where the local repository has none
)

func (r *mavenRun) run(ctx context.Context) ([]workspace.ResolvedClassPath, error) {
	tool, err := findTool(r.root, r.w.Root, "mvnw", "mvn")
	if err != nil {
		return nil, fmt.Errorf("cannot ask Maven for the class paths of %s: %w", r.root, err)
	}
	r.tool = tool
	out, err := tempdir.New("maven-")
	if err != nil {
		return nil, err
	}
	defer out.Remove()
	r.out = out.Path
	version, installed := r.pluginVersion()
	r.opt.Progress("asking Maven for the class paths of " + r.root)
	err = nil
	if installed {
		err = r.ask(ctx, version, true)
	}
	if !installed || err != nil && !r.opt.Offline {
		err = r.ask(ctx, version, false)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	list, open := r.collect()
	if len(open) == 0 {
		return list, nil
	}
	more, still := r.readAgain(ctx, open)
	if len(still) > 0 && !r.opt.Offline {
		if serr := r.standIn(ctx, version, still); serr != nil && (err == nil || !unreadable.MatchString(err.Error())) {
			err = serr // says which artifacts cannot be had, not that neighbours are unbuilt
		}
		var again []workspace.ResolvedClassPath
		again, still = r.readAgain(ctx, still)
		more = append(more, again...)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	list = append(list, more...)
	if len(still) > 0 {
		var names []string
		for _, m := range still {
			names = append(names, m.Name)
		}
		if err == nil {
			err = errors.New(strings.Join(still[0].Missing, "\n"))
		}
		return list, fmt.Errorf("maven could not resolve the class paths of %s: %w", strings.Join(names, ", "),
			artifactError(err))
	}
	return list, nil
}

// noArtifact is what Maven says of an artifact that it cannot have.
var noArtifact = regexp.MustCompile(`Could not (transfer|find) artifact [^\n]*`)

// artifactError is what an error of Maven says of the first artifact that it could not have, which
// explains the rest; the error itself where it says nothing of one.
func artifactError(err error) error {
	if text := noArtifact.FindString(err.Error()); text != "" {
		return errors.New(text)
	}
	return err
}

// unreadable is what Maven says where it does not come to any module: a parent that cannot be had,
// a pom with mistakes.
var unreadable = regexp.MustCompile(`Non-resolvable (parent|import) POM|Non-parseable POM|The project .* has \d+ error`)

// pluginVersion is the newest dependency plug-in in the local repository.
func (r *mavenRun) pluginVersion() (version string, installed bool) {
	dir := filepath.Join(maven.LocalRepository(r.opt.Open, r.root), "org", "apache", "maven", "plugins",
		"maven-dependency-plugin")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return dependencyVersion, false
	}
	for _, e := range entries {
		v := e.Name()
		if fileExists(filepath.Join(dir, v, "maven-dependency-plugin-"+v+".jar")) &&
			(version == "" || mavenversion.Compare(v, version) > 0) {
			version = v
		}
	}
	if version == "" {
		return dependencyVersion, false
	}
	return version, true
}

// ask calls the dependency plug-in on every module.
func (r *mavenRun) ask(ctx context.Context, version string, offline bool) error {
	goal := dependencyPlugin + ":" + version
	args := []string{r.tool, "-B", "-fae", "-f", filepath.Join(r.root, "pom.xml"),
		goal + ":build-classpath", goal + ":list",
		"-Dmdep.outputFile=" + filepath.Join(r.out, "${project.groupId}", "${project.artifactId}.path"),
		"-DoutputFile=" + filepath.Join(r.out, "${project.groupId}", "${project.artifactId}.list"),
		"-DoutputAbsoluteArtifactFilename=true", "-Dmdep.regenerateFile=true", "-Dstyle.color=never"}
	if offline || r.opt.Offline {
		args = append(args, "-o")
	}
	return runTool(ctx, r.opt, r.root, cleanEnv(toolJDK(r.w)...), args...)
}

// collect reads the plug-in's answers; open are modules without one.
func (r *mavenRun) collect() (list []workspace.ResolvedClassPath, open []*workspace.Module) {
	own := r.ownArtifacts()
	for _, m := range r.mods {
		base := filepath.Join(r.out, m.Group, strings.TrimPrefix(m.Name, m.Group+":"))
		path, err1 := bounded.Read(base+".path", bounded.Cache)
		scopes, err2 := readScopes(base + ".list")
		processors := slices.ContainsFunc(m.Missing,
			func(s string) bool { return strings.HasPrefix(s, "annotation processor") })
		if err1 != nil || err2 != nil || processors { // the plug-in does not resolve processors
			open = append(open, m)
			continue
		}
		res := workspace.ResolvedClassPath{Module: m.Name}
		for _, p := range strings.Split(strings.TrimSpace(string(path)), string(os.PathListSeparator)) {
			if p = strings.TrimSpace(p); p == "" {
				continue
			}
			scope := scopes[p]
			p = own.replace(p)
			res.TestClassPath = append(res.TestClassPath, p)
			switch scope {
			case "compile", "":
				res.ClassPath, res.RuntimeClassPath = append(res.ClassPath, p), append(res.RuntimeClassPath, p)
			case "provided", "system":
				res.ClassPath = append(res.ClassPath, p)
			case "runtime":
				res.RuntimeClassPath = append(res.RuntimeClassPath, p)
			}
		}
		list = append(list, res)
	}
	return list, open
}

var moduleNote = regexp.MustCompile(` -- module .*$`)

// readScopes reads the plug-in's list: "g:a:type[:classifier]:version:scope:file".
func readScopes(file string) (map[string]string, error) {
	data, err := bounded.Read(file, bounded.Text)
	if err != nil {
		return nil, err
	}
	scopes := map[string]string{}
	for _, l := range strings.Split(string(data), "\n") {
		l = moduleNote.ReplaceAllString(strings.TrimSpace(cleanLine(l)), "")
		for _, s := range []string{"compile", "runtime", "provided", "system", "test"} {
			for _, mark := range []string{":" + s + ":", ":" + s + " (optional):", ":" + s + " (optional) :"} {
				if i := strings.Index(l, mark); i > 0 {
					scopes[strings.TrimSpace(l[i+len(mark):])] = s
				}
			}
		}
	}
	return scopes, nil
}

// ownArtifacts knows the workspace's own modules among jars.
type ownArtifacts map[string][]string // "artifact-version" prefix in a repository path -> class folders

func (r *mavenRun) ownArtifacts() ownArtifacts {
	own := ownArtifacts{}
	for _, m := range r.w.Modules {
		if m.Kind == workspace.Maven && len(m.MainOutputs) > 0 && len(m.TestOutputs) > 0 {
			name := strings.TrimPrefix(m.Name, m.Group+":")
			own[filepath.Join(filepath.FromSlash(strings.ReplaceAll(m.Group, ".", "/")),
				name)] = []string{m.MainOutputs[0], m.TestOutputs[0]}
		}
	}
	return own
}

// replace answers the class folder of a jar of the workspace in the local
// repository (.../group/artifact/version/artifact-version[-tests].jar).
func (o ownArtifacts) replace(p string) string {
	dir := filepath.Dir(filepath.Dir(p))
	for k, dirs := range o {
		if strings.HasSuffix(dir, string(filepath.Separator)+k) {
			if strings.HasSuffix(p, "-tests.jar") {
				return dirs[1]
			}
			return dirs[0]
		}
	}
	return p
}

// readAgain opens the workspace again, as Maven has fetched poms and jars, and
// takes what is complete now.
func (r *mavenRun) readAgain(ctx context.Context,
	open []*workspace.Module) (list []workspace.ResolvedClassPath, still []*workspace.Module) {
	fresh, err := discovery.Open(ctx, r.w.Roots, r.opt.Open)
	if err != nil {
		return nil, open
	}
	for _, m := range open {
		f := fresh.Module(m.Name)
		if f == nil || !f.ClassPathComplete {
			if f != nil {
				m = f
			}
			still = append(still, m)
			continue
		}
		list = append(list, workspace.ResolvedClassPath{Module: m.Name, ClassPath: f.ClassPath,
			RuntimeClassPath: f.RuntimeClassPath,
			TestClassPath:    f.TestClassPath, ProcessorPath: f.ProcessorPath})
	}
	return list, still
}

// standInRounds bounds how often the stand-in is run: each round may show further poms.
const standInRounds = 8

// standIn lets Maven fetch what the modules miss: projects that depend on nothing else, and have
// the repositories of the real ones. Each module has one of its own, as modules may want different
// versions of an artifact, and what cannot be had for one of them keeps nothing from the others.
func (r *mavenRun) standIn(ctx context.Context, version string, open []*workspace.Module) error {
	own, err := tempdir.New("stand-in-")
	if err != nil {
		return err
	}
	defer own.Remove()
	dir := own.Path
	var last error
	var before [][]workspace.MissingArtifact
	for range standInRounds {
		fresh, err := discovery.Open(ctx, r.w.Roots, r.opt.Open)
		if err != nil {
			return err
		}
		var wanted [][]workspace.MissingArtifact // of each module, each list once
		for _, m := range open {
			f := fresh.Module(m.Name)
			if f == nil {
				continue
			}
			if list := f.MissingArtifacts; len(list) > 0 &&
				!slices.ContainsFunc(wanted,
					func(w []workspace.MissingArtifact) bool { return slices.Equal(w, list) }) {
				wanted = append(wanted, list)
			}
		}
		if slices.EqualFunc(wanted, before, slices.Equal) { // nothing, or nothing came
			return last
		}
		before = wanted
		for name, text := range standInPoms(wanted, repositories(fresh, r.mods)) {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700),
				os.WriteFile(file, []byte(text), 0o600)); err != nil {
				return err
			}
		}
		// In the project's folder: a wrapper looks for its settings there, Maven for the project's.
		last = runTool(ctx, r.opt, r.root, cleanEnv(toolJDK(r.w)...), r.tool, "-B", "-fae", "-f",
			filepath.Join(dir, "pom.xml"),
			dependencyPlugin+":"+version+":resolve", "-Dstyle.color=never")
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return last
}

// standInPoms are the poms by name, with '/' separators: one that has the others as modules, and
// one for each list, which has the artifacts as dependencies, each in one version.
func standInPoms(wanted [][]workspace.MissingArtifact, repos []string) map[string]string {
	pom := func(artifact, rest string) string {
		return "<project><modelVersion>4.0.0</modelVersion><groupId>catchlens</groupId><artifactId>" + artifact +
			"</artifactId><version>1</version><packaging>pom</packaging>\n<repositories>" + strings.Join(repos, "") +
			"</repositories>\n" + rest + "</project>\n"
	}
	poms := map[string]string{}
	var modules strings.Builder
	for i, list := range wanted {
		var b strings.Builder
		seen := map[string]bool{}
		for _, a := range list {
			key := a.Group + ":" + a.Artifact + ":" + a.Type + ":" + a.Classifier
			if seen[key] {
				continue
			}
			seen[key] = true
			fmt.Fprintf(&b, "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>"+
				"<type>%s</type>", xmlText(a.Group), xmlText(a.Artifact), xmlText(a.Version), xmlText(a.Type))
			if a.Classifier != "" {
				fmt.Fprintf(&b, "<classifier>%s</classifier>", xmlText(a.Classifier))
			}
			b.WriteString("</dependency>\n")
		}
		name := fmt.Sprintf("of-%d", i)
		fmt.Fprintf(&modules, "<module>%s</module>\n", name)
		poms[name+"/pom.xml"] = pom(name, "<dependencies>\n"+b.String()+"</dependencies>\n")
	}
	poms["pom.xml"] = pom("stand-in", "<modules>\n"+modules.String()+"</modules>\n")
	return poms
}

func xmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

var repositoryElement = regexp.MustCompile(`(?s)<repository>.*?</repository>`)

// repositories copies the <repository> elements of the build's poms.
func repositories(w *workspace.Workspace, mods []*workspace.Module) []string {
	poms := map[string]bool{}
	for _, m := range mods {
		for _, f := range m.BuildFiles {
			if strings.HasSuffix(f, ".xml") {
				poms[f] = true
			}
		}
	}
	var out []string
	for _, f := range sortedKeys(poms) {
		data, err := bounded.Read(f, bounded.Text)
		if err != nil {
			continue
		}
		text := string(data)
		if i := strings.Index(text, "<distributionManagement>"); i >= 0 {
			if j := strings.Index(text[i:], "</distributionManagement>"); j >= 0 {
				text = text[:i] + text[i+j:]
			}
		}
		for _, x := range repositoryElement.FindAllString(text, -1) {
			if !strings.Contains(x, "${") && !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}
