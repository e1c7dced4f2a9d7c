package classpath

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/jimage"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/defect"
)

// JDK is the class library of an installed Java.
type JDK struct {
	Home     string
	Feature  int    // 8, 17, 25
	Version  string // "17.0.15", "1.8.0_392"
	Vendor   string // the release file's IMPLEMENTOR, "" when it has none
	Problems []Problem
	entry    Entry
	asked    string                 // the home that OpenJDK was given
	looks    map[string]fs.FileInfo // of the files that Current looks at
}

// OpenJDK opens the class library of a JDK or JRE of any version from 8 on.
// Only a home without a class library is an error.
func OpenJDK(home string, opts Options) (*JDK, error) {
	asked := home
	home, err := filepath.Abs(home)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(home); err != nil {
		return nil, fmt.Errorf("JDK %s: %w", home, cause(err))
	}
	if mac := filepath.Join(home, "Contents", "Home"); !hasLibrary(home) && hasLibrary(mac) {
		home = mac
	}
	jdk := &JDK{Home: home, asked: asked, looks: map[string]fs.FileInfo{}}
	for _, file := range []string{jimage.PathIn(home), filepath.Join(home, "release")} {
		if info, err := os.Stat(file); err == nil {
			jdk.looks[file] = info
		}
	}
	release, err := readRelease(filepath.Join(home, "release"))
	if err != nil && !absent(err) {
		jdk.problem(SeverityWarning, filepath.Join(home, "release"), "release file cannot be read: %v", cause(err))
	}
	jdk.Version, jdk.Vendor = release["JAVA_VERSION"], release["IMPLEMENTOR"]
	if jdk.entry, err = jdk.openLibrary(opts); err != nil {
		return nil, err
	}
	if jdk.Version == "" {
		jdk.Version = jdk.versionInside()
	}
	jdk.Feature = FeatureOf(jdk.Version)
	return jdk, nil
}

func (jdk *JDK) problem(s Severity, file, format string, args ...any) {
	jdk.Problems = append(jdk.Problems, Problem{s, fmt.Sprintf(format, args...), file})
}

// Current tells whether OpenJDK with that home would find what it found. Of a JDK 8
// that is not known.
func (jdk *JDK) Current(home string) bool {
	if home != jdk.asked || jdk.looks[jimage.PathIn(jdk.Home)] == nil {
		return false
	}
	for _, file := range []string{jimage.PathIn(jdk.Home), filepath.Join(jdk.Home, "release")} {
		info, err := os.Stat(file)
		if was := jdk.looks[file]; (err == nil) != (was != nil) || err == nil && !sameFile(was, info) {
			return false
		}
	}
	return true
}

// Entry is the class library as one entry of a class path. Searching it first
// is what the JVM does.
func (jdk *JDK) Entry() Entry { return jdk.entry }

// EachBaseClass calls f for every class of java.base, or of the packages java and sun where there
// are no modules.
func (jdk *JDK) EachBaseClass(f func(name string, data []byte)) error {
	image, modular := jdk.entry.(*Image)
	return jdk.entry.Each(func(name string) error {
		if modular {
			if m, ok, err := image.ModuleOf(name); err != nil || !ok || m != "java.base" {
				return err
			}
		} else if !strings.HasPrefix(name, "java/") && !strings.HasPrefix(name, "sun/") {
			return nil
		}
		data, ok, err := jdk.entry.Find(name)
		if ok && err == nil {
			f(name, data)
		}
		return nil
	})
}

// Close closes the class library.
func (jdk *JDK) Close() error { return jdk.entry.Close() }

func hasLibrary(home string) bool {
	if _, err := os.Stat(jimage.PathIn(home)); err == nil {
		return true
	}
	return libOfJDK8(home) != ""
}

// libOfJDK8 is the folder of rt.jar in a JDK or JRE of version 8, or "".
func libOfJDK8(home string) string {
	for _, lib := range []string{filepath.Join(home, "jre", "lib"), filepath.Join(home, "lib")} {
		if _, err := os.Stat(filepath.Join(lib, "rt.jar")); err == nil {
			return lib
		}
	}
	return ""
}

