package snapshot

import (
	"slices"
	"strings"
	"sync"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/misuse"
)

// This file tells which links only the misuse of an object makes happen, such as its use after it
// was closed.

// misuses is what was found out about that, when first asked for.
type misuses struct {
	mu      sync.Mutex
	byClass map[string]misuse.Checks
}

// checksOf has the misuse checks of classes by the digest of their class file: those of libraries
// and of the JDK are the same in all snapshots of a process.
var checksOf sync.Map

// Misuse says in words what misuse of an object a link needs; "" where it needs none, as far as is
// known. That is said of throws of libraries. Of objects that other threads may close while they
// are in use, such as sockets and channels, it is not said of what being closed makes happen.
func (s *Snapshot) Misuse(l *Link) string {
	if !s.HasCallGraph() || l.Own || l.Site.Kind != "explicit" {
		return ""
	}
	class := strings.ReplaceAll(l.Site.Class, ".", "/")
	m := &s.Program.misuses
	m.mu.Lock()
	defer m.mu.Unlock()
	checks, known := m.byClass[class]
	if !known {
		if m.byClass == nil {
			m.byClass = map[string]misuse.Checks{}
		}
		checks = s.misuseChecks(class)
		if s.isClosedByOthers(class) {
			checks = checks.WithoutClosed()
		}
		m.byClass[class] = checks
	}
	if len(checks) == 0 {
		return ""
	}
	return checks[misuse.Key{Method: l.Site.Method, PC: s.throwPC(class, l.Site)}].Why
}

// misuseChecks finds the misuse checks of a class. One that cannot be read has none.
func (s *Snapshot) misuseChecks(class string) misuse.Checks {
	f, ok := s.Facts(class)
	if !ok {
		return nil
	}
	if known, ok := checksOf.Load(f.Digest); ok {
		return known.(misuse.Checks)
	}
	read := func(name string) *classfile.Class {
		data, err := s.LibraryBytes(name)
		if err != nil {
			return nil
		}
		c, err := classfile.Parse(data)
		if err != nil {
			return nil
		}
		return c
	}
	c := read(class)
	if c == nil {
		return nil
	}
	host := c
	if name, err := c.NestHost(); err == nil && name != "" {
		host = read(name)
	}
	var nest []*classfile.Class
	if host != nil {
		members, _ := host.NestMembers() // of a damaged list nothing is read
		for _, name := range append([]string{host.Name()}, members...) {
			if other := read(name); name != class && other != nil {
				nest = append(nest, other)
			}
		}
	}
	checks := misuse.Of(c, nest)
	checksOf.Store(f.Digest, checks)
	return checks
}

// throwPC is where an explicit throw site stands in its method, -1 where it is not found.
func (s *Snapshot) throwPC(class string, site *Site) int32 {
	f, _ := s.Facts(class)
	i := methodIndex(f, site.Method)
	if i < 0 {
		return -1
	}
	for _, t := range f.Methods[i].Throws() {
		if int(t.Ordinal) == site.Ordinal {
			return t.PC
		}
	}
	return -1
}

// closedByOthers are the classes whose documentation lets another thread close an object that is in
// use: what was waited for fails then, and no use is a misuse.
var closedByOthers = [...]string{"java/nio/channels/Channel", "java/net/Socket", "java/net/ServerSocket",
	"java/net/DatagramSocket", "java/net/SocketImpl", "java/nio/file/WatchService"}

// isClosedByOthers tells whether a class is one of these, or below one. Of what is not known it is
// taken to be.
func (s *Snapshot) isClosedByOthers(class string) bool {
	h := s.Program.Graph.H
	t := h.Lookup(class)
	return t == hierarchy.NoType || slices.ContainsFunc(closedByOthers[:], func(name string) bool {
		super := h.Lookup(name)
		return super != hierarchy.NoType && h.IsSubtype(t, super)
	})
}
