package datareach

import (
	"slices"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
)

// This file follows circumstances that hold below some methods of the JDK, and in which these do
// not make calls that their code has.
//
// A socket is known to nobody but the constructor that makes it. Where such a constructor fails it
// closes the socket, or connecting it does. Closing signals threads that wait in the socket
// (NioSocketImpl.close, in the JDK from 13 on: preClose, where readerThread or writerThread is
// set), and none does: none has the socket yet. That holds as long as no code outside the JDK runs
// there on the socket: a class of the program that overrides what the constructor calls on it might
// give it to another thread. Then nothing follows. Factories of socket implementations do: these
// implementations are classes of their own, none of which is a NioSocketImpl.
//
// What the JDK's own class loaders open as a resource is on this machine, as package features says:
// the handlers of addresses that lead to others open none.
//
// A stream that Files opens reads from or writes to a channel that is told beforehand to be
// uninterruptible (FileChannelImpl.setUninterruptible): what goes through it ends in no
// ClosedByInterruptException, and in no AsynchronousCloseException. That holds as long as nobody
// else makes streams of channels.
//
// Files moves and copies a file by the provider of its file system, or byte by byte where source
// and target have another one (CopyMoveHelper). Where all paths are of the default file system,
// whose provider is made once, they have the same: so says what the points-to result knows of any
// path's provider. That FileSystem.provider does not return null is its contract.

// circumstance is what holds below some methods.
type circumstance struct {
	// param is the parameter that stands for it in asked, known and facts.PassedValue: 1 where it
	// holds; everywhere where it holds in all calls of its keepers.
	param int
	// makers are where it begins to hold, and keepers where it holds if it does at the call.
	makers, keepers []method
	// makes tells of a method whether it is a maker; nil where makers has them all.
	makes func(m method) bool
	// bars tells whether a call of a method, a keeper or not, is not made from a keeper where it
	// holds.
	bars func(from, to method) bool
	// holds tells whether it is followed in a program at all; nil for always.
	holds func(a *Analysis) bool
}

// method names the methods of one name of a class.
type method struct{ class, name string }

// ownParams is the number of parameters of a method that are followed; those beyond stand for
// circumstances.
const ownParams = 61

var circumstances = [...]circumstance{
	{
		param:  ownParams,
		makers: []method{{"java/net/Socket", "<init>"}, {"java/net/ServerSocket", "<init>"}},
		keepers: []method{
			{"java/net/Socket", "connect"}, {"java/net/SocksSocketImpl", "connect"},
			{"sun/nio/ch/NioSocketImpl", "connect"},
			{"java/net/ServerSocket", "close"}, {"sun/nio/ch/NioSocketImpl", "close"},
		},
		bars: func(from, to method) bool {
			return from == method{"sun/nio/ch/NioSocketImpl", "close"} && to.name == "preClose"
		},
	},
	{
		param: ownParams + 1,
		makes: func(m method) bool { return features.OpensResource(m.class, m.name) },
		keepers: []method{{features.URLClass, "openStream"}, {features.URLClass, "openConnection"},
			{features.FileHandler, "openConnection"}},
		bars: func(from, to method) bool {
			return from.class == features.FileHandler && to == method{features.URLClass, "openConnection"} ||
				features.LeadsElsewhere(to.class)
		},
		holds: (*Analysis).resourcesAreLocal,
	},
	{
		param: ownParams + 2,
		makers: []method{
			{"sun/nio/ch/ChannelInputStream", "read"}, {"sun/nio/ch/ChannelInputStream", "readAllBytes"},
			{"sun/nio/ch/ChannelInputStream", "readNBytes"}, {"sun/nio/ch/ChannelInputStream", "available"},
			{"sun/nio/ch/ChannelInputStream", "skip"},
			{"java/nio/channels/Channels$1", "write"}, {"sun/nio/ch/ChannelOutputStream", "write"},
			{"sun/nio/ch/ChannelOutputStream", "writeFully"},
			{"java/nio/file/Files", "readAllBytes"},
		},
		keepers: []method{
			{"java/nio/channels/Channels", "writeFully"}, {"java/nio/channels/Channels", "writeFullyImpl"},
			{fileChannel, "read"}, {fileChannel, "implRead"}, {fileChannel, "traceImplRead"},
			{fileChannel, "write"}, {fileChannel, "implWrite"}, {fileChannel, "traceImplWrite"},
			{fileChannel, "size"}, {fileChannel, "position"}, {fileChannel, "endBlocking"},
		},
		bars: func(from, to method) bool {
			return from == method{fileChannel, "endBlocking"} && to.name == "end"
		},
		holds: (*Analysis).streamsAreUninterruptible,
	},
	{
		param:   everywhere,
		keepers: []method{{"java/nio/file/Files", "move"}, {"java/nio/file/Files", "copy"}},
		bars:    func(_, to method) bool { return to.class == "java/nio/file/CopyMoveHelper" },
		holds:   (*Analysis).pathsHaveOneProvider,
	},
}

