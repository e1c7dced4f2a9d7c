package workspace

// This file finds installed JDKs by their files and chooses one for a module.

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/filetree"
	"github.com/catchlens/catchlens/internal/mavenversion"
	"github.com/catchlens/catchlens/internal/xmltree"
)

// ProbeJDK reads what is installed in a folder: the release file, lib/modules
// or rt.jar, the compiler. It runs nothing. The error names the folder.
func ProbeJDK(home string) (JDK, error) {
	home = filepath.Clean(home)
	j := JDK{Home: home}
	if data, err := bounded.Read(filepath.Join(home, "release"), 1<<20); err == nil {
		for _, l := range strings.Split(string(data), "\n") {
			k, v, ok := strings.Cut(strings.TrimSpace(l), "=")
			v = strings.Trim(strings.TrimSpace(v), `"`)
			switch {
			case !ok:
			case k == "JAVA_VERSION":
				j.Version = v
			case k == "IMPLEMENTOR":
				j.Vendor = v
			}
		}
	}
	modular := filetree.IsFile(filepath.Join(home, "lib", "modules"))
	rt := filetree.IsFile(filepath.Join(home, "jre", "lib", "rt.jar")) || filetree.IsFile(filepath.Join(home, "lib",
		"rt.jar"))
	if !modular && !rt {
		return JDK{}, fmt.Errorf("%s holds no Java: neither lib/modules nor rt.jar is there", home)
	}
	if j.Version == "" {
		j.Version = versionInName(filepath.Base(home))
		if j.Version == "" && rt && !modular {
			j.Version = "1.8.0"
		}
	}
	j.Feature = FeatureOf(j.Version)
	for _, c := range []string{"javac", "javac.exe"} {
		if filetree.IsFile(filepath.Join(home, "bin", c)) {
			j.HasCompiler = true
		}
	}
	return j, nil
}

// versionInName finds a version in a folder name such as "jdk-17.0.2" or
// "java-11-openjdk-amd64".
func versionInName(name string) string {
	i := strings.IndexAny(name, "0123456789")
	if i < 0 {
		return ""
	}
	j := i
	for j < len(name) && (isDecimal(name[j]) || name[j] == '.' || name[j] == '_') {
		j++
	}
	return strings.Trim(name[i:j], "._")
}

// FeatureOf is the feature number of a Java version: 8 for "1.8.0_392", 17 for
// "17.0.15" and "17-ea"; 0 for what is none.
func FeatureOf(version string) int {
	v := strings.TrimPrefix(version, "1.")
	n := 0
	for n < len(v) && isDecimal(v[n]) {
		n++
	}
	f, err := strconv.Atoi(v[:n])
	if err != nil || f > 999 {
		return 0
	}
	return f
}

// SpecVersion is how a build names the Java version of a feature number: "1.8", "11".
func SpecVersion(feature int) string {
	if feature <= 8 {
		return fmt.Sprintf("1.%d", feature)
	}
	return strconv.Itoa(feature)
}

// FindJDKs lists the installed JDKs, each real folder once: JAVA_HOME, the
// javac (or java) on PATH, Maven's toolchains.xml, then the usual folders of
// the operating system, newest first. It runs nothing.
func FindJDKs(opt Options) []JDK {
	opt = opt.WithDefaults()
	var out []JDK
	seen := map[string]bool{}
	add := func(home, by string) {
		real, err := filepath.EvalSymlinks(home)
		if err != nil || seen[real] {
			return
		}
		j, err := ProbeJDK(home)
		if err != nil {
			return
		}
		if filepath.Base(real) == "jre" && filetree.IsFile(filepath.Join(filepath.Dir(real), "bin", "javac")) {
			return // the inner folder of a JDK 8
		}
		seen[real] = true
		j.FoundBy = by
		out = append(out, j)
	}
	if h := opt.Env("JAVA_HOME"); h != "" {
		add(h, "JAVA_HOME")
	}
	if p := opt.LookPath("javac"); p != "" {
		add(filepath.Dir(filepath.Dir(p)), "javac on PATH")
	}
	if p := opt.LookPath("java"); p != "" {
		home := filepath.Dir(filepath.Dir(p))
		if filepath.Base(home) == "jre" {
			home = filepath.Dir(home)
		}
		add(home, "java on PATH")
	}
	for _, t := range readToolchains(opt) {
		add(t.home, "toolchains.xml")
	}
	for _, h := range opt.JDKs {
		add(h, "given")
	}
	first := len(out)
	for _, pattern := range jdkFolders(opt) {
		homes, _ := filepath.Glob(pattern)
		sort.Strings(homes)
		for _, h := range homes[:min(len(homes), 200)] {
			add(h, "in a usual folder")
		}
	}
	rest := out[first:]
	slices.SortStableFunc(rest, func(a, b JDK) int {
		if a.HasCompiler != b.HasCompiler {
			if a.HasCompiler {
				return -1
			}
			return 1
		}
		return mavenversion.Compare(b.Version, a.Version)
	})
	return out
}

