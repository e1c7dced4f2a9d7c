package shortcircuit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/javasource"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file finds catches that take what steers a thread, as an interrupt or a cancellation does.
// No other exception means the same, so none is to be handled like it, whatever tests say.

// steering are exceptions by which a thread is told to end, with their subclasses (source form).
var steering = []string{"java.lang.InterruptedException", "java.util.concurrent.CancellationException",
	"java.nio.channels.ClosedByInterruptException", "java.nio.channels.FileLockInterruptionException",
	"java.lang.ThreadDeath"}

// interruptedIO is one of steering, but its subclass is not, which says that a time has passed.
const (
	interruptedIO = "java.io.InterruptedIOException"
	socketTimeout = "java.net.SocketTimeoutException"
)

// steeringName is what libraries call exceptions of this kind.
var steeringName = regexp.MustCompile(`(?i)(^|[a-z])(interrupted|interruption|cancell?ed|cancell?ation|shutdown)(exception|error)?$`)

// steers tells whether an exception steers a thread; source form.
func steers(snap *snapshot.Snapshot, class string) bool {
	if class == socketTimeout || snapshot.IsSubtype(snap, class, socketTimeout) {
		return false
	}
	simple := class[strings.LastIndexAny(class, ".$")+1:]
	return steeringName.MatchString(simple) || snapshot.IsSubtype(snap, class, interruptedIO) ||
		slices.ContainsFunc(steering, func(s string) bool { return snapshot.IsSubtype(snap, class, s) })
}

// whySteering is why a catch is not to take more, whatever its tests say: "" for most.
func whySteering(snap *snapshot.Snapshot, c *snapshot.Catch) string {
	for _, t := range c.Types {
		if steers(snap, t) {
			return fmt.Sprintf("the catch takes %s, by which a thread is told to end: no other exception means that", t)
		}
	}
	if c.Source == nil {
		return ""
	}
	for _, call := range callsWithin(snap, c, c.Source.Body) {
		if helper, does := interrupts(snap, call, map[*facts.Method]bool{}); does {
			if helper != "" {
				helper = " (" + helper + ")"
			}
			return "the clause interrupts a thread again" + helper +
				": it is for an interrupt, which no other exception is"
		}
	}
	return ""
}

// passingSteers is a steering exception that a call in the try declares and that no catch of the
// try takes, "" if there is none: a catch that takes more would end its way.
func passingSteers(snap *snapshot.Snapshot, c *snapshot.Catch) string {
	if c.Source == nil || c.Source.Try == nil {
		return ""
	}
	taken := append(siblingTypes(snap, c), c.Types...)
	for _, call := range callsWithin(snap, c, c.Source.Try.Body) {
		m := method(snap, call.Owner, call.Name, call.Desc)
		if m == nil {
			continue
		}
		for _, d := range m.Declared() {
			class := strings.ReplaceAll(d, "/", ".")
			if steers(snap, class) && !slices.ContainsFunc(taken,
				func(t string) bool { return snapshot.IsSubtype(snap, class, t) }) {
				return class
			}
		}
	}
	return ""
}

// callsWithin lists the calls in the lines of a part of a source, in the methods that have the
// handlers of a catch there. More stand in these lines where somebody writes a try in one.
func callsWithin(snap *snapshot.Snapshot, c *snapshot.Catch, part javasource.Span) (out []*facts.Call) {
	first, last := c.File.Source.Line(part.Start), c.File.Source.Line(part.End)
	for _, h := range c.Handlers {
		class := snap.Class(h.Class)
		if class == nil || h.Method >= len(class.Facts.Methods) {
			continue
		}
		m := &class.Facts.Methods[h.Method]
		for i := range m.Calls {
			if line := int(m.Calls[i].Line); first <= line && line <= last {
				out = append(out, &m.Calls[i])
			}
		}
	}
	return out
}

// interrupts tells whether a call interrupts a thread, and by which method if it is not
// Thread.interrupt itself. Methods of the workspace are followed, but for what they do when they
// are interrupted themselves; those of libraries where code of the workspace calls them; those of
// the JDK not: they interrupt threads of their own.
func interrupts(snap *snapshot.Snapshot, call *facts.Call, seen map[*facts.Method]bool) (helper string, does bool) {
	if call.Name == "interrupt" && call.Desc == "()V" &&
		snapshot.IsSubtype(snap, strings.ReplaceAll(call.Owner, "/", "."), "java.lang.Thread") {
		return "", true
	}
	if call.MemberRef == nil || call.Owner == "" || natives.OfJDK(call.Owner) {
		return "", false
	}
	for _, x := range implementations(snap, call) {
		if seen[x.m] {
			continue
		}
		seen[x.m] = true
		for i := range x.m.Calls {
			next := &x.m.Calls[i]
			if snap.Class(call.Owner) == nil && next.Name != "interrupt" || x.handles(snap, int(next.Line)) {
				continue
			}
			if _, does := interrupts(snap, next, seen); does {
				return simpleMethod(call), true
			}
		}
	}
	return "", false
}

func simpleMethod(call *facts.Call) string {
	return call.Owner[strings.LastIndexAny(call.Owner, "/$")+1:] + "." + call.Name
}

// implementation is a method with the internal name of its class, as far as a call names it.
type implementation struct {
	class string
	m     *facts.Method
}

// handles tells whether a line of the method is in a clause that takes what steers a thread.
func (x implementation) handles(snap *snapshot.Snapshot, line int) bool {
	class := snap.Class(x.class)
	if class == nil || class.File == nil {
		return false
	}
	return slices.ContainsFunc(class.File.Catches, func(c *snapshot.Catch) bool {
		body := c.Source.Body
		return c.File.Source.Line(body.Start) <= line && line <= c.File.Source.Line(body.End) &&
			slices.ContainsFunc(c.Types, func(t string) bool { return steers(snap, t) })
	})
}

// implementations are the methods that a call may run: the one that it names and, in the workspace,
// those that override it.
func implementations(snap *snapshot.Snapshot, call *facts.Call) (out []implementation) {
	if m := method(snap, call.Owner, call.Name, call.Desc); m != nil {
		out = append(out, implementation{call.Owner, m})
	}
	if call.Kind == facts.Static || call.Kind == facts.Special {
		return out
	}
	for _, c := range snap.Classes() {
		if c.Name != call.Owner && !snap.Extends(c.Name, call.Owner) {
			continue
		}
		for i := range c.Facts.Methods {
			if m := &c.Facts.Methods[i]; m.Name == call.Name && m.Desc == call.Desc &&
				!slices.Contains(out, implementation{call.Owner, m}) {
				out = append(out, implementation{c.Name, m})
			}
		}
	}
	return out
}

// method finds the method that a reference names, in its class or above; nil if it is not known.
func method(snap *snapshot.Snapshot, class, name, desc string) *facts.Method {
	work := []string{class}
	for i := 0; i < len(work) && i < snapshot.MaxSuperclasses; i++ {
		f, ok := snap.Facts(work[i])
		if !ok {
			continue
		}
		for k := range f.Methods {
			if m := &f.Methods[k]; m.Name == name && m.Desc == desc {
				return m
			}
		}
		if f.Super != "" {
			work = append(work, f.Super)
		}
		work = append(work, f.Interfaces...)
	}
	return nil
}
