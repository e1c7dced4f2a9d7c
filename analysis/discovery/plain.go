package discovery

// This file reads folders without a build description: sources are found by
// their package declarations, classes by the names inside the class files,
// libraries as jars. Eclipse and IntelliJ descriptions are in ide.go.

import (
	"bytes"
	"context"
	"encoding/binary"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"strings"

	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
	"github.com/catchlens/catchlens/internal/filetree"
)

// Bounds of what is read of each file.
const (
	maxSourceHead = 64 << 10 // bytes searched for the package declaration
	maxClassHead  = 1 << 20  // bytes of a class file searched for its name
)

// openPlain opens a folder without build description.
func (o *opener) openPlain(ctx context.Context, dir string) {
	before, runs := len(o.Modules), 0
	if !o.openEclipse(dir) && !o.openIdea(dir) {
		runs = o.scanPlain(ctx, dir)
	}
	for _, m := range o.Modules[before:] {
		o.finishPlain(m, runs)
	}
	if len(o.Modules) == before {
		o.Report(workspace.Problem{Severity: workspace.Warning, File: dir,
			Message: "no Java code was found: neither a Maven or Gradle build, nor .java or .class files"})
	}
}

// finishPlain fills in what IDE descriptions and scans have in common; runs is
// the Java level of the class files that were found, 0 if unknown.
func (o *opener) finishPlain(m *workspace.Module, runs int) {
	m.Kind = workspace.Plain
	m.RuntimeClassPath = slices.Clone(m.ClassPath)
	m.HasModuleInfo = workspace.HasModuleInfo(m.MainSources)
	if m.Encoding == "" {
		m.Encoding = "UTF-8"
	}
	t := &m.Test
	t.Frameworks = workspace.FrameworksOn(m.TestClassPath)
	t.Framework = workspace.ChooseFramework(t.Frameworks)
	t.EnableAssertions = true
	t.WorkingDir = m.Dir
	t.NotRun = append(t.NotRun, o.antNotes(m)...)
	t.SystemProperties, t.Environment = map[string]string{}, map[string]string{}
	m.TestRelease = m.Release
	o.ChooseJDK(m, workspace.JDKWish{Release: m.Release, Runs: runs, File: m.Dir})
}

// scan is what a walk over a plain folder found.
type scan struct {
	sources map[string]*sourceRoot
	outputs map[string]map[string]bool // class root -> top-level class names
	jars    []string
	level   int // highest Java level of the class files whose head was read
}

type sourceRoot struct {
	files, tests int
	classes      map[string]bool // top-level classes by file name, internal names
}

// scanPlain makes a module of what lies below dir and returns the Java level of
// its class files, 0 if there are none.
func (o *opener) scanPlain(ctx context.Context, dir string) int {
	s := &scan{sources: map[string]*sourceRoot{}, outputs: map[string]map[string]bool{}}
	w := &filetree.Walker{
		Report: func(dir, message string) {
			o.Report(workspace.Problem{Severity: workspace.Warning, Message: message, File: dir})
		},
		Skip: func(path, name string) bool { return name == "node_modules" || strings.HasPrefix(name, ".") },
	}
	_ = w.Walk(dir, func(path string, d fs.DirEntry) error {
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		switch ext := filepath.Ext(path); {
		case ext == ".java":
			s.source(path)
		case ext == ".class":
			s.class(path)
		case strings.EqualFold(ext, ".jar") && d.Type().IsRegular():
			s.jars = append(s.jars, path)
		}
		return nil
	})
	if len(s.sources) == 0 && len(s.outputs) == 0 && len(s.jars) == 0 {
		return 0
	}
	m := &workspace.Module{Name: filepath.Base(dir), Dir: dir,
		ClassPaths: workspace.ClassPaths{ClassPathComplete: true}}
	tests := map[string]bool{}
	for _, r := range slices.Sorted(maps.Keys(s.sources)) {
		src := s.sources[r]
		if testPath(dir, r) || src.tests*2 > src.files && (len(s.sources) > 1 || src.tests == src.files) {
			m.TestSources = append(m.TestSources, r)
			for c := range src.classes {
				tests[c] = true
			}
		} else {
			m.MainSources = append(m.MainSources, r)
			if src.tests > 0 { // tests beside main code
				m.TestSources = append(m.TestSources, r)
			}
		}
	}
	m.TestSources = filetree.Existing(m.TestSources)
	s.assignOutputs(m, dir, tests)
	m.ClassPath = slices.Clone(s.jars)
	m.TestClassPath = slices.Clone(s.jars)
	if len(s.sources) == 0 {
		o.Report(workspace.Problem{Severity: workspace.Info, File: dir,
			Message: "there are class files and no sources: catches are shown where their source is; " +
				"name the source folders with sources in " + workspace.ConfigName})
	}
	o.Modules = append(o.Modules, m)
	return s.level
}

