package codelens

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"catchlens/analysis/classfile"
	"catchlens/analysis/facts"
	"catchlens/analysis/faults"
	"catchlens/analysis/snapshot"
)

// This file writes the Java text of a test for a link.

// testWriter writes one test class.
type testWriter struct {
	v       View
	link    *snapshot.Link
	kind    faults.Kind // that the test arms; "": none
	style   testStyle
	entry   snapshot.MethodRef
	path    string          // of the source
	imports map[string]bool // "static x.Y.z" or "x.Y"
	folder  bool            // the test needs a folder
	lines   []string        // before the fault is armed
	named   map[string]bool // variables
}

// text is the whole source; ok is false where the entry cannot be written down.
func (w *testWriter) text(taken func(string) bool) (text string, ok bool) {
	w.named = map[string]bool{"folder": true, "fault": true, "port": true}
	call, ok := w.call()
	if !ok {
		return "", false
	}
	name := w.className(taken)
	body := slices.Concat(w.comment(), w.lines, w.strike(call), []string{w.failure()})
	return w.class(name, body), true
}

// className chooses a name that no file has, and the path.
func (w *testWriter) className(taken func(string) bool) string {
	pkg, simple := path.Split(w.entry.Class)
	simple = strings.ReplaceAll(simple, "$", "")
	base := simple + capital(w.methodName()) + "Fault"
	if w.kind == "" {
		base = simple + capital(w.methodName()) + "Throw"
	}
	for i := 1; ; i++ {
		name := base
		if i > 1 {
			name += fmt.Sprint(i)
		}
		if w.style.suffix == "" {
			name = "Test" + name
		} else {
			name += w.style.suffix
		}
		w.path = path.Join(w.style.root, pkg, name+".java")
		if w.v.Snap.Class(pkg+name) == nil && !taken(w.path) {
			return name
		}
	}
}

// methodName is the entry's name, New for a constructor.
func (w *testWriter) methodName() string {
	name, _, _ := strings.Cut(w.entry.Method, "(")
	if name == "<init>" {
		return "new"
	}
	return name
}

// call writes the call of the entry, and before it what it is given.
func (w *testWriter) call() (string, bool) {
	name, desc, _ := strings.Cut(w.entry.Method, "(")
	c := w.v.Snap.Class(w.entry.Class)
	if c == nil {
		return "", false
	}
	var access uint16
	for i := range c.Facts.Methods {
		if m := &c.Facts.Methods[i]; m.Name == name && m.Desc == "("+desc {
			access = m.Access
		}
	}
	args := w.arguments("(" + desc)
	typeName := w.typeName(w.entry.Class)
	switch {
	case name == "<init>" && c.Facts.Access&classfile.AccAbstract == 0:
		return "new " + typeName + args, true
	case name == "<init>":
		return "", false
	case access&classfile.AccStatic != 0:
		return typeName + "." + name + args, true
	}
	object := w.variable(w.entry.Class)
	w.lines = append(w.lines, fmt.Sprintf("%s %s = %s;", typeName, object, w.object(c.Facts)))
	return object + "." + name + args, true
}

// object writes how to get an object of a class: by the constructor with the fewest
// parameters, or a static method that gives one; null where there is neither.
func (w *testWriter) object(f *facts.Class) string {
	var best *facts.Method
	for i := range f.Methods {
		m := &f.Methods[i]
		made := m.Name == "<init>" && f.Access&classfile.AccAbstract == 0 ||
			m.Access&classfile.AccStatic != 0 && strings.HasSuffix(m.Desc, ")L"+f.Name+";")
		if !made || m.Access&(classfile.AccPrivate|classfile.AccSynthetic) != 0 {
			continue
		}
		if best == nil || len(parameters(m.Desc)) < len(parameters(best.Desc)) {
			best = m
		}
	}
	switch {
	case best == nil:
		return "null"
	case best.Name == "<init>":
		return "new " + w.typeName(f.Name) + w.arguments(best.Desc)
	}
	return w.typeName(f.Name) + "." + best.Name + w.arguments(best.Desc)
}