// everywhere is the parameter of circumstances that hold in all calls of their keepers.
const everywhere = -1

const (
	fileChannel = "sun/nio/ch/FileChannelImpl"
	streams     = "sun/nio/ch/Streams"
)

// resourcesAreLocal tells whether no class loader is made but those that have the class path and
// the JDK's modules, and these take files only from jars' manifests (of the JDKs that are known;
// jdk.net.URLClassPath.disableClassPathURLCheck is not set).
func (a *Analysis) resourcesAreLocal() bool {
	h := a.g.H
	loader, jar := h.Lookup("java/lang/ClassLoader"), h.Lookup(features.JarLoader)
	if loader == hierarchy.NoType || jar == hierarchy.NoType || h.Facts(jar) == nil {
		return false
	}
	for i := range h.Facts(jar).Methods {
		if features.TakesAddresses(features.JarLoader, &h.Facts(jar).Methods[i]) {
			return false
		}
	}
	for g := range callgraph.NodeID(a.g.NumNodes()) {
		m := a.g.Method(g)
		if m == nil || m.Name != "<init>" || a.g.Nodes[g].Method == hierarchy.NoMethod {
			continue
		}
		if t := h.Owner(a.g.Nodes[g].Method); h.IsSubtype(t, loader) && features.OtherLoader(h.Facts(t)) {
			return false
		}
	}
	return true
}

// channelStreams make streams of channels, and streamMakers are those of the JDK that call them
// with channels that are uninterruptible, or on behalf of others.
var (
	channelStreams = []method{{"java/nio/channels/Channels", "newInputStream"},
		{"java/nio/channels/Channels", "newOutputStream"}, {"sun/nio/ch/ChannelInputStream", "<init>"},
		{"sun/nio/ch/ChannelOutputStream", "<init>"}, {streams, "of"}}
	streamMakers = []method{{"java/nio/file/spi/FileSystemProvider", "newInputStream"},
		{"java/nio/file/spi/FileSystemProvider", "newOutputStream"}, {"java/nio/file/Files", "readAllBytes"},
		{"java/nio/channels/Channels", "newInputStream"}, {"java/nio/channels/Channels", "newOutputStream"},
		{streams, "of"}}
)

// streamsAreUninterruptible tells whether nobody makes streams of channels but the JDK's methods
// that open files, in a JDK whose methods tell channels so.
func (a *Analysis) streamsAreUninterruptible() bool {
	provider := a.g.H.Lookup(streamMakers[0].class)
	if provider == hierarchy.NoType || a.g.H.Facts(provider) == nil {
		return false
	}
	for i := range a.g.H.Facts(provider).Methods {
		m := &a.g.H.Facts(provider).Methods[i]
		if slices.Contains(streamMakers, method{streamMakers[0].class, m.Name}) &&
			!slices.ContainsFunc(m.Calls, func(c facts.Call) bool { return c.Name == "setUninterruptible" }) {
			return false
		}
	}
	for g := range callgraph.NodeID(a.g.NumNodes()) {
		if slices.Contains(channelStreams, a.methodOf(g)) && !a.calledOnlyBy(g, streamMakers) {
			return false
		}
	}
	return true
}

// pathsHaveOneProvider tells whether the provider that Files finds for a path is always the object
// that the class initialiser makes of the default one.
func (a *Analysis) pathsHaveOneProvider() bool {
	var made, found pointsto.Set
	for g := range callgraph.NodeID(a.g.NumNodes()) {
		switch a.methodOf(g) {
		case method{"sun/nio/fs/DefaultFileSystemProvider", "<clinit>"}:
			for _, n := range a.d.NodesOf(g) {
				made = a.d.Created(n)
			}
		case method{"java/nio/file/Files", "provider"}:
			for _, n := range a.d.NodesOf(g) {
				found = a.d.PointsTo(a.returnOf(n))
			}
		}
	}
	count := 0
	for range found.All() {
		count++
	}
	return count == 1 && len(common(made, found).Blocks) == 1
}

