package features

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
)

// This file says what opens a resource that one of the JDK's class loaders has found, and what may
// make resources come from other machines.
//
// What the JDK's own class loaders open as a resource is a file, or an entry of a jar or of the
// JDK's image, of this machine: they make addresses of files of the elements of a class path
// (URLClassPath.toFileURL), and so they do of what a jar's manifest names
// (JarLoader.tryResolveFile). So the handlers of http, https, ftp and mailto open none of them, nor
// does that of files ask ftp. That holds as long as no other class loader is made
// (OtherLoader), and the loader of jars takes only files from manifests (TakesAddresses; of the
// JDKs that are known, as long as jdk.net.URLClassPath.disableClassPathURLCheck is not set).

// FileHandler is the JDK's handler of addresses of files, which asks that of ftp where the address
// names another host. JarLoader is the loader that reads manifests.
const (
	FileHandler = "sun/net/www/protocol/file/Handler"
	JarLoader   = "jdk/internal/loader/URLClassPath$JarLoader"
)

// networkHandlers are the JDK's handlers of URLs that lead to other machines.
var networkHandlers = []string{"sun/net/www/protocol/http/Handler", "sun/net/www/protocol/https/Handler",
	"sun/net/www/protocol/ftp/Handler", "sun/net/www/protocol/mailto/Handler"}

// LeadsElsewhere tells whether a class is one of the JDK's handlers of addresses that lead to other
// machines.
func LeadsElsewhere(class string) bool { return slices.Contains(networkHandlers, class) }

// OpensResource tells whether a method opens a resource that a class loader has found.
func OpensResource(class, method string) bool {
	switch class {
	case "java/lang/Class":
		return method == "getResourceAsStream"
	case "java/lang/ClassLoader":
		return method == "getResourceAsStream" || method == "getSystemResourceAsStream"
	case "jdk/internal/loader/BuiltinClassLoader":
		return method == "findResourceAsStream"
	}
	return false
}

// plainLoaders are the classes of which the JDK's own class loaders are, and those of loaders that
// find no resources of their own.
var plainLoaders = []string{"java/security/SecureClassLoader", "jdk/internal/loader/BuiltinClassLoader",
	"jdk/internal/reflect/DelegatingClassLoader", "sun/reflect/misc/MethodUtil"}

// OtherLoader tells whether a class of class loaders may find resources elsewhere than on the class
// path and in the JDK's modules, once an object of it is made.
func OtherLoader(c *facts.Class) bool {
	return c.Access&classfile.AccAbstract == 0 && !slices.Contains(plainLoaders, c.Name) &&
		!strings.HasPrefix(c.Name, "jdk/internal/loader/ClassLoaders$")
}

// TakesAddresses tells whether a method of a class is the one that reads a manifest's class path,
// and makes addresses of it that need not be files'.
func TakesAddresses(class string, m *facts.Method) bool {
	return class == JarLoader && m.Name == "parseClassPath" &&
		slices.ContainsFunc(m.Calls, func(c facts.Call) bool { return c.Owner == URLClass })
}