// assignOutputs says which class roots hold main classes and which tests; a
// root with both counts as both. Without any class root, jars that hold the
// sources' classes are the outputs.
func (s *scan) assignOutputs(m *workspace.Module, dir string, tests map[string]bool) {
	for _, r := range slices.Sorted(maps.Keys(s.outputs)) {
		have, n := s.outputs[r], 0
		for c := range have {
			if tests[c] {
				n++
			}
		}
		switch {
		case len(tests) == 0 && testPath(dir, r), n > 0 && n == len(have), n*2 > len(have) && testPath(dir, r):
			m.TestOutputs = append(m.TestOutputs, r)
		default:
			m.MainOutputs = append(m.MainOutputs, r)
			if n > 0 || len(s.sources) > 0 && len(m.MainSources) > 0 && slices.Equal(m.MainSources, m.TestSources) {
				m.TestOutputs = append(m.TestOutputs, r)
			}
		}
	}
	if len(s.outputs) > 0 {
		return
	}
	own := map[string]bool{}
	for _, src := range s.sources {
		for c := range src.classes {
			own[c] = true
		}
	}
	s.jars = slices.DeleteFunc(s.jars, func(j string) bool {
		n, inTests := jarHolds(j, own, tests)
		switch {
		case n == 0:
			return false
		case inTests*2 > n:
			m.TestOutputs = append(m.TestOutputs, j)
		default:
			m.MainOutputs = append(m.MainOutputs, j)
		}
		return true
	})
	if len(own) == 0 && len(s.jars) > 0 { // only jars: they are what is to be analysed
		top := slices.DeleteFunc(slices.Clone(s.jars), func(j string) bool { return filepath.Dir(j) != dir })
		if len(top) > 0 {
			m.MainOutputs = top
			s.jars = slices.DeleteFunc(s.jars, func(j string) bool { return slices.Contains(top, j) })
		}
	}
}

// testPath says whether a folder's name below base marks it as tests.
func testPath(base, p string) bool {
	rel, err := filepath.Rel(base, p)
	if err != nil {
		rel = p
	}
	for _, seg := range strings.Split(strings.ToLower(filepath.ToSlash(rel)), "/") {
		switch seg {
		case "test", "tests", "testsrc", "test-src", "src-test", "srctest", "test-classes", "testclasses", "test-bin",
			"bin-test", "junit":
			return true
		}
	}
	return false
}

// source notes the source root of a Java file.
func (s *scan) source(path string) {
	head, err := bounded.ReadHead(path, maxSourceHead)
	if err != nil {
		return
	}
	pkg, test := sourceHead(head)
	dir := filepath.Dir(path)
	root := dir
	if pkg != "" {
		tail := filepath.FromSlash(strings.ReplaceAll(pkg, ".", "/"))
		if r, ok := strings.CutSuffix(dir, string(filepath.Separator)+tail); ok {
			root = r
		}
	}
	r := s.sources[root]
	if r == nil {
		r = &sourceRoot{classes: map[string]bool{}}
		s.sources[root] = r
	}
	name := strings.TrimSuffix(filepath.Base(path), ".java")
	if name != "package-info" && name != "module-info" {
		r.files++
		if test {
			r.tests++
		}
		if pkg != "" {
			name = strings.ReplaceAll(pkg, ".", "/") + "/" + name
		}
		r.classes[name] = true
	}
}

