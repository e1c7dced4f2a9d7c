package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/instrument/worker"
)

// Bounds of the generated classes that one campaign keeps of a module.
const (
	maxGenerated      = 2000
	maxGeneratedBytes = 16 << 20
)

// generatedCode collects the generated classes of a module's JVMs. Names such as
// $Proxy12 vary from run to run, so that a class is named by its content: by a
// digest of what it extends, has and calls, its own name left out.
type generatedCode struct {
	mu      sync.Mutex
	classes map[string]*generatedClass // by name by content
	names   map[string]string          // name in a JVM -> name by content; of the last JVM to have it
	keys    map[worker.Key]string      // bytes -> name by content
	bytes   int
	dropped int
}

type generatedClass struct {
	loaded string // the name in the JVM it came from
	data   []byte
	kept   bool // in the memory already, or of no use there
	proxy  bool // of the JDK: it throws nothing by itself
}

func newGeneratedCode() *generatedCode {
	return &generatedCode{classes: map[string]*generatedClass{}, names: map[string]string{},
		keys: map[worker.Key]string{}}
}

// add keeps a class that a JVM loaded. f are its facts; tells: the next analysis is to know it.
// What tells nothing has a name by content, too, as exceptions may come from it.
func (g *generatedCode) add(data []byte, f *facts.Class, tells bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	name := nameByContent(f, func(n string) (string, bool) { c, ok := g.names[n]; return c, ok })
	g.names[f.Name], g.keys[worker.KeyOf(data)] = name, name
	if g.classes[name] != nil {
		return
	}
	proxy := f.Super == features.ProxyClass
	if !tells {
		g.classes[name] = &generatedClass{loaded: f.Name, kept: true, proxy: proxy}
		return
	}
	if len(g.classes) >= maxGenerated || g.bytes+len(data) > maxGeneratedBytes {
		g.dropped++
		return
	}
	g.bytes += len(data)
	g.classes[name] = &generatedClass{loaded: f.Name, data: slices.Clone(data), proxy: proxy}
}

// nameOf is the name by content of a generated class, any other name as it is.
// key, if it is not nil, are the bytes it was made from; without, the last class
// of the name is meant.
func (g *generatedCode) nameOf(name string, key *worker.Key) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if key != nil {
		if n, ok := g.keys[*key]; ok {
			return n
		}
	}
	if n, ok := g.names[name]; ok {
		return n
	}
	return name
}

// has tells whether a name is the name by content of a class that tests generated, proxies of the
// JDK left out.
func (g *generatedCode) has(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.classes[name]
	return c != nil && !c.proxy
}

// countLost is how many classes were not kept.
func (g *generatedCode) countLost() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.dropped
}

// take returns what was added since it was last called, as class files with the
// names by content: in them, too, where they name each other.
func (g *generatedCode) take() map[string][]byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := map[string][]byte{}
	for name, c := range g.classes {
		if c.kept {
			continue
		}
		c.kept = true
		data, err := renameClass(c.data, func(n string) (string, bool) {
			if n == c.loaded {
				return name, true
			}
			to, ok := g.names[n]
			return to, ok
		})
		if err == nil {
			out[name] = data
		}
		c.data = nil
	}
	return out
}

// What varies from run to run in the names of generated classes: the number of the package of
// proxies, and a number or random letters behind what tells who generates them. A helper's name has
// both its own and those of the class it was made for.
var (
	proxyPackage  = regexp.MustCompile(`^(jdk/proxy|com/sun/proxy)[0-9]*/`)
	variableParts = regexp.MustCompile(`(\$(?:ByteBuddy|auxiliary|MockitoMock|HibernateProxy|HibernateInstantiator|HibernateBasicProxy|accessor)` +
		`|\$\$[A-Za-z]+By[A-Za-z]+|\$\$SpringCGLIB|\$\$\$?EasyMock|\$\$Lambda|LambdaForm\$[A-Z]+)` +
		`[$/]{1,2}(?:0x)?[A-Za-z0-9]+(?:/(?:0x)?[0-9a-f]+)?`)
	lastNumbers    = regexp.MustCompile(`(?:_?[0-9]+)+$`) // EventHandler35_1795660077773, with the time, of JFR
	javassistParts = regexp.MustCompile(`(_\$\$_(?:jvst|javassist)|\$\$_javassist)_?[0-9a-f_]*`)
)

