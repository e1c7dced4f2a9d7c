package features

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file says which handlers of protocols java.net.URL makes for the addresses that a program
// makes.
//
// URL looks up the handlers of most protocols by a name that it puts together (URL.DefaultFactory);
// those of file, jar and jrt it creates as any object. The JDK itself opens addresses of files and
// jars only, so that calls in its classes bring no handler; what code outside gives it as an
// address was made there.

const (
	URLClass = "java/net/URL"
	uriClass = "java/net/URI"
)

// protocols are those for which URL makes a handler by a name that it puts together.
var protocols = []string{"ftp", "http", "https", "mailto"}

// ProtocolHandlers lists the handlers that java.net.URL may make for what a method of a class does:
// for addresses that its calls make, those of the protocol of a constant address, none for that of
// a file or path (localURI), else those of all protocols; these, too, where it may bring an address
// that nobody is seen to make (bringsAddress). Of generated code the sink decides (MakesHandlers).
func ProtocolHandlers(h *hierarchy.Hierarchy, class string, m *facts.Method) []string {
	if natives.OfJDK(class) {
		return nil
	}
	all := bringsAddress(h, class, m)
	var wanted []string
	for i := range m.Calls {
		if makesAddress(&m.Calls[i]) && !all {
			of, ok := protocolsOf(m, i)
			wanted, all = append(wanted, of...), !ok
		}
	}
	var out []string
	for _, p := range protocols {
		if n := "sun/net/www/protocol/" + p + "/Handler"; (all || slices.Contains(wanted, p)) && h.Present(n) {
			out = append(out, n)
		}
	}
	return out
}

// MentionsAddresses tells whether ProtocolHandlers looks at what a method does.
func MentionsAddresses(m *facts.Method) bool {
	return slices.ContainsFunc(m.Calls, func(c facts.Call) bool {
		return makesAddress(&c) || c.Owner == uriClass ||
			c.Name == "readObject"
	}) ||
		slices.ContainsFunc(m.Classes(), isAddress) || GivesURI(m)
}

// makesAddress tells whether a call makes a java.net.URL, or a reference to a method that does.
func makesAddress(c *facts.Call) bool {
	owner, name := c.Owner, c.Name
	if c.Kind == facts.Dynamic && c.Indy() != nil {
		owner, name = c.Indy().Impl.Owner, c.Indy().Impl.Name
	}
	return owner == URLClass && (name == "<init>" || name == "of") || owner == uriClass && name == "toURL"
}

func isAddress(class string) bool { return class == URLClass || class == uriClass }

// protocolsOf are those of protocols that an address has which a call of a method makes; ok is
// false where it may be any.
func protocolsOf(m *facts.Method, call int) (of []string, ok bool) {
	c := &m.Calls[call]
	spec := 0 // the parameter that has the address, or its protocol
	switch {
	case c.Owner == uriClass:
		return nil, newDefinitions(m).localURI(receiver(m, call), 0)
	case strings.HasPrefix(c.Desc, "(L"+URLClass+";"):
		spec = 1
	}
	if c.Kind == facts.Dynamic || spec >= len(c.Args()) || c.Args()[spec].Kind != facts.StringConst {
		return nil, false
	}
	protocol := strings.ToLower(strings.TrimLeft(c.Args()[spec].Value, " "))
	if !strings.HasPrefix(c.Desc, "(Ljava/lang/String;Ljava/lang/String;") {
		protocol = strings.TrimPrefix(protocol, "url:")
		end := strings.IndexAny(protocol, ":/")
		if end < 0 || protocol[end] == '/' {
			return nil, true // that of the context, which was made elsewhere, or none (MalformedURLException)
		}
		protocol = protocol[:end]
	}
	switch {
	case protocol == "file", protocol == "jar", protocol == "jrt":
		return nil, true
	case slices.Contains(protocols, protocol):
		return []string{protocol}, true
	}
	return nil, false
}