// arguments declares a variable for each parameter, which tells overloads apart, and lists
// them.
func (w *testWriter) arguments(desc string) string {
	var names []string
	for _, p := range parameters(desc) {
		base := p
		for strings.HasPrefix(base, "[") {
			base = base[1:]
		}
		brackets := strings.Repeat("[]", len(p)-len(base))
		typeName, variable := primitives[base], "value"
		if class, ok := strings.CutPrefix(base, "L"); ok {
			class = strings.TrimSuffix(class, ";")
			typeName, variable = w.typeName(class), lower(simpleName(strings.ReplaceAll(path.Base(class), "$", ".")))
		}
		variable = w.fresh(variable)
		w.lines = append(w.lines, fmt.Sprintf("%s%s %s = %s;", typeName, brackets, variable, w.value(p, typeName)))
		names = append(names, variable)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

var primitives = map[string]string{"Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long", "F": "float", "D": "double"}

// value is something of a type, for the developer to put another in its place.
func (w *testWriter) value(desc, typeName string) string {
	info, _ := faults.Info(w.kind)
	file := w.kind != "" && w.kind != faults.Interrupted && !info.Net
	switch {
	case desc == "Z":
		return "false"
	case desc == "B" || desc == "C" || desc == "S":
		return "(" + typeName + ") 0"
	case len(desc) == 1:
		return "0"
	case desc[0] == '[' && desc[1] != '[':
		return "new " + typeName + "[0]"
	case desc == "Ljava/nio/file/Path;" && file:
		w.folder = true
		return w.folderPath() + `.resolve("file")`
	case desc == "Ljava/io/File;" && file:
		w.folder = true
		return w.folderPath() + `.resolve("file").toFile()`
	case desc == "Ljava/lang/String;":
		return `""`
	}
	return "null"
}

// folderPath is the test's folder as a Path.
func (w *testWriter) folderPath() string {
	if w.style.jupiter {
		return "folder"
	}
	return "folder.getRoot().toPath()"
}

// strike writes the call with the fault.
func (w *testWriter) strike(call string) []string {
	in := w.style.indent
	switch {
	case w.kind == "":
		return []string{call + ";"}
	case w.kind == faults.Interrupted:
		return []string{"Thread.currentThread().interrupt();", call + ";"}
	}
	for _, c := range []string{"FaultType", "Faults", "Injection", "Interval", "Parameter"} {
		w.imports["catchlens.fault."+c] = true
	}
	var lines []string
	target := `Parameter.path(` + w.folderPath() + ` + "/")`
	if info, _ := faults.Info(w.kind); info.Net {
		lines = append(lines, "int port = 8080; // where the peer listens")
		target = `Parameter.peer("127.0.0.1:" + port)`
	} else {
		w.folder = true
	}
	arm := fmt.Sprintf("Faults.inject(FaultType.%s, Interval.untilCancelled(), %s)", strings.ToUpper(strings.ReplaceAll(string(w.kind), "-", "_")), target)
	return append(lines, "try (Injection fault = "+arm+") {", in+call+";", "}")
}

// comment says what the test is for.
func (w *testWriter) comment() []string {
	l, c := w.link, w.link.Catch
	lines := []string{fmt.Sprintf("// %s of %s is to come to the catch (%s) in %s, line %d of %s.", comment(shortName(l.Exception)), comment(ShortMethod(l.Site.Class, l.Site.Method)),
		comment(strings.Join(shortTypes(c.Types), " | ")), comment(ShortMethod(c.Class, c.Method)), c.Line, comment(path.Base(c.File.Path)))}
	if guard := w.guard(); guard != "" {
		lines = append(lines, "// It is thrown where this holds: "+guard)
	} else if w.kind == "" {
		lines = append(lines, "// It depends on what the call is given.")
	}
	if len(w.lines) > 0 {
		lines = append(lines, "// Give the call what leads there:")
	}
	return lines
}

// guard is the condition that stands above a throw in the workspace's sources, as written;
// "" where none is found.
func (w *testWriter) guard() string {
	f := w.v.Snap.ByPath[w.link.Site.File]
	if w.kind != "" || f == nil || f.Stale {
		return ""
	}
	return guardAbove(strings.Split(string(f.Text), "\n"), w.link.Site.Line)
}

// guardAbove is the if whose body is the throw in a line, or holds it without another
// block in between; "" where that is not certain. It looks at four lines above.
func guardAbove(lines []string, line int) string {
	if line < 1 || line > len(lines) {
		return ""
	}
	text := ""
	for i := line - 1; i >= max(0, line-5); i-- {
		code, _, _ := strings.Cut(" "+strings.TrimSpace(lines[i]), " //")
		text = code + text
		at := strings.Index(code, "if (")
		if at < 0 {
			continue
		}
		head, body := condition(text[at:])
		before, _, _ := strings.Cut(body, "throw ")
		block, braced := strings.CutPrefix(before, "{")
		if before == "" || braced && !strings.ContainsAny(block, "{}") {
			return comment(head)
		}
		return ""
	}
	return ""
}

// condition splits an if statement after the parenthesis that ends its condition.
func condition(text string) (head, body string) {
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:i+1], strings.TrimSpace(text[i+1:])
			}
		}
	}
	return text, text
}