// calledOnlyBy tells whether a node is no entry, and all calls of it are in some methods.
func (a *Analysis) calledOnlyBy(g callgraph.NodeID, callers []method) bool {
	if slices.Contains(a.g.Entries, g) {
		return false
	}
	for _, set := range a.g.SetsWith(g) {
		for _, site := range a.g.SitesOfSet(set) {
			if !slices.Contains(callers, a.methodOf(a.g.NodeOfSite(site))) {
				return false
			}
		}
	}
	return true
}

// methodOf names the method of a node of the call graph; nothing where it is synthetic.
func (a *Analysis) methodOf(g callgraph.NodeID) (out method) {
	if m := a.g.Method(g); m != nil && a.g.Nodes[g].Method != hierarchy.NoMethod {
		out = method{a.g.Class(g), m.Name}
	}
	return out
}

// ofJDKOnly tells whether all that a node calls on objects of its own class are methods of the JDK,
// and all that those of the class itself call so: the constructor of a ServerSocket calls bind,
// which calls isBound.
func (a *Analysis) ofJDKOnly(g callgraph.NodeID, seen map[callgraph.NodeID]bool) bool {
	if seen[g] || a.g.Method(g) == nil {
		return true
	}
	seen[g] = true
	calls := a.g.Method(g).Calls
	for i := a.g.Nodes[g].First; i < a.g.Nodes[g].End; i++ {
		s := &a.g.Sites[i]
		if s.Origin != callgraph.FromCalls || s.Set == callgraph.NoSet || int(s.Index) >= len(calls) ||
			calls[s.Index].Owner != a.g.Class(g) {
			continue
		}
		if slices.ContainsFunc(a.g.Targets(s.Set), func(c callgraph.NodeID) bool {
			return a.g.Nodes[c].Method != hierarchy.NoMethod &&
				(!natives.OfJDK(a.g.Class(c)) || a.g.Class(c) == a.g.Class(g) && !a.ofJDKOnly(c, seen))
		}) {
			return false
		}
	}
	return true
}

// findCircumstances notes which circumstances are followed in the program, and which nodes ask for
// one.
func (a *Analysis) findCircumstances() {
	a.followed = a.followed[:0]
	for i := range circumstances {
		if c := &circumstances[i]; c.holds == nil || c.holds(a) {
			a.followed = append(a.followed, c)
		}
	}
	for g := range callgraph.NodeID(a.g.NumNodes()) {
		of := a.methodOf(g)
		for _, c := range a.followed {
			if c.param != everywhere && slices.Contains(c.keepers, of) {
				a.asked[g] |= 1 << c.param
			}
		}
	}
}

// findCircumstances lets the arcs of a node pass the circumstances that hold there, and notes the
// calls that are not made in these.
func (n *node) findCircumstances(a *Analysis, g callgraph.NodeID) {
	of := a.methodOf(g)
	for _, c := range a.followed {
		maker, keeper := slices.Contains(c.makers, of) || c.makes != nil && c.makes(of),
			slices.Contains(c.keepers, of)
		if !maker && !keeper || !a.ofJDKOnly(g, map[callgraph.NodeID]bool{}) {
			continue
		}
		calls := a.g.Method(g).Calls
		for i := range n.groups {
			in := &n.groups[i]
			s := &a.g.Sites[in.site]
			if s.Origin != callgraph.FromCalls || s.Kind != callgraph.Call {
				continue
			}
			for k := in.first; k < in.end; k++ {
				x := &n.arcs[k]
				to := a.methodOf(a.d.GraphNode(x.callee))
				if keeper && c.bars(of, to) {
					x.barred, in.barring = true, c.param
				}
				if c.param != everywhere && slices.Contains(c.keepers, to) && to.name == calls[s.Index].Name &&
					(!x.dispatched || x.passes) {
					n.pass(x, facts.PassedValue{Call: int(s.Index), Param: c.param, FromParam: !maker,
						Value: passedFrom(maker, c.param)})
				}
			}
		}
	}
}

// passedFrom is what is passed of a circumstance: that it holds, or the parameter of the caller's
// that tells.
func passedFrom(maker bool, param int) int64 {
	if maker {
		return 1
	}
	return int64(param)
}

// pass adds what an arc passes.
func (n *node) pass(x *arc, p facts.PassedValue) {
	own := slices.Clone(n.passed[x.values : x.values+int32(x.nvalues)])
	x.values = int32(len(n.passed))
	n.passed = append(append(n.passed, own...), p)
	x.nvalues++
}

// holds tells whether a circumstance holds in a frame.
func (s *frames) holds(x *frame, param int) bool {
	return param == everywhere || slices.Contains(s.knownOf(x), known{param, 1})
}