// bootJars is the boot class path of JDK 8, in its order.
var bootJars = []string{"resources.jar", "rt.jar", "sunrsasign.jar", "jsse.jar", "jce.jar", "charsets.jar", "jfr.jar"}

func (jdk *JDK) openLibrary(opts Options) (Entry, error) {
	file := jimage.PathIn(jdk.Home)
	if _, err := os.Stat(file); err == nil {
		r, err := jimage.Open(file)
		if err != nil {
			return nil, err
		}
		image, err := newImage(file, r, opts)
		if err != nil {
			r.Close()
			return nil, err
		}
		return image, nil
	}
	lib := libOfJDK8(jdk.Home)
	if lib == "" {
		return nil, fmt.Errorf("%s is no JDK: it has neither lib/modules nor rt.jar", jdk.Home)
	}
	return jdk.openJDK8(lib, opts)
}

// openJDK8 opens the boot class path and the extensions of JDK 8.
func (jdk *JDK) openJDK8(lib string, opts Options) (Entry, error) {
	opts.Feature = 0 // 8 knows no multi-release jars
	all := &jdk8{home: jdk.Home}
	var paths []string
	for _, name := range bootJars {
		paths = append(paths, filepath.Join(lib, name))
	}
	ext, _ := filepath.Glob(filepath.Join(lib, "ext", "*.jar")) // sorted; the pattern is valid
	for _, p := range append(paths, ext...) {
		jar, err := OpenJar(p, opts)
		switch {
		case err == nil:
			all.jars = append(all.jars, jar)
		case filepath.Base(p) == "rt.jar":
			return nil, err
		case !absent(err):
			jdk.problem(SeverityError, p, "jar cannot be read: %v", cause(err))
		}
	}
	return all, nil
}

// versionInside finds the version in the class library where there is no
// release file.
func (jdk *JDK) versionInside() string {
	switch e := jdk.entry.(type) {
	case *Image:
		if m, err := e.Module("java.base"); err == nil {
			return m.Version
		}
	case *jdk8:
		for _, j := range e.jars {
			if v := j.Manifest("Implementation-Version"); v != "" && filepath.Base(j.path) == "rt.jar" {
				return v
			}
		}
	}
	return ""
}

// FeatureOf is the feature number of a Java version string: 8 of "1.8.0_392",
// 17 of "17.0.15", 26 of "26-ea"; 0 of what is none.
func FeatureOf(version string) int {
	version = strings.TrimPrefix(version, "1.")
	end := 0
	for end < len(version) && version[end] >= '0' && version[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(version[:end])
	if err != nil {
		return 0
	}
	return n
}

// readRelease reads the KEY="VALUE" lines of a JDK's release file.
func readRelease(file string) (map[string]string, error) {
	b, err := bounded.Read(file, bounded.Text)
	values := map[string]string{}
	for line := range strings.SplitSeq(string(b), "\n") {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			values[key] = strings.Trim(value, `"`)
		}
	}
	return values, err
}

// Image is the run-time image of a JDK. All its modules count as present.
type Image struct {
	path    string
	reader  *jimage.Reader
	digests *DigestCache

	namesOnce defect.Once
	names     []string // of classes, sorted
	namesErr  error
}

func newImage(path string, r *jimage.Reader, opts Options) (*Image, error) {
	if _, ok, err := r.ModuleOf("java/lang"); err != nil {
		return nil, err
	} else if !ok {
		return nil, fmt.Errorf("%s does not hold java.lang", path)
	}
	return &Image{path: path, reader: r, digests: opts.digests()}, nil
}

// Path implements Entry.
func (m *Image) Path() string { return m.path }

// Kind implements Entry.
func (m *Image) Kind() Kind { return KindImage }

// Close implements Entry.
func (m *Image) Close() error { return m.reader.Close() }

// Find implements Entry.
func (m *Image) Find(name string) ([]byte, bool, error) { return m.Resource(name + ".class") }