// jdkFolders are the usual places of JDK homes, as glob patterns.
func jdkFolders(opt Options) []string {
	h := opt.Home
	common := []string{
		filepath.Join(h, ".sdkman", "candidates", "java", "*"),
		filepath.Join(h, ".jdks", "*"),
		filepath.Join(h, ".gradle", "jdks", "*"),
		filepath.Join(h, ".gradle", "jdks", "*", "*"),
		filepath.Join(h, ".asdf", "installs", "java", "*"),
		filepath.Join(h, ".local", "share", "mise", "installs", "java", "*"),
		filepath.Join(h, ".jenv", "versions", "*"),
	}
	switch runtime.GOOS {
	case "darwin":
		return append(common,
			"/Library/Java/JavaVirtualMachines/*/Contents/Home",
			filepath.Join(h, "Library", "Java", "JavaVirtualMachines", "*", "Contents", "Home"),
			filepath.Join(h, ".jdks", "*", "Contents", "Home"),
			filepath.Join(h, ".gradle", "jdks", "*", "Contents", "Home"),
			filepath.Join(h, ".gradle", "jdks", "*", "*", "Contents", "Home"),
			"/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
			"/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home")
	case "windows":
		for _, v := range []string{"ProgramFiles", "ProgramW6432", "LOCALAPPDATA"} {
			base := opt.Env(v)
			if base == "" {
				continue
			}
			if v == "LOCALAPPDATA" {
				base = filepath.Join(base, "Programs")
			}
			for _, vendor := range []string{"Java", "Eclipse Adoptium", "AdoptOpenJDK", "Microsoft", "Amazon Corretto",
				"Zulu", "BellSoft", "Semeru"} {
				common = append(common, filepath.Join(base, vendor, "*"))
			}
		}
		return append(common, filepath.Join(h, "scoop", "apps", "*jdk*", "current"))
	}
	return append(common, "/usr/lib/jvm/*", "/usr/lib64/jvm/*", "/usr/java/*", "/opt/java/*", "/opt/*jdk*",
		"/opt/jdk/*", "/opt/jdks/*",
		"/usr/local/openjdk-*", "/usr/local/java/*", "/home/linuxbrew/.linuxbrew/opt/openjdk*/libexec")
}

// toolchain is a JDK of Maven's toolchains.xml.
type toolchain struct{ version, vendor, home string }

func readToolchains(opt Options) []toolchain {
	root, err := xmltree.Read(filepath.Join(opt.Home, ".m2", "toolchains.xml"))
	if err != nil {
		return nil
	}
	var out []toolchain
	for _, t := range root.Kids {
		home := t.TextAt("configuration", "jdkHome")
		for { // ${env.NAME}
			i := strings.Index(home, "${env.")
			j := strings.Index(home, "}")
			if i < 0 || j < i {
				break
			}
			home = home[:i] + opt.Env(home[i+6:j]) + home[j+1:]
		}
		if t.Name == "toolchain" && t.TextAt("type") == "jdk" && home != "" {
			out = append(out, toolchain{t.TextAt("provides", "version"), t.TextAt("provides", "vendor"), home})
		}
	}
	return out
}

// JDKWish is what a module asks of its JDK.
type JDKWish struct {
	Release  int    // level to compile for; 0 any
	Runs     int    // level of the class files that are there; 0 any
	Exact    string // toolchain version: "17", "[11,)"; "" any
	Optional bool   // where no JDK is of version Exact, the build takes the one that it runs in
	Home     string // folder of the JDK whose java the build names; "" any
	File     string // for problems
	override string // catchlens.toml: folder or version
}