// comment makes a text fit for a line comment: no control characters, and no escapes,
// which a compiler would read.
func comment(s string) string { return strings.ReplaceAll(Plain(s, false), `\`, "/") }

// failure is the assertion to complete.
func (w *testWriter) failure() string {
	what := "Say here what is expected after the " + shortName(w.link.Exception)
	from := "org.junit.Assert.fail"
	if w.style.jupiter {
		from = "org.junit.jupiter.api.Assertions.fail"
	}
	w.imports["static "+from] = true
	return `fail("` + strings.ReplaceAll(comment(what), `"`, "'") + `");`
}

// class writes the class around the lines of its method.
func (w *testWriter) class(name string, body []string) string {
	in, public := w.style.indent, ""
	if w.style.public {
		public = "public "
	}
	if w.style.jupiter {
		w.imports["org.junit.jupiter.api.Test"] = true
	} else {
		w.imports["org.junit.Test"] = true
	}
	var b strings.Builder
	members := w.members(public)
	if i := strings.LastIndexByte(w.entry.Class, '/'); i >= 0 {
		fmt.Fprintf(&b, "package %s;\n\n", strings.ReplaceAll(w.entry.Class[:i], "/", "."))
	}
	list := slices.Collect(maps.Keys(w.imports))
	sort.Slice(list, func(i, j int) bool {
		a, b := strings.HasPrefix(list[i], "static "), strings.HasPrefix(list[j], "static ")
		return a && !b || a == b && list[i] < list[j]
	})
	for i, x := range list {
		if i > 0 && strings.HasPrefix(list[i-1], "static ") && !strings.HasPrefix(x, "static ") {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "import %s;\n", x)
	}
	fmt.Fprintf(&b, "\n%sclass %s {\n", public, name)
	for _, line := range members {
		b.WriteString(strings.TrimRight(in+line, " \t") + "\n")
	}
	method := lower(capital(strings.ReplaceAll(string(w.kind), "-", " ")) + capital(w.methodName()))
	if w.kind == "" {
		method = lower(simpleName(w.link.Exception)) + "In" + capital(w.methodName())
	}
	if w.style.prefix {
		method = "test" + capital(method)
	}
	fmt.Fprintf(&b, "%s@Test\n%s%svoid %s() throws Exception {\n", in, in, public, method)
	for _, line := range body {
		b.WriteString(in + in + line + "\n")
	}
	b.WriteString(in + "}\n}\n")
	return b.String()
}

// members are the fields that the test needs.
func (w *testWriter) members(public string) []string {
	switch {
	case !w.folder:
		return nil
	case w.style.jupiter:
		w.imports["java.nio.file.Path"], w.imports["org.junit.jupiter.api.io.TempDir"] = true, true
		return []string{"@TempDir", public + "Path folder;", ""}
	}
	w.imports["org.junit.Rule"], w.imports["org.junit.rules.TemporaryFolder"] = true, true
	return []string{"@Rule", "public TemporaryFolder folder = new TemporaryFolder();", ""}
}

// typeName is how a class is written in the test; it is imported if it stands alone.
func (w *testWriter) typeName(class string) string {
	pkg, simple := path.Split(class)
	source := strings.ReplaceAll(strings.ReplaceAll(class, "/", "."), "$", ".")
	own, _ := path.Split(w.entry.Class)
	switch {
	case (pkg == own || pkg == "java/lang/") && reserved[simple] == "":
		return strings.ReplaceAll(simple, "$", ".")
	case strings.Contains(simple, "$"):
		return source
	}
	for i := range w.imports {
		if strings.HasSuffix(i, "."+simple) && i != source {
			return source
		}
	}
	if r := reserved[simple]; w.v.Snap.Class(own+simple) != nil || w.inLang(simple) || r != "" && r != source {
		return source
	}
	w.imports[source] = true
	return simple
}

// reserved are simple names that the test itself needs, and what they mean.
var reserved = map[string]string{"Test": "org.junit.Test", "Rule": "org.junit.Rule", "TempDir": "org.junit.jupiter.api.io.TempDir", "TemporaryFolder": "org.junit.rules.TemporaryFolder",
	"Path": "java.nio.file.Path", "FaultType": "catchlens.fault.FaultType", "Faults": "catchlens.fault.Faults", "Injection": "catchlens.fault.Injection",
	"Interval": "catchlens.fault.Interval", "Parameter": "catchlens.fault.Parameter"}

// variable is a name for an object of a class.
func (w *testWriter) variable(class string) string {
	return w.fresh(lower(simpleName(strings.ReplaceAll(path.Base(class), "$", "."))))
}

// fresh is a name that no variable has.
func (w *testWriter) fresh(name string) string {
	if keywords[name] || name == "" {
		name += "Value"
	}
	free := name
	for i := 2; w.named[free]; i++ {
		free = fmt.Sprintf("%s%d", name, i)
	}
	w.named[free] = true
	return free
}

// keywords that a class's name may be once it begins with a small letter (JLS 3.9).
var keywords = wordSet(`abstract assert boolean break byte case catch char class const continue default do double
	else enum extends false final finally float for goto if implements import instanceof int interface long native new
	null package private protected public return short static strictfp super switch synchronized this throw throws
	transient true try void volatile while`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// capital writes the words of a text as one, each with a capital letter.
func capital(s string) string {
	var b strings.Builder
	for _, w := range strings.Fields(s) {
		r, n := utf8.DecodeRuneInString(w)
		b.WriteRune(unicode.ToUpper(r))
		b.WriteString(w[n:])
	}
	return b.String()
}

// lower begins a name with a small letter.
func lower(s string) string {
	if s == "" {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}

// parameters are the descriptors of a method's parameters.
func parameters(desc string) (out []string) {
	for i := 1; i < len(desc) && desc[i] != ')'; {
		start := i
		for i < len(desc) && desc[i] == '[' {
			i++
		}
		if i < len(desc) && desc[i] == 'L' {
			for i < len(desc) && desc[i] != ';' {
				i++
			}
		}
		i++
		out = append(out, desc[start:min(i, len(desc))])
	}
	return out
}

// inLang tells whether a simple name means a class of java.lang.
func (w *testWriter) inLang(simple string) bool {
	_, ok := w.v.Snap.Facts("java/lang/" + simple)
	return ok
}