// stem is a generated class's name without what varies.
func stem(name string) string {
	name = proxyPackage.ReplaceAllString(name, "$1/")
	name = variableParts.ReplaceAllString(name, "$1")
	name = javassistParts.ReplaceAllString(name, "$1")
	return strings.TrimRight(lastNumbers.ReplaceAllString(name, ""), "$")
}

// varies tells whether a name has something by which those differ that one library gives to
// generated classes.
func varies(name string) bool {
	return proxyPackage.MatchString(name) || variableParts.MatchString(name) || javassistParts.MatchString(name)
}

// nameByContent names a generated class by what an analysis sees of it. known
// gives the names by content of other generated classes.
func nameByContent(f *facts.Class, known func(string) (string, bool)) string {
	same := func(n string) (string, bool) {
		if n == f.Name {
			return "self", true
		}
		if strings.HasPrefix(n, f.Name+"$") {
			return "self$", true
		}
		if is, ok := known(n); ok || !varies(n) {
			return is, ok
		}
		return stem(n), true // it is loaded later
	}
	text := func(s string) string { return renameText(s, same) }
	h := sha256.New()
	fmt.Fprintln(h, stem(f.Name), text(f.Super), f.Access)
	for _, i := range f.Interfaces {
		fmt.Fprintln(h, text(i))
	}
	methods := make([]string, 0, len(f.Methods))
	for i := range f.Methods {
		methods = append(methods, describe(&f.Methods[i], text))
	}
	slices.Sort(methods)
	for _, m := range methods {
		fmt.Fprintln(h, m)
	}
	return stem(f.Name) + "$" + hex.EncodeToString(h.Sum(nil)[:4])
}

// describe says what a method is, catches, calls, makes and throws.
func describe(m *facts.Method, text func(string) string) string {
	var b strings.Builder
	fmt.Fprintln(&b, m.Name, text(m.Desc), m.Access, m.Declared())
	for i := range m.Handlers() {
		fmt.Fprintln(&b, "catch", m.Handlers()[i].Types)
	}
	for i := range m.Calls {
		c := &m.Calls[i]
		fmt.Fprintln(&b, "call", c.Kind, text(c.Owner), c.Name, text(c.Desc))
	}
	for i := range m.Allocs {
		fmt.Fprintln(&b, "new", text(m.Allocs[i].Type))
	}
	for i := range m.Throws() {
		for _, s := range m.Throws()[i].Sources {
			fmt.Fprintln(&b, "throw", s.Kind, text(s.Type))
		}
	}
	return b.String()
}

// renameText replaces class names in a constant: an internal or binary name, or
// the names in a descriptor or signature.
func renameText(s string, to func(string) (string, bool)) string {
	var b strings.Builder
	rest := s
	for len(rest) > 0 {
		n := strings.IndexAny(rest, ";<>()[:")
		if n < 0 {
			n = len(rest)
		}
		b.WriteString(renameToken(rest[:n], to))
		if n < len(rest) {
			b.WriteByte(rest[n])
			n++
		}
		rest = rest[n:]
	}
	return b.String()
}

// renameToken replaces one name, which may stand behind the letters of a
// descriptor.
func renameToken(s string, to func(string) (string, bool)) string {
	if n, ok := to(s); ok {
		return n
	}
	if strings.Contains(s, ".") && !strings.Contains(s, "/") {
		if n, ok := to(strings.ReplaceAll(s, ".", "/")); ok {
			return strings.ReplaceAll(n, "/", ".")
		}
	}
	at := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("BCDFIJSZV", r) })
	if at >= 0 && s[at] == 'L' {
		if n, ok := to(s[at+1:]); ok {
			return s[:at+1] + n
		}
	}
	return s
}

// renameClass replaces class names in the constants of a class file.
func renameClass(data []byte, to func(string) (string, bool)) ([]byte, error) {
	c, err := classfile.Parse(data)
	if err != nil {
		return nil, err
	}
	const poolStart = 10 // magic, versions, count (JVMS 4.1)
	out := slices.Clone(data[:poolStart])
	end := poolStart
	for i := range c.Pool.Len() {
		raw := c.Pool.Raw(uint16(i))
		end += len(raw)
		if c.Pool.Tag(uint16(i)) == classfile.TagUtf8 {
			text := renameText(string(raw[3:]), to)
			if len(text) > 0xffff {
				return nil, fmt.Errorf("class %s: a constant is too long", c.Name())
			}
			raw = append([]byte{raw[0], byte(len(text) >> 8), byte(len(text))}, text...)
		}
		out = append(out, raw...)
	}
	return append(out, data[end:]...), nil
}