// chooseJDK picks the JDK of a module: what catchlens.toml says, what a
// toolchain demands, else the first found that can compile the level and run
// the class files, the lowest sufficient one when the first is too old.
func chooseJDK(all []JDK, w JDKWish, dir string, opt Options) (JDK, []Problem) {
	var problems []Problem
	say := func(format string, args ...any) {
		problems = append(problems, Problem{Severity: Warning, Message: fmt.Sprintf(format, args...), File: w.File})
	}
	if w.override != "" {
		if f := FeatureOf(w.override); f > 0 && !strings.ContainsAny(w.override, `/\`) {
			if j, ok := pickJDK(all, func(j JDK) bool { return j.Feature == f && j.HasCompiler }); ok {
				return j, nil
			}
			say("jdk is %q, but no such JDK was found", w.override)
		} else if home := filetree.Abs(dir, expandHome(w.override, opt)); opt.MayUseJDK != nil && !opt.MayUseJDK(home) {
			say("jdk is %q: a folder counts once the workspace is trusted", w.override)
		} else {
			j, err := ProbeJDK(home)
			if err == nil {
				j.FoundBy = ConfigName
				return j, nil
			}
			say("jdk: %v", err)
		}
	}
	if w.Home != "" {
		if j, ok := pickJDK(all, func(j JDK) bool { return j.HasCompiler && sameFolder(j.Home, w.Home) }); ok {
			return j, problems
		}
		say("the build runs tests with the Java of %s, which is none of the JDKs that were found: set jdk in %s",
			w.Home, ConfigName)
	}
	if w.Exact != "" {
		match := func(j JDK) bool {
			if r, err := mavenversion.ParseRange(w.Exact); err == nil {
				return r.Contains(j.Version)
			}
			return FeatureOf(w.Exact) == j.Feature
		}
		if j, ok := pickJDK(all, func(j JDK) bool { return j.HasCompiler && match(j) }); ok {
			return j, problems
		}
		if j, ok := pickJDK(all, match); ok {
			return j, problems
		}
		if !w.Optional {
			say("the build asks for a JDK %s, and none was found", w.Exact)
		}
	}
	fits := func(j JDK) bool {
		return j.HasCompiler && j.Feature >= w.Runs &&
			(w.Release == 0 || j.Feature >= w.Release && w.Release >= OldestRelease(j.Feature))
	}
	if len(all) > 0 && fits(all[0]) {
		return all[0], problems
	}
	var best JDK
	wanted := max(w.Release, w.Runs)
	for _, j := range all {
		if fits(j) && (best.Home == "" || abs(j.Feature-wanted) < abs(best.Feature-wanted)) {
			best = j
		}
	}
	if best.Home != "" {
		return best, problems
	}
	if j, ok := pickJDK(all, func(j JDK) bool { return j.HasCompiler }); ok {
		if j.Feature < wanted {
			say("no JDK for Java %d was found; JDK %s is used: install one, or set JAVA_HOME or jdk in %s", wanted,
				j.Version, ConfigName)
		}
		return j, problems
	}
	if len(all) > 0 {
		say("only a Java runtime without compiler was found (%s): install a JDK, or set JAVA_HOME or jdk in %s",
			all[0].Home, ConfigName)
		return all[0], problems
	}
	problems = append(problems, Problem{Severity: Error,
		Message: "no JDK was found: install one, or set JAVA_HOME or jdk in " + ConfigName, File: w.File})
	return JDK{}, problems
}

// sameFolder tells whether two paths lead to one folder.
func sameFolder(a, b string) bool {
	a, errA := filepath.EvalSymlinks(a)
	b, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && a == b
}

func pickJDK(all []JDK, ok func(JDK) bool) (JDK, bool) {
	for _, j := range all {
		if ok(j) {
			return j, true
		}
	}
	return JDK{}, false
}

// OldestRelease is the lowest level that a javac of that feature compiles
// for.
func OldestRelease(feature int) int {
	switch {
	case feature >= 20:
		return 8
	case feature >= 12:
		return 7
	case feature >= 9:
		return 6
	}
	return 1
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

func expandHome(p string, opt Options) string {
	if p == "~" || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, `~\`) {
		return filepath.Join(opt.Home, p[1:])
	}
	return p
}

// LookPath finds a program on PATH without running it, links resolved.
func (o Options) LookPath(name string) string {
	for _, d := range filepath.SplitList(o.Env("PATH")) {
		if d == "" || !filepath.IsAbs(d) {
			continue
		}
		for _, ext := range []string{"", ".exe", ".cmd", ".bat"} {
			p := filepath.Join(d, name+ext)
			if fi, err := os.Stat(p); err == nil && fi.Mode().IsRegular() {
				if real, err := filepath.EvalSymlinks(p); err == nil {
					return real
				}
				return p
			}
		}
	}
	return ""
}

// homeOf is the user's home folder, "" if unknown.
func homeOf() string {
	h, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return h
}

func isDecimal(c byte) bool { return c >= '0' && c <= '9' }