// Resource implements Entry. Of resources outside packages, such as META-INF,
// the first module by name that has one gives it.
func (m *Image) Resource(name string) ([]byte, bool, error) {
	module, ok, err := m.ModuleOf(strings.TrimSuffix(name, ".class"))
	if err != nil {
		return nil, false, err
	}
	if ok {
		return m.reader.ReadFile(module, name)
	}
	if classfile.PackageOf(name) != "" && !strings.HasPrefix(name, "META-INF/") ||
		isDescriptor(strings.TrimSuffix(name, ".class")) {
		return nil, false, nil
	}
	modules, err := m.Modules()
	if err != nil {
		return nil, false, err
	}
	for _, module := range modules {
		if b, ok, err := m.reader.ReadFile(module, name); ok || err != nil {
			return b, ok, err
		}
	}
	return nil, false, nil
}

// ModuleOf returns the module of a class, false when no module has its
// package.
func (m *Image) ModuleOf(class string) (string, bool, error) {
	return m.reader.ModuleOf(classfile.PackageOf(class))
}

// Modules returns the names of the modules, sorted.
func (m *Image) Modules() ([]string, error) { return m.reader.Modules() }

// Module returns a module's declaration.
func (m *Image) Module(name string) (*classfile.Module, error) {
	b, ok, err := m.reader.ReadFile(name, "module-info.class")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s: no module %s", m.path, name)
	}
	mod, err := parseModule(b)
	if err == nil && mod == nil {
		err = errors.New("module-info declares no module")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: module %s: %w", m.path, name, err)
	}
	return mod, nil
}

// Each implements Entry.
func (m *Image) Each(f func(name string) error) error {
	m.namesOnce.Do(func() {
		seen := map[string]bool{}
		m.namesErr = m.reader.Each(func(l jimage.Location, err error) error {
			if err != nil || l.Ext != "class" {
				return err
			}
			if name, ok := className(l.Name()); ok {
				if module, ok, _ := m.ModuleOf(name); ok && module == l.Module {
					seen[name] = true
				}
			}
			return nil
		})
		m.names = sortedKeys(seen)
	})
	for _, name := range m.names {
		if err := f(name); err != nil {
			return err
		}
	}
	return m.namesErr
}

// Services implements Entry: the provides clauses of all modules.
func (m *Image) Services() (map[string][]string, error) {
	modules, err := m.Modules()
	if err != nil {
		return nil, err
	}
	services := map[string][]string{}
	var errs []error
	for _, name := range modules {
		mod, err := m.Module(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, p := range mod.Provides {
			services[p.Service] = appendNew(services[p.Service], p.With...)
		}
	}
	return services, errors.Join(errs...)
}

// Digest implements Entry: the hash of the image file.
func (m *Image) Digest() (string, error) { return m.digests.File(m.path) }

// jdk8 is the class library of JDK 8: its jars in the order of the boot class
// path, extensions last.
type jdk8 struct {
	home string
	jars []*Jar
}

func (e *jdk8) Path() string { return e.home }
func (e *jdk8) Kind() Kind   { return KindJDK8 }
func (e *jdk8) Close() error { return nil }

func (e *jdk8) Find(name string) ([]byte, bool, error) { return e.Resource(name + ".class") }

func (e *jdk8) Resource(name string) ([]byte, bool, error) {
	for _, j := range e.jars {
		if b, ok, err := j.Resource(name); ok || err != nil {
			return b, ok, err
		}
	}
	return nil, false, nil
}

func (e *jdk8) Each(f func(name string) error) error {
	names := map[string]bool{}
	for _, j := range e.jars {
		for _, name := range j.classes {
			names[name] = true
		}
	}
	for _, name := range sortedKeys(names) {
		if err := f(name); err != nil {
			return err
		}
	}
	return nil
}

func (e *jdk8) Services() (map[string][]string, error) {
	all := map[string][]string{}
	var errs []error
	for _, j := range e.jars {
		services, err := j.Services()
		errs = append(errs, err)
		for s, providers := range services {
			all[s] = appendNew(all[s], providers...)
		}
	}
	return all, errors.Join(errs...)
}

func (e *jdk8) Digest() (string, error) {
	h := sha256.New()
	for _, j := range e.jars {
		sum, err := j.Digest()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %s\n", filepath.Base(j.path), sum)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
