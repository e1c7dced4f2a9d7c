package features

import (
	"slices"
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/internal/classname"
)

// This file finds the classes of the JDK that java.security.Provider.Service makes: the
// engines behind MessageDigest.getInstance, Cipher.getInstance, KeyStore.getInstance and
// their like (Java Security Standard Algorithm Names; how to implement a provider: Java
// Cryptography Architecture Reference Guide).
//
// The JDK's providers list them in calls with constants: a kind of engine, an algorithm and
// the class. A getInstance of an engine class is taken to make those of its kind, and where
// the algorithm is a constant that is listed, those of the algorithm only.

// securityProviders are the classes of the JDK that list services in calls with
// constants. Providers that make their services with new (SunPKCS11, JdkLDAP) need none;
// those of SASL, Kerberos and smart cards are asked by other methods than getInstance.
var securityProviders = []string{
	"sun/security/provider/SunEntries",
	"sun/security/rsa/SunRsaSignEntries",
	"sun/security/ec/SunEC", "sun/security/ec/SunECEntries", // the latter in JDK 8
	"com/sun/crypto/provider/SunJCE",
	"sun/security/ssl/SunJSSE",
}

// computedServices are services whose class the JDK puts together: SunEntries, by the
// property jdk.security.legacyDSAKeyPairGenerator.
var computedServices = []SecurityService{
	{"KeyPairGenerator", "DSA", "sun/security/provider/DSAKeyPairGenerator$Current"},
	{"KeyPairGenerator", "DSA", "sun/security/provider/DSAKeyPairGenerator$Legacy"},
}

// SecurityService is one service of a security provider.
type SecurityService struct {
	Engine    string // such as MessageDigest
	Algorithm string // in the provider's spelling
	Class     string // internal name
}

// SecurityServices are the services that the JDK's providers list and whose classes
// are there.
func SecurityServices(h *hierarchy.Hierarchy) (out []SecurityService) {
	for _, p := range securityProviders {
		if !h.Present(p) {
			continue
		}
		class := h.Facts(h.Load(p, ""))
		for i := 0; class != nil && i < len(class.Methods); i++ {
			m := &class.Methods[i]
			for k := range m.Calls {
				if s, ok := listedService(h, &m.Calls[k]); ok {
					out = append(out, s)
				}
			}
		}
	}
	for _, s := range computedServices {
		if h.Present(s.Class) {
			out = append(out, s)
		}
	}
	return out
}

// listedService reads the constants of a call that lists a service: engine, algorithm and
// class, or, as a provider's property, "engine.algorithm" and class.
func listedService(h *hierarchy.Hierarchy, c *facts.Call) (s SecurityService, ok bool) {
	var words []string
	for i := range c.Args() {
		if a := &c.Args()[i]; a.Kind == facts.StringConst {
			words = append(words, a.Value)
			if !namesClass(a) {
				continue
			}
			if s.Class = strings.ReplaceAll(a.Value, ".", "/"); h.Present(s.Class) {
				break
			}
			s.Class = ""
		}
	}
	switch {
	case s.Class == "" || len(words) < 2:
		return s, false
	case len(words) == 2:
		s.Engine, s.Algorithm, ok = strings.Cut(words[0], ".")
		return s, ok
	}
	s.Engine, s.Algorithm = words[len(words)-3], words[len(words)-2]
	return s, true
}

// tlsPackage begins the names of the classes of TLS, whose defaults ask for services.
const tlsPackage = "javax/net/ssl/"

// enginePackages begin the names of the classes whose getInstance asks for services.
var enginePackages = []string{"java/security/", "javax/crypto/", tlsPackage}

// AsksForService is the engine for which a call asks the security providers; "" where it
// does not.
func AsksForService(c *facts.Call) string {
	if asksForRandom(c) {
		return secureRandom
	}
	if c.Name != "getInstance" || c.Kind != facts.Static {
		return ""
	}
	for _, p := range enginePackages {
		if strings.HasPrefix(c.Owner, p) {
			return c.Owner[strings.LastIndexByte(c.Owner, '/')+1:]
		}
	}
	return ""
}

// secureRandom is the engine whose constructors ask for a service, too.
const secureRandom = "SecureRandom"

// defaultRandoms are the algorithms that they take, the first that there is
// (java.security.SecureRandom.getDefaultPRNG and Provider.getDefaultSecureRandomService; NativePRNG
// wherever there is a /dev/random).
var defaultRandoms = []string{"NativePRNG", "Windows-PRNG", "DRBG", "SHA1PRNG"}

// asksForRandom tells whether a call is that of a constructor of SecureRandom without an engine.
func asksForRandom(c *facts.Call) bool {
	return c.Owner == "java/security/SecureRandom" && c.Name == "<init>" && (c.Desc == "()V" || c.Desc == "([B)V")
}

// SecurityServices are the classes of the JDK that a call in a class asks the security providers
// for. What the JDK asks for on its own behalf is left out, as each program would have it (jars are
// verified by signatures), except what the code of the services asks for, TLS by default, for
// addresses of https, and random numbers: for names of temporary files and UUIDs.
func (f *NameFlow) SecurityServices(class string, c *facts.Call) (out []string) {
	engine := AsksForService(c)
	if engine == "" {
		return nil
	}
	if f.services == nil {
		f.services = map[string][]SecurityService{}
		f.engines = map[string]bool{}
		for _, s := range SecurityServices(f.h) {
			f.services[s.Engine] = append(f.services[s.Engine], s)
			for _, t := range f.h.Superclasses(f.h.Load(s.Class, "")) {
				if name := f.h.Name(t); !strings.HasPrefix(name, "java") {
					// not the Spi class that all extend, nor Object
					f.engines[classname.Outermost(name)] = true
				}
			}
		}
	}
	if asksForRandom(c) {
		for _, algorithm := range defaultRandoms {
			for _, s := range f.services[engine] {
				if s.does(algorithm) {
					return []string{s.Class}
				}
			}
		}
		return nil
	}
	if natives.OfJDK(class) && !f.engines[classname.Outermost(class)] && !strings.HasPrefix(class, tlsPackage) {
		return nil
	}
	algorithm, constant := StringConstant(c)
	for _, s := range f.services[engine] {
		if constant && s.does(algorithm) {
			out = append(out, s.Class)
		}
	}
	if out == nil { // another name of an algorithm, or an unknown one
		for _, s := range f.services[engine] {
			out = append(out, s.Class)
		}
	}
	return out
}

// EnginesArePlain tells whether Provider.Service makes objects by Class.newInstance, as it does
// in JDK 8, and not by constructors: others call that, too.
func EnginesArePlain(h *hierarchy.Hierarchy) bool {
	class := h.Facts(h.Load(providerService, ""))
	for i := 0; class != nil && i < len(class.Methods); i++ {
		if slices.ContainsFunc(class.Methods[i].Calls,
			func(c facts.Call) bool { return c.Owner == "java/lang/Class" && c.Name == "newInstance" }) {
			return true
		}
	}
	return false
}

// does tells whether a service may be the one for an algorithm, or for a transformation as
// javax.crypto.Cipher splits it: algorithm, mode and padding.
func (s *SecurityService) does(algorithm string) bool {
	if strings.EqualFold(s.Algorithm, algorithm) {
		return true
	}
	parts := strings.Split(algorithm, "/")
	return s.Engine == "Cipher" && len(parts) == 3 &&
		(strings.EqualFold(s.Algorithm, parts[0]) || strings.EqualFold(s.Algorithm, parts[0]+"/"+parts[1]) ||
			strings.EqualFold(s.Algorithm, parts[0]+"//"+parts[2]))
}
