package features

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file tells who makes the objects of classes that libraries generate as a program runs.

const ProxyClass = "java/lang/reflect/Proxy"

// Generated are the classes that runs saw and no class path has.
type Generated struct {
	Roots   []GeneratedRoot
	Proxies []SeenProxy
	Helpers map[string]bool // those that other generated classes make
	Own     map[string]bool // the classes of the workspace
	Lent    map[string]bool // those that libraries generate, with their helpers
}

// SeenProxy says of what one of the JDK's proxies was made.
type SeenProxy struct {
	Interfaces []string
	libraries  []string // prefixes of the names of the classes that make it; none: any outside the JDK
}

// MadeBy tells whether code of a class may make the proxy, which of the workspace is told.
func (p *SeenProxy) MadeBy(class string, workspace bool) bool {
	if workspace || len(p.libraries) == 0 {
		return workspace || !natives.OfJDK(class)
	}
	return slices.Contains(p.libraries, Library(class))
}

// Library is what the names of the classes of a library begin with: the first two parts of a
// package, "" where there are not so many or the class is the JDK's.
func Library(class string) string {
	parts := strings.SplitN(class, "/", 3)
	if len(parts) < 3 || natives.OfJDK(class) {
		return ""
	}
	return parts[0] + "/" + parts[1] + "/"
}

// GeneratedRoot is a generated class whose objects no generated code makes.
type GeneratedRoot struct {
	Class     string
	Libraries []string // prefixes of the names of the classes that give its objects; none: reflection makes them
}

// NewGenerated looks at generated classes, by name. src has their facts.
func NewGenerated(src hierarchy.Source, names, workspace []string) *Generated {
	own := make(map[string]bool, len(workspace))
	g := &Generated{Helpers: map[string]bool{}, Lent: map[string]bool{}, Own: own}
	for _, n := range workspace {
		own[n] = true
	}
	list, made := []*facts.Class(nil), map[string]bool{}
	for _, n := range names {
		c, ok := src.Class(n)
		if !ok || !Tells(src, c) {
			continue
		}
		if c.Super == ProxyClass {
			g.seeProxy(c.Interfaces, own)
			continue
		}
		list = append(list, c)
		for i := range c.Methods {
			for _, a := range c.Methods[i].Allocs {
				if a.Type != n {
					made[a.Type] = true
				}
			}
		}
	}
	for _, c := range list {
		if made[c.Name] {
			g.Helpers[c.Name] = true
		}
	}
	for _, c := range list {
		if !made[c.Name] {
			r := GeneratedRoot{c.Name, givers(src, c, own)}
			g.Roots = append(g.Roots, r)
			if len(r.Libraries) > 0 {
				g.noteGenerated(src, c)
			}
		}
	}
	return g
}

// Tells tells whether an analysis learns something of a generated class: nothing of the proxy of an
// annotation, whose values are read without it, nor of one without an interface that there is.
func Tells(src hierarchy.Source, c *facts.Class) (tells bool) {
	for _, name := range c.Interfaces {
		i, ok := src.Class(name)
		if tells = tells || ok; ok && i.Access&hierarchy.AccAnnotation != 0 {
			return false
		}
	}
	return tells || c.Super != ProxyClass
}

// seeProxy notes of what a proxy was made.
func (g *Generated) seeProxy(interfaces []string, own map[string]bool) {
	if slices.ContainsFunc(g.Proxies, func(p SeenProxy) bool { return slices.Equal(p.Interfaces, interfaces) }) {
		return
	}
	p := SeenProxy{Interfaces: interfaces}
	for _, n := range interfaces {
		if l := Library(n); l != "" && !own[n] && !slices.Contains(p.libraries, l) {
			p.libraries = append(p.libraries, l)
		}
	}
	g.Proxies = append(g.Proxies, p)
}

// noteGenerated notes that a library generates a class, and so those whose objects it makes.
func (g *Generated) noteGenerated(src hierarchy.Source, c *facts.Class) {
	g.Lent[c.Name] = true
	for i := range c.Methods {
		for _, a := range c.Methods[i].Allocs {
			if made, ok := src.Class(a.Type); ok && g.Helpers[a.Type] && !g.Lent[a.Type] {
				g.noteGenerated(src, made)
			}
		}
	}
}

// givers are the libraries that the code of a generated class calls, or whose objects it keeps, but
// for what it extends: by the first two parts of the names of their packages.
func givers(src hierarchy.Source, c *facts.Class, own map[string]bool) (out []string) {
	above := map[string]bool{c.Name: true}
	for _, s := range append(slices.Clone(c.Interfaces), c.Super) {
		addSupers(src, s, above, 0)
	}
	add := func(name string) {
		if above[name] || own[name] || name == "" || name[0] == '[' || strings.HasPrefix(name, c.Name) {
			return
		}
		if p := Library(name); p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for i := range c.Fields {
		if d := c.Fields[i].Desc; d[0] == 'L' {
			add(d[1 : len(d)-1])
		}
	}
	for i := range c.Methods {
		for k := range c.Methods[i].Calls {
			if call := &c.Methods[i].Calls[k]; call.Kind == facts.Static || call.Kind == facts.Interface {
				add(call.Owner)
			}
		}
	}
	slices.Sort(out)
	return out
}

func addSupers(src hierarchy.Source, name string, above map[string]bool, depth int) {
	if name == "" || above[name] || depth > maxDepth {
		return
	}
	above[name] = true
	if c, ok := src.Class(name); ok {
		for _, s := range append(slices.Clone(c.Interfaces), c.Super) {
			addSupers(src, s, above, depth+1)
		}
	}
}

// LooksUpMethod tells whether a call in a class looks up a method for the library that has
// generated the class.
func (g *Generated) LooksUpMethod(class string, c *facts.Call) bool {
	return g != nil && g.Lent[class] && c.Owner == "java/lang/Class" &&
		(c.Name == "getMethod" || c.Name == "getDeclaredMethod")
}

// Gives tells whether calls of methods that a class has give code of the workspace objects that
// the root's library has made.
func (r *GeneratedRoot) Gives(owner string) bool {
	return slices.ContainsFunc(r.Libraries, func(p string) bool { return strings.HasPrefix(owner, p) })
}

// Helped lists the helpers that a method of a generated class makes.
func (g *Generated) Helped(m *facts.Method) (out []string) {
	if len(g.Helpers) == 0 {
		return nil
	}
	for i := range m.Allocs {
		if t := m.Allocs[i].Type; g.Helpers[t] && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// HelperMethods are the methods of a helper that a library may call.
func HelperMethods(h *hierarchy.Hierarchy, t hierarchy.TypeID) (out []hierarchy.MethodID) {
	class := h.Facts(t)
	for i := 0; class != nil && i < len(class.Methods); i++ {
		if m := &class.Methods[i]; m.Name[0] != '<' &&
			m.Access&(hierarchy.AccStatic|hierarchy.AccAbstract|hierarchy.AccPrivate) == 0 {
			out = append(out, h.MethodAt(t, i))
		}
	}
	return out
}
