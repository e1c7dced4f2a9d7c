package maven

// This file finds artifacts in Maven's local repository and reads Maven's
// settings.

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/mavenversion"
	"github.com/catchlens/catchlens/internal/xmltree"
)

// find returns the file of an artifact in the local repository.
func (c *reader) find(g gav, ext, classifier string) (string, bool) {
	if g.group == "" || g.artifact == "" || g.version == "" || strings.ContainsAny(g.String(), "${}\\/\x00") ||
		strings.Contains(g.String(), "..") {
		return "", false
	}
	if c.alternative != nil {
		if f, ok := c.alternative(g, ext, classifier); ok {
			return f, true
		}
	}
	dir := filepath.Join(c.repo, filepath.FromSlash(strings.ReplaceAll(g.group, ".", "/")), g.artifact, g.version)
	tail := "." + ext
	if classifier != "" {
		tail = "-" + classifier + tail
	}
	f := filepath.Join(dir, g.artifact+"-"+g.version+tail)
	if filetree.IsFile(f) {
		return f, true
	}
	if base, ok := strings.CutSuffix(g.version, "-SNAPSHOT"); ok {
		return newestSnapshot(dir, g.artifact+"-"+base+"-", tail)
	}
	return "", false
}

// newestSnapshot finds a snapshot under its time stamp:
// name-20260102.030405-7tail.
func newestSnapshot(dir, prefix, tail string) (string, bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", false
	}
	best := ""
	for _, e := range entries {
		n := e.Name()
		if !strings.HasPrefix(n, prefix) || !strings.HasSuffix(n, tail) || len(n) < len(prefix)+len(tail) {
			continue
		}
		mid := n[len(prefix) : len(n)-len(tail)]
		if len(mid) < 17 || strings.ContainsFunc(mid,
			func(r rune) bool { return !(r >= '0' && r <= '9') && r != '.' && r != '-' }) {
			continue
		}
		if best == "" || mavenversion.Compare(n, best) > 0 {
			best = n
		}
	}
	return filepath.Join(dir, best), best != ""
}

// pickVersion chooses the version that a range, LATEST or RELEASE stands for
// among those that the local repository (or the workspace) holds.
func (c *reader) pickVersion(g gav) (string, bool) {
	if m := c.reactor[g.group+":"+g.artifact]; m != nil {
		if r, err := mavenversion.ParseRange(g.version); err != nil || r.Contains(m.version) {
			return m.version, true
		}
	}
	if g.group == "" || g.artifact == "" || strings.ContainsAny(g.group+g.artifact, "/\\") {
		return "", false
	}
	dir := filepath.Join(c.repo, filepath.FromSlash(strings.ReplaceAll(g.group, ".", "/")), g.artifact)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", false
	}
	var r mavenversion.Range
	if mavenversion.IsRange(g.version) {
		if r, err = mavenversion.ParseRange(g.version); err != nil {
			return "", false
		}
	}
	best := ""
	for _, e := range entries {
		v := e.Name()
		if !e.IsDir() || g.version == "RELEASE" && strings.HasSuffix(v, "-SNAPSHOT") || r != nil && !r.Contains(v) {
			continue
		}
		if _, ok := c.find(gav{g.group, g.artifact, v}, "pom", ""); ok && (best == "" || mavenversion.Compare(v,
			best) > 0) {
			best = v
		}
	}
	return best, best != ""
}

// readSettings reads the user's and the global settings.xml and
// .mvn/maven.config, and fills in the local repository, chosen profiles and
// user properties.
func (c *reader) readSettings(opt workspace.Options, root string) {
	c.userProps = map[string]string{}
	c.profiles = map[string]bool{}
	c.settings.props = map[string]string{}
	userFile := filepath.Join(opt.Home, ".m2", "settings.xml")
	args := c.arguments("MAVEN_OPTS", "jvm.config", opt, root) // of the JVM
	jvm := len(args)
	args = append(args, c.arguments("MAVEN_ARGS", "maven.config", opt, root)...)
	c.arguedProps = map[string]string{}
	for i, a := range args {
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		switch {
		case a == "-s" || a == "--settings":
			userFile = filetree.Abs(root, next)
		case a == "-P" || a == "--activate-profiles":
			c.choose(next)
		case strings.HasPrefix(a, "-P") && len(a) > 2:
			c.choose(a[2:])
		case a == "-D" || a == "--define":
			c.define(next, i >= jvm)
		case strings.HasPrefix(a, "-D"):
			c.define(a[2:], i >= jvm)
		}
	}
	for _, f := range []string{globalSettings(opt), userFile} {
		c.readSettingsFile(f, opt)
	}
	if r := c.userProps["maven.repo.local"]; r != "" {
		c.repo = filetree.Abs(root, r)
	}
	if opt.LocalRepository != "" {
		c.repo = opt.LocalRepository
	}
	if c.repo == "" {
		c.repo = filepath.Join(opt.Home, ".m2", "repository")
	}
}