// definitions are what a method's variables get their values from.
type definitions struct {
	m  *facts.Method
	of map[uint64][]definition
}

// definition is an operation that gives a variable its value: a copy of another one, the result of
// a call, or something else.
type definition struct {
	from uint64 // 0: no copy
	call int    // -1: no call
}

func newDefinitions(m *facts.Method) *definitions {
	d := &definitions{m, map[uint64][]definition{}}
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		switch op {
		case facts.FlowMove, facts.FlowCast:
			d.of[x[0]] = append(d.of[x[0]], definition{x[1], -1})
		case facts.FlowCall:
			if x[1] != 0 {
				d.of[x[1]] = append(d.of[x[1]], definition{0, int(x[0])})
			}
		case facts.FlowStore, facts.FlowStaticStore, facts.FlowElemStore, facts.FlowReturn, facts.FlowThrow:
		default:
			d.of[x[0]] = append(d.of[x[0]], definition{0, -1})
		}
	})
	return d
}

// localURI tells whether all that a variable gets are URIs that the JDK makes of a file
// (File.toURI: the protocol is file) or of a path (Path.toUri: file, or that of the JDK's file
// systems of jars and of its image, jar and jrt). Those of files and paths of the program's own are
// found where their methods are (bringsAddress).
func (d *definitions) localURI(v uint64, depth int) bool {
	if len(d.of[v]) == 0 || depth > 4 {
		return false // a parameter
	}
	for _, x := range d.of[v] {
		if x.call >= 0 {
			if c := &d.m.Calls[x.call]; c.Desc != "()L"+uriClass+";" ||
				!(c.Owner == "java/io/File" && c.Name == "toURI") &&
					!(c.Owner == "java/nio/file/Path" && c.Name == "toUri") {
				return false
			}
		} else if x.from == 0 || !d.localURI(x.from, depth+1) {
			return false
		}
	}
	return true
}

// receiver is the variable on which a call is made.
func receiver(m *facts.Method, call int) (v uint64) {
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		if op == facts.FlowCall && int(x[0]) == call && len(x) > 3 {
			v = x[3]
		}
	})
	return v
}

// GivesURI tells whether a method has the signature of those that give a file's or path's URI.
func GivesURI(m *facts.Method) bool {
	return (m.Name == "toURI" || m.Name == "toUri") && m.Desc == "()L"+uriClass+";" && m.Access&hierarchy.AccStatic == 0
}

// givesOwnAddress tells whether a method outside the JDK gives the URI of a file or path.
func givesOwnAddress(h *hierarchy.Hierarchy, class string, m *facts.Method) bool {
	is := func(n string) bool { t := h.Lookup(n); return t != hierarchy.NoType && h.IsSubtype(h.Lookup(class), t) }
	return GivesURI(m) && (is("java/io/File") || is("java/nio/file/Path"))
}

// OwnAddresses lists the methods by which a file or path outside the JDK gives its URI.
func OwnAddresses(h *hierarchy.Hierarchy, t hierarchy.TypeID) (out []hierarchy.MethodID) {
	for _, name := range []string{"toURI", "toUri"} {
		if m := h.Resolve(t, name, "()L"+uriClass+";"); m != hierarchy.NoMethod {
			if c := h.Name(h.Owner(m)); !natives.OfJDK(c) && givesOwnAddress(h, c, h.Method(m)) {
				out = append(out, m)
			}
		}
	}
	return out
}

