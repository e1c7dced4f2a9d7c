package maven

// This file expands ${...} in poms.

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/filetree"
)

// Bounds of one expansion.
const (
	maxExpandDepth  = 30
	maxExpandLength = 256 << 10 // bytes
)

// interpolator resolves expressions in the order of Maven 3's model
// interpolation: project folder, user properties, project fields, properties
// of the model, system properties, environment.
type interpolator struct {
	ctx    *reader
	props  map[string]string
	own    gav
	parent gav
	dir    string
	m      *model
	extra  func(key string) (string, bool) // further source, last
}

// expand replaces each ${name}; unknown ones stay as they are.
func (p *interpolator) expand(s string) string {
	if !strings.Contains(s, "${") {
		return s
	}
	budget := maxExpandLength
	return p.expandDepth(s, nil, &budget)
}

func (p *interpolator) expandDepth(s string, active []string, budget *int) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			break
		}
		j := strings.IndexByte(s[i:], '}')
		if j < 0 {
			break
		}
		b.WriteString(s[:i])
		key := s[i+2 : i+j]
		val, ok := p.lookup(key)
		if ok && len(active) < maxExpandDepth && *budget > 0 && !contains(active, key) {
			*budget -= len(val) + 1
			if strings.Contains(val, "${") {
				val = p.expandDepth(val, append(active[:len(active):len(active)], key), budget)
			}
			b.WriteString(val)
		} else {
			b.WriteString(s[i : i+j+1])
		}
		s = s[i+j+1:]
	}
	b.WriteString(s)
	return b.String()
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (p *interpolator) lookup(key string) (string, bool) {
	c := p.ctx
	switch key {
	case "basedir", "project.basedir", "pom.basedir":
		return p.dir, true
	case "project.baseUri", "pom.baseUri":
		return "file://" + filepath.ToSlash(p.dir) + "/", true
	case "maven.build.timestamp", "build.timestamp":
		return time.Now().UTC().Format("2006-01-02T15:04:05Z"), true
	}
	if v, ok := c.userProps[key]; ok {
		return v, true
	}
	bare, isProject := strings.CutPrefix(key, "project.")
	if !isProject {
		bare, isProject = strings.CutPrefix(key, "pom.")
	}
	if isProject {
		if v, ok := p.projectField(bare); ok {
			return v, true
		}
	}
	if v, ok := c.settings.props[key]; ok {
		return v, true
	}
	if v, ok := p.props[key]; ok {
		return v, true
	}
	if v, ok := c.sysProps[key]; ok {
		return v, true
	}
	if name, ok := strings.CutPrefix(key, "env."); ok && c.env != nil {
		if v := c.env(name); v != "" {
			return v, true
		}
		return "", false
	}
	if !isProject {
		if v, ok := p.projectField(key); ok {
			return v, true
		}
	}
	if p.extra != nil {
		return p.extra(key)
	}
	return "", false
}

// projectField answers the model fields that builds refer to.
func (p *interpolator) projectField(f string) (string, bool) {
	switch f {
	case "groupId":
		return p.own.group, p.own.group != ""
	case "artifactId":
		return p.own.artifact, true
	case "version":
		return p.own.version, p.own.version != ""
	case "parent.groupId":
		return p.parent.group, p.parent.group != ""
	case "parent.artifactId":
		return p.parent.artifact, p.parent.artifact != ""
	case "parent.version":
		return p.parent.version, p.parent.version != ""
	}
	if p.m == nil {
		return "", false
	}
	b := p.m.body.build
	or := func(v, def string) (string, bool) {
		if v == "" {
			v = def
		}
		return v, true
	}
	switch f {
	case "packaging":
		return p.m.packaging, true
	case "name":
		return or(p.m.info["name"], p.own.artifact)
	case "build.directory":
		v, _ := or(b.directory, "target")
		return filetree.Abs(p.dir, p.literal(v)), true
	case "build.outputDirectory":
		return or(b.outputDir, "${project.build.directory}/classes")
	case "build.testOutputDirectory":
		return or(b.testOutputDir, "${project.build.directory}/test-classes")
	case "reporting.outputDirectory":
		return "${project.build.directory}/site", true
	case "build.sourceDirectory":
		return or(b.sourceDir, "${project.basedir}/src/main/java")
	case "build.testSourceDirectory":
		return or(b.testSourceDir, "${project.basedir}/src/test/java")
	case "build.finalName":
		return or(b.finalName, "${project.artifactId}-${project.version}")
	}
	v, ok := p.m.info[f]
	return v, ok
}

// literal expands a value that must not refer to itself.
func (p *interpolator) literal(v string) string {
	if !strings.Contains(v, "${") {
		return v
	}
	budget := maxExpandLength
	return p.expandDepth(v, []string{"project.build.directory", "build.directory", "pom.build.directory"}, &budget)
}

// systemProperties are those of the JVM that would run the build.
func systemProperties(home, root, javaHome, javaVersion string) map[string]string {
	props := map[string]string{
		"user.home": home, "user.dir": root, "user.name": filepath.Base(home),
		"session.executionRootDirectory": root, "maven.multiModuleProjectDirectory": root,
		"session.rootDirectory": root, "session.topDirectory": root, "project.rootDirectory": root,
		"file.separator": string(filepath.Separator), "path.separator": string(filepath.ListSeparator),
		"line.separator": "\n", "java.io.tmpdir": os.TempDir(),
		"java.home": javaHome, "java.version": javaVersion,
		"os.name": javaOSName(runtime.GOOS), "os.arch": javaOSArch(runtime.GOOS, runtime.GOARCH),
	}
	if runtime.GOOS == "windows" {
		props["line.separator"] = "\r\n"
	}
	if f := workspace.FeatureOf(javaVersion); f > 0 {
		props["java.specification.version"] = workspace.SpecVersion(f)
		props["java.vm.specification.version"] = workspace.SpecVersion(f)
	}
	// What the os-maven-plugin extension would set.
	name := map[string]string{"darwin": "osx"}[runtime.GOOS]
	if name == "" {
		name = runtime.GOOS
	}
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch_64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	props["os.detected.name"], props["os.detected.arch"], props["os.detected.classifier"] = name, arch, name+"-"+arch
	return props
}

func javaOSName(goos string) string {
	switch goos {
	case "darwin":
		return "Mac OS X"
	case "windows":
		return "Windows 11"
	case "linux":
		return "Linux"
	}
	return goos
}

func javaOSArch(goos, goarch string) string {
	switch {
	case goarch == "arm64":
		return "aarch64"
	case goarch == "amd64" && goos == "darwin":
		return "x86_64"
	}
	return goarch
}