// arguments are those of a file below .mvn, and then those of an environment variable, which win.
func (c *reader) arguments(variable, file string, opt workspace.Options, root string) (args []string) {
	if mvn := mvnFolder(root); mvn != "" {
		if data, err := bounded.Read(filepath.Join(mvn, file), bounded.Text); err == nil {
			args = SplitArgs(string(data))
		}
	}
	return append(args, SplitArgs(opt.Env(variable))...)
}

// define sets a property, which is an argument of Maven or one of its JVM.
func (c *reader) define(kv string, argument bool) {
	k, v, ok := strings.Cut(kv, "=")
	if !ok {
		v = "true"
	}
	c.userProps[k] = v
	if argument {
		c.arguedProps[k] = v
	}
}

func (c *reader) choose(list string) {
	for _, p := range strings.Split(list, ",") {
		p = strings.TrimSpace(p)
		on := true
		switch {
		case strings.HasPrefix(p, "!"), strings.HasPrefix(p, "-"):
			on, p = false, p[1:]
		case strings.HasPrefix(p, "+"):
			p = p[1:]
		}
		p = strings.TrimPrefix(p, "?")
		if p != "" {
			c.profiles[p] = on
		}
	}
}

func (c *reader) readSettingsFile(file string, opt workspace.Options) {
	if file == "" {
		return
	}
	data, err := bounded.Read(file, bounded.Text)
	if err != nil {
		return
	}
	root, err := xmltree.Parse(data)
	if err != nil {
		c.problem(workspace.Problem{Severity: workspace.Warning, Message: "cannot read Maven's settings: " +
			err.Error(), File: file})
		return
	}
	i := &interpolator{ctx: c, props: map[string]string{}}
	if r := i.expand(root.TextAt("localRepository")); r != "" {
		c.repo = filetree.Abs(opt.Home, r)
	}
	for _, p := range root.KidsAt("activeProfiles") {
		if _, known := c.profiles[p.Text]; !known {
			c.profiles[p.Text] = true
		}
	}
	raw := &rawModel{file: file}
	for _, p := range root.KidsAt("profiles") {
		if p.Name == "profile" {
			raw.profiles = append(raw.profiles,
				profile{id: p.TextAt("id"), activation: p.Kid("activation"), body: parseBody(p)})
		}
	}
	for _, p := range c.activeProfiles(raw, builtProject{dir: filepath.Dir(file)}) {
		for k, v := range p.body.props {
			c.settings.props[k] = v
		}
	}
}

// mvnFolder is the .mvn folder of the project, searched upwards.
func mvnFolder(dir string) string {
	for i := 0; i < workspace.MaxDepth; i++ {
		if d := filepath.Join(dir, ".mvn"); filetree.IsDir(d) {
			return d
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}

// globalSettings is conf/settings.xml of the installed Maven, "" if unknown.
func globalSettings(opt workspace.Options) string {
	for _, v := range []string{"MAVEN_HOME", "M2_HOME"} {
		if h := opt.Env(v); h != "" {
			if f := filepath.Join(h, "conf", "settings.xml"); filetree.IsFile(f) {
				return f
			}
		}
	}
	if mvn := opt.LookPath("mvn"); mvn != "" {
		if f := filepath.Join(filepath.Dir(filepath.Dir(mvn)), "conf", "settings.xml"); filetree.IsFile(f) {
			return f
		}
	}
	return ""
}

// SplitArgs splits a command line at white space; quotes group, a backslash
// protects a quote or white space.
func SplitArgs(s string) []string {
	var out []string
	var b strings.Builder
	quote := byte(0)
	in := false
	for i := 0; i < len(s); i++ {
		ch := s[i]
		switch {
		case quote != 0 && ch == quote:
			quote = 0
		case quote == 0 && (ch == '"' || ch == '\''):
			quote, in = ch, true
		case ch == '\\' && i+1 < len(s) && strings.IndexByte("\"' ", s[i+1]) >= 0:
			i++
			b.WriteByte(s[i])
			in = true
		case quote == 0 && (ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r'):
			if in {
				out = append(out, b.String())
				b.Reset()
				in = false
			}
		default:
			b.WriteByte(ch)
			in = true
		}
	}
	if in {
		out = append(out, b.String())
	}
	return out
}

// LocalRepository is Maven's local repository as a build in dir would use it.
func LocalRepository(opt workspace.Options, dir string) string {
	return newReader(&workspace.Reading{Options: opt.WithDefaults()}, dir).repo
}
