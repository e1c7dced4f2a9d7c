package snapshot

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/exceptions"
	"github.com/catchlens/catchlens/analysis/faults"
	"github.com/catchlens/catchlens/analysis/features/natives"
)

// This file says from which native operations a link's exception may come, and whether a fault's
// exception can come along a link: f of paper 003 (2.3) counts no fault at a catch whose exceptions
// are none of it.

// Brings tells whether a fault of a kind that strikes a native operation may come along a link
// whose exception may come from there (FaultRoots): whether what the JDK makes of it is of the
// link's exception, as it arrives at the catch. What is not known may.
func Brings(snap *Snapshot, l *Link, r *faults.Root, k faults.Kind) bool {
	rep, ok := r.Report(k, 0)
	if !ok {
		return false
	}
	made := rep.Class
	if l.Site.Kind == "explicit" {
		class := strings.ReplaceAll(l.Site.Class, ".", "/")
		if made = faults.Translated(class, k, rep); made == "" && natives.OfJDK(class) &&
			!carriesFaults(snap, l.Exception) {
			return false
		}
	}
	if made == "" {
		return true
	}
	if _, known := snap.Facts(strings.ReplaceAll(made, ".", "/")); !known {
		return true
	}
	return IsSubtype(snap, made, l.Exception)
}

// What the JDK throws anew with a failure of the environment as its cause: exceptions of I/O and
// those that bring whatever was thrown. Others, such as a NoSuchAlgorithmException, say that what
// was asked for is not there: it has caught a failure of its own, as of a file of the JDK's, which
// no fault strikes.
var (
	bringsAny = []string{"java.io.UncheckedIOException", "java.nio.file.DirectoryIteratorException",
		"java.util.concurrent.ExecutionException",
		"java.util.concurrent.CompletionException", "java.lang.reflect.InvocationTargetException",
		"java.security.PrivilegedActionException",
		"java.util.prefs.BackingStoreException"}
	ofInput = []string{"java.net.MalformedURLException", "java.net.UnknownServiceException",
		"java.io.UnsupportedEncodingException",
		"java.nio.charset.CharacterCodingException"}
)

// carriesFaults tells whether an exception that code of the JDK throws anew may have a failure of
// the environment as its cause.
func carriesFaults(snap *Snapshot, exception string) bool {
	is := func(of string) bool { return IsSubtype(snap, exception, of) }
	return slices.ContainsFunc(bringsAny, is) || is("java.io.IOException") && !slices.ContainsFunc(ofInput, is)
}

// IsDeclared tells whether a link comes from a fault of the user's own.
func IsDeclared(l *Link) bool { return l.Site.Kind == exceptions.Declared.String() }

// FaultsMayReach tells whether some link of a catch comes from a native
// operation, from the JDK's code above one, or from a fault of the user's own.
func FaultsMayReach(c *Catch) bool {
	return slices.ContainsFunc(c.Links, func(l *Link) bool {
		return IsDeclared(l) || l.Site.Kind == "native" || l.Root != nil ||
			l.Site.Kind == "explicit" && natives.OfJDK(strings.ReplaceAll(l.Site.Class, ".", "/"))
	})
}

// Superclasses are the strict superclasses of a class, from the nearest; known tells
// whether the list goes up to Object. Names are in source form.
func Superclasses(snap *Snapshot, class string) (chain []string, known bool) {
	name := strings.ReplaceAll(class, ".", "/")
	for {
		f, ok := snap.Facts(name)
		if !ok || len(chain) > MaxSuperclasses {
			return chain, false
		}
		if name = f.Super; name == "" {
			return chain, true
		}
		chain = append(chain, strings.ReplaceAll(name, "/", "."))
	}
}

const MaxSuperclasses = 200 // hostile class files extend themselves

// IsSubtype tells whether a class is another, or a subclass of it; source form. What is
// not known is none.
func IsSubtype(snap *Snapshot, class, of string) bool {
	chain, _ := Superclasses(snap, class)
	return class == of || slices.Contains(chain, of)
}

// FaultRoots lists the native operations of the fault universe whose failure a link
// may come from; none if no fault of the universe makes it happen.
func FaultRoots(l *Link) []*faults.Root {
	if l.Site.Fault != "" {
		return nil
	}
	site := l.Site
	if l.Root != nil {
		site = l.Root
	}
	name, _, _ := strings.Cut(site.Method, "(")
	class := strings.ReplaceAll(site.Class, ".", "/")
	if site.Kind == "native" {
		return faults.Named(class, name)
	}
	return faults.Below(class, name)
}