// bringsAddress tells whether a method outside the JDK may bring addresses that no call is seen to
// make: it gives the URI of a file or path of the program's own, or makes a proxy that is a path;
// it reads an address that was serialised; or it names the classes of addresses and calls by
// reflection, but for what it looks up in other classes that it names.
func bringsAddress(h *hierarchy.Hierarchy, class string, m *facts.Method) bool {
	if givesOwnAddress(h, class, m) {
		return true
	}
	named, path := slices.ContainsFunc(m.Classes(), isAddress) &&
		!parametersOnly(h, class, m), slices.Contains(m.Classes(), "java/nio/file/Path")
	reads := false
	for i := range m.Calls {
		c := &m.Calls[i]
		switch {
		case named && (c.Owner == LookupClass || (MakesObjects(c) || c.Owner == "java/lang/Class" &&
			(strings.HasPrefix(c.Name, "getMethod") || strings.HasPrefix(c.Name, "getDeclaredMethod"))) &&
			!onOtherConstant(h, class, m, i)):
			return true
		case path && c.Owner == "java/lang/reflect/Proxy":
			return true
		}
		reads = reads || c.Name == "readObject" && c.Desc == "()Ljava/lang/Object;"
	}
	return reads && castsReadToAddress(h, class, m)
}

// parametersOnly tells whether all that a method does with the classes of addresses is to list
// them: as the types of parameters of what it looks up or makes.
func parametersOnly(h *hierarchy.Hierarchy, class string, m *facts.Method) bool {
	f := h.Facts(h.Lookup(class))
	// variables: what they get, and where that goes
	constants, listed, other := map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
	lists := map[uint64]bool{} // of such classes
	loads := false
	for range 3 { // an array may be loaded from before it is moved
		facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
			switch op {
			case facts.FlowClass:
				constants[x[0]] = constants[x[0]] || isAddress(f.FlowNames[x[1]])
			case facts.FlowElemStore:
				listed[x[1]] = true
				lists[x[0]] = lists[x[0]] || constants[x[1]]
			case facts.FlowElemLoad:
				loads = loads || lists[x[1]]
			case facts.FlowMove, facts.FlowCast:
				other[x[1]] = true
				lists[x[0]] = lists[x[0]] || lists[x[1]]
			case facts.FlowLoad, facts.FlowStaticStore, facts.FlowThrow:
				other[x[1]] = true
			case facts.FlowStore:
				other[x[2]] = true
			case facts.FlowReturn:
				other[x[0]] = true
			case facts.FlowCall:
				for _, v := range x[3:] {
					other[v] = true
				}
			}
		})
	}
	found := false
	for v, is := range constants {
		if is && (!listed[v] || other[v]) {
			return false
		}
		found = found || is
	}
	return found && !loads
}

// onOtherConstant tells whether a call is made on constants of other classes than those of
// addresses, which are the types of parameters then: what it finds of these classes has code of its
// own.
func onOtherConstant(h *hierarchy.Hierarchy, class string, m *facts.Method, call int) bool {
	v, found, other := receiver(m, call), false, true
	f := h.Facts(h.Lookup(class))
	facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
		switch {
		case op == facts.FlowStore, op == facts.FlowStaticStore, op == facts.FlowElemStore, op == facts.FlowReturn,
			op == facts.FlowThrow:
		case op == facts.FlowCall:
			other = other && x[1] != v
		case x[0] != v:
		case op == facts.FlowClass:
			found, other = true, other && !isAddress(f.FlowNames[x[1]])
		default:
			other = false
		}
	})
	return v != 0 && found && other
}

// castsReadToAddress tells whether a method casts to an address what it has read of a stream of
// objects.
func castsReadToAddress(h *hierarchy.Hierarchy, class string, m *facts.Method) (found bool) {
	f := h.Facts(h.Lookup(class))
	read := map[uint64]bool{}
	for range 2 { // a value may be cast before a loop brings it
		facts.EachFlow(m.Flow, func(op facts.FlowOp, x []uint64) {
			switch op {
			case facts.FlowCall:
				read[x[1]] = read[x[1]] || m.Calls[x[0]].Name == "readObject"
			case facts.FlowMove:
				read[x[0]] = read[x[0]] || read[x[1]]
			case facts.FlowCast:
				found = found || read[x[1]] && isAddress(f.FlowNames[x[2]])
			}
		})
	}
	return found
}