// sourceHead finds the package of a compilation unit and whether it imports a
// test framework. Comments, strings and annotations before the package are
// skipped.
func sourceHead(src []byte) (pkg string, test bool) {
	for _, s := range []string{"import org.junit.", "import static org.junit.", "import junit.framework.",
		"import org.testng.", "import static org.testng."} {
		if bytes.Contains(src, []byte(s)) {
			test = true
			break
		}
	}
	i := 0
	for i < len(src) {
		c := src[i]
		switch {
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			end := bytes.Index(src[i+2:], []byte("*/"))
			if end < 0 {
				return "", test
			}
			i += 2 + end + 2
		case c == '"':
			for i++; i < len(src) && src[i] != '"' && src[i] != '\n'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
			i++
		case isIdent(c):
			start := i
			for i < len(src) && isIdent(src[i]) {
				i++
			}
			switch word := string(src[start:i]); word {
			case "package":
				return packageName(src[i:]), test
			case "import", "class", "interface", "enum", "record", "module", "public", "final", "abstract":
				if start == 0 || src[start-1] != '@' && src[start-1] != '.' {
					return "", test
				}
			}
		default:
			i++
		}
	}
	return "", test
}

// packageName reads a dotted name up to its semicolon.
func packageName(src []byte) string {
	end := bytes.IndexByte(src, ';')
	if end < 0 || end > 2000 {
		return ""
	}
	var b strings.Builder
	for i := 0; i < end; i++ {
		switch c := src[i]; {
		case c == '/' && i+1 < end && (src[i+1] == '*' || src[i+1] == '/'):
			close := []byte("*/")
			if src[i+1] == '/' {
				close = []byte("\n")
			}
			j := bytes.Index(src[i:end], close)
			if j < 0 {
				return ""
			}
			i += j + len(close) - 1
		case isIdent(c) || c == '.':
			b.WriteByte(c)
		}
	}
	return strings.Trim(b.String(), ".")
}

// class notes the class root of a class file.
func (s *scan) class(path string) {
	base := strings.TrimSuffix(filepath.Base(path), ".class")
	dir := filepath.Dir(path)
	for r, names := range s.outputs { // known root: no need to open the file
		if filetree.Holds(r, dir) {
			rel, _ := filepath.Rel(r, filepath.Join(dir, base))
			if !strings.Contains(base, "$") {
				names[filepath.ToSlash(rel)] = true
			}
			return
		}
	}
	head, err := bounded.ReadHead(path, maxClassHead)
	if err != nil {
		return
	}
	name := className(head)
	if name == "" || name == "module-info" {
		return
	}
	root, ok := strings.CutSuffix(strings.TrimSuffix(path, ".class"),
		string(filepath.Separator)+filepath.FromSlash(name))
	if !ok {
		return
	}
	s.level = max(s.level, classLevel(head))
	s.outputs[root] = map[string]bool{}
	if !strings.Contains(base, "$") {
		s.outputs[root][name] = true
	}
}

// classLevel is the Java level of a class file (JVMS table 4.1-A): 17 for major
// version 61; 0 for one that every JDK here runs.
func classLevel(b []byte) int {
	return max(0, int(binary.BigEndian.Uint16(b[6:]))-44)
}

// className reads this_class of a class file (JVMS 4.1), "" if it is none.
func className(b []byte) string {
	if len(b) < 10 || binary.BigEndian.Uint32(b) != 0xCAFEBABE {
		return ""
	}
	n := int(binary.BigEndian.Uint16(b[8:]))
	pos := 10
	utf8 := make([][2]int, n) // start, end
	class := make([]uint16, n)
	for i := 1; i < n; i++ {
		if pos >= len(b) {
			return ""
		}
		size := 0
		switch b[pos] { // JVMS table 4.4-A
		case 1:
			if pos+3 > len(b) {
				return ""
			}
			size = 2 + int(binary.BigEndian.Uint16(b[pos+1:]))
			utf8[i] = [2]int{pos + 3, pos + 1 + size}
		case 7:
			if pos+3 > len(b) {
				return ""
			}
			class[i] = binary.BigEndian.Uint16(b[pos+1:])
			size = 2
		case 8, 16, 19, 20:
			size = 2
		case 15:
			size = 3
		case 3, 4, 9, 10, 11, 12, 17, 18:
			size = 4
		case 5, 6:
			size = 8
			i++
		default:
			return ""
		}
		pos += 1 + size
	}
	if pos+4 > len(b) {
		return ""
	}
	this := int(binary.BigEndian.Uint16(b[pos+2:]))
	if this >= n || int(class[this]) >= n {
		return ""
	}
	u := utf8[class[this]]
	if u[1] > len(b) || u[0] == 0 {
		return ""
	}
	return string(b[u[0]:u[1]])
}

// isIdent tells whether a byte may be in a Java identifier; those of other letters all are.
func isIdent(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
