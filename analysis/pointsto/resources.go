package pointsto

import (
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
)

// This file tells apart the streams that the JDK's class loaders open for a resource from those
// that a program opens of addresses: what reads from a resource would else read from the network,
// as both come out of URL.openStream. What an object keeps of such a stream (the reader that
// Properties.load makes) is told apart with it.
//
// The methods that open resources call URL.openStream and openConnection in a context of their own,
// in which the JDK's handlers of http, https, ftp and mailto open nothing, nor does that of files
// ask ftp: package features says why. That holds as long as no class loader is made but those of
// the JDK for the class path and its modules. Where one is, the calls that were left out are made
// from then on, so that the result is the same in whichever order methods are reached. It is done
// with Containers only: the other graphs tell no streams apart either.

// How a call is made in the context of resources.
const (
	anyCall      uint8 = iota // as all others are
	localCall                 // on no handler of the network
	unlikelyCall              // not at all
)

// resources is what the solver keeps of them.
type resources struct {
	ctx   int32   // the context, 0: none yet
	calls []int32 // calls that are not anyCall
	open  bool    // another class loader is made: each call is as any
}

// ofResource makes a call one of the context of resources, if it is: of openStream or
// openConnection, in that context or by a method that opens a resource.
func (v *visitor) ofResource(call int32, m hierarchy.MethodID) {
	s := v.solver
	name := s.H.Method(m).Name
	if s.policy != Containers || name != "openConnection" && name != "openStream" {
		return
	}
	r, in := &s.contexts.resources, &s.insts[v.Inst]
	within := r.ctx != 0 && in.ctx == r.ctx
	if !within && (!features.OpensResource(v.Class.Name, v.Method.Name) || !s.H.Present(features.JarLoader)) {
		return
	}
	if r.ctx == 0 {
		r.ctx = s.context(keyResource, 0)
	}
	c := &s.calls[call]
	switch url := s.H.Name(s.H.Owner(m)) == features.URLClass; {
	case url && v.Class.Name == features.FileHandler:
		c.local = unlikelyCall
	case url: // whose class is final
		c.fixed, c.ctx = true, r.ctx
		return
	default:
		c.local = localCall
	}
	r.calls = append(r.calls, call)
}

// leftOut tells whether a call in the context of resources is not made of a method.
func (s *solver) leftOut(c *flowCall, m hierarchy.MethodID) bool {
	if c.local == anyCall || s.contexts.resources.open {
		return false
	}
	return c.local == unlikelyCall || features.LeadsElsewhere(s.H.Name(s.H.Owner(m)))
}

// contextOfCall is the context in which a call that is dispatched on objects without a context
// analyses a method: of resources the handler of files, which may ask another one.
func (s *solver) contextOfCall(c *flowCall, m hierarchy.MethodID) int32 {
	if c.local == localCall && s.H.Name(s.H.Owner(m)) == features.FileHandler {
		return s.contexts.resources.ctx
	}
	return 0
}

// keyOfCall are the bits that tell apart where calls of one method lead on the same objects, beside
// the method and the objects.
func (s *solver) keyOfCall(c *flowCall) (key int64) {
	if c.foreign {
		key |= foreignCall
	}
	if c.local != anyCall {
		key |= int64(c.local) * localCalls
		if s.contexts.resources.open {
			key |= openCall
		}
	}
	return key
}

// opensResources notes that a method is reached which may make resources come from elsewhere than
// from files and jars: a constructor of another class loader, or a loader of jars that does not
// look at what a manifest names.
func (v *visitor) opensResources() {
	s := v.solver
	r := &s.contexts.resources
	if r.open || s.policy != Containers {
		return
	}
	loader := s.H.Lookup("java/lang/ClassLoader")
	if !features.TakesAddresses(v.Class.Name, v.Method) &&
		(v.Method.Name != "<init>" || loader == hierarchy.NoType || !s.H.IsSubtype(v.Type, loader) ||
			!features.OtherLoader(v.Class)) {
		return
	}
	r.open = true
	for _, k := range r.calls {
		s.callOnObjects(s.calls[k].recv, k)
	}
}
