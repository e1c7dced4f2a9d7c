package build

import (
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/features/natives"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/settings"
	"github.com/catchlens/catchlens/analysis/workspace"
	"github.com/catchlens/catchlens/internal/bounded"
)

// This file tells which of the JDK's settings (package settings) a workspace may set. The
// others are taken to be what they are where nobody sets them.

// optionVariables are what a JVM reads options from.
var optionVariables = []string{"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"}

// settings are the properties that the workspace may set, and those that libraries set
// (askedByLibraries).
func (s *builder) settings() settings.Set {
	own := s.ownSettings()
	return settings.SetOf(func(p string) bool { return own(p) || s.made.libs.asked[p] })
}

// ownSettings tells which properties the workspace may set: in the test settings of a module, its
// own environment, the JDK's configuration, or by code of its classes that passes the name to some
// method other than System.getProperty, or names the class that stands for it, or sets a security
// manager.
func (s *builder) ownSettings() func(property string) bool {
	var options []string
	properties, modules := map[string]bool{}, false
	for _, m := range s.Workspace.Modules {
		modules = modules || describesModule(m)
		options = append(options, m.Test.JVMArgs...)
		for _, v := range optionVariables {
			options = append(options, strings.Fields(m.Test.Environment[v])...)
		}
		for p := range m.Test.SystemProperties {
			properties[p] = true
		}
	}
	for _, v := range optionVariables {
		options = append(options, strings.Fields(os.Getenv(v))...)
	}
	if jdk := s.made.libs.jdk; jdk != nil {
		options = append(options, netProperties(jdk.Home)...)
		if configuresToken(jdk.Home) {
			options = append(options, "-D"+securityProperties)
		}
	}
	asked := s.asked()
	return func(p string) bool {
		return p == preferIPv4 && !hasIPv6() || p == socksHost && runtime.GOOS != "linux" ||
			p == modulePath && modules || properties[p] || asked[p] ||
			slices.ContainsFunc(options, func(o string) bool { return maySet(o, p) })
	}
}

// securityManager is the property without which the JDK has no security manager until code sets
// one.
const securityManager = "java.security.manager"

// securityProperties is the property that names further settings of security providers. Without it,
// and without code that configures a provider, cryptographic tokens (PKCS #11) are what the JDK's
// own settings make them.
const securityProperties = "java.security.properties"

// preferIPv4 is the property without which the JDK uses IPv6 where the machine has it.
const preferIPv4 = "java.net.preferIPv4Stack"

// socksHost is the property without which no connection leads over a SOCKS proxy. JVMs of macOS set
// it from the system's settings.
const socksHost = "socksProxyHost"

// modulePath is the property without which no module of a JVM is a folder: options set it.
const modulePath = "jdk.module.path"

// moduleOptions begin options of the JVM that make folders modules, or parts of some.
var moduleOptions = []string{"-p", "--module-path", "--upgrade-module-path", "--patch-module"}

// describesModule tells whether a module of the workspace may run as a Java module: there is a
// module-info of its main code or of its tests.
func describesModule(m *workspace.Module) bool {
	return m.HasModuleInfo || workspace.HasModuleInfo(m.TestSources) ||
		slices.ContainsFunc(slices.Concat(m.MainOutputs, m.TestOutputs), func(out string) bool {
			_, err := os.Stat(filepath.Join(out, "module-info.class"))
			return err == nil
		})
}

// hasIPv6 tells whether JVMs on this machine find IPv6 there (net_util_md.c, IPv6_supported: a
// socket can be made, and /proc/net/if_inet6 lists an interface). Elsewhere than on Linux it is not
// known, which counts as no.
func hasIPv6() bool {
	if runtime.GOOS != "linux" {
		return false
	}
	interfaces, err := os.ReadFile("/proc/net/if_inet6")
	if err != nil || len(interfaces) == 0 {
		return false
	}
	fd, err := syscall.Socket(syscall.AF_INET6, syscall.SOCK_STREAM, 0)
	if err != nil {
		return false
	}
	syscall.Close(fd)
	return true
}

// maySet tells whether an option of the JVM may set a property: a -D, or one that names a
// file of options.
func maySet(option, property string) bool {
	option = strings.Trim(option, `"'`)
	if strings.HasPrefix(option, "@") || strings.HasPrefix(option, "-XX:Flags=") ||
		strings.HasPrefix(option, "-XX:VMOptionsFile=") {
		return true
	}
	if name, _, _ := strings.Cut(option, "="); property == modulePath && slices.Contains(moduleOptions, name) {
		return true
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(option, "-D"), "=")
	return strings.HasPrefix(option, "-D") && strings.Trim(name, `"'`) == property
}

// netProperties are the settings of the JDK's network configuration, as options. The default
// is none that is of interest here: it has that of useSystemProxies, which is off.
func netProperties(home string) (out []string) {
	for _, dir := range []string{"conf", "lib", filepath.Join("jre", "lib")} {
		data, err := bounded.Read(filepath.Join(home, dir, "net.properties"), bounded.Text)
		if err != nil {
			continue // of another version of the JDK
		}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			if end := strings.IndexAny(line, "=: \t"); line != "" && line[0] != '#' && line[0] != '!' &&
				line != "java.net.useSystemProxies=false" {
				if end < 0 {
					end = len(line)
				}
				out = append(out, "-D"+line[:end])
			}
		}
	}
	return out
}

// token matches a provider of tokens with an argument, or, from JDK 24 on, the name of another
// file, which may have one.
var token = regexp.MustCompile(`(?m)^[ \t]*include[ \t]+\S|^[^#\n]*provider\.\d+\s*[=:]\s*(?:SunPKCS11|sun\.security\.pkcs11\.SunPKCS11)[ \t]+\S`)

// configuresToken tells whether the security settings of a JDK have a token, as those of some
// systems do.
func configuresToken(home string) bool {
	for _, dir := range []string{"conf", "lib", filepath.Join("jre", "lib")} {
		if data, err := bounded.Read(filepath.Join(home, dir, "security", "java.security"), bounded.Text); err == nil &&
			token.Match(data) {
			return true
		}
	}
	return false
}

// setsByCall is the property of a setting for which a call stands, or a method reference, or the
// name of its method given to a look-up; "" if it stands for none.
func setsByCall(c *facts.Call) string {
	owner, name, desc := c.Owner, c.Name, c.Desc
	if c.Indy() != nil {
		owner, name, desc = c.Indy().Impl.Owner, c.Indy().Impl.Name, c.Indy().Impl.Desc
	}
	switch named := lookedUp(c); {
	case owner == "java/lang/System" && name == "setSecurityManager" || named == "setSecurityManager":
		return securityManager
	case name == "configure" && desc == "(Ljava/lang/String;)Ljava/security/Provider;" || named == "configure":
		return securityProperties
	case asksForFileSystem(owner, name, desc) || slices.Contains(fileSystemNames, named):
		return fileSystems
	}
	return ""
}

// fileSystems stands for the file systems beside the default one.
const fileSystems = settings.ClassSetting + "java/nio/file/spi/FileSystemProvider"

// fileSystemNames are the names of methods that may give another file system than the default
// one, or a path of one.
var fileSystemNames = []string{"get", "of", "newFileSystem", "getFileSystem", "installedProviders"}

// asksForFileSystem tells whether a method may give another file system than the default one, or a
// path of one: it is given an address or the name of one, or lists their providers.
func asksForFileSystem(owner, name, desc string) bool {
	switch owner {
	case "java/nio/file/Path", "java/nio/file/Paths":
		return (name == "of" || name == "get") && strings.HasPrefix(desc, "(Ljava/net/URI;)")
	case "java/nio/file/FileSystems":
		return name == "newFileSystem" || name == "getFileSystem"
	case "java/nio/file/spi/FileSystemProvider":
		return name == "installedProviders"
	}
	return false
}

// filesOnly are the classes of the JDK that call such methods on behalf of others, which count
// themselves, or only with addresses of files.
var filesOnly = []string{"java/nio/file/Path", "java/nio/file/Paths", "java/nio/file/FileSystems",
	"jdk/internal/loader/BootLoader", "jdk/internal/module/ModulePath", "jdk/internal/module/ModuleBootstrap",
	"java/security/Security", "jdk/internal/jrtfs/SystemImage", "jdk/nio/zipfs/ZipFileSystemProvider"}

// jdkAsks tells whether code of a class of the JDK asks for another file system than the default
// one, as the compiler does.
func jdkAsks(class string, m *facts.Method) bool {
	outer, _, _ := strings.Cut(class, "$")
	return !slices.Contains(filesOnly, outer) && slices.ContainsFunc(m.Calls, func(c facts.Call) bool {
		return setsByCall(&c) == fileSystems && lookedUp(&c) == ""
	})
}

// lookedUp is the constant name of a method that a call of reflection or of method handles looks
// up.
func lookedUp(c *facts.Call) string {
	if c.Owner == "java/lang/Class" || c.Owner == "java/lang/invoke/MethodHandles$Lookup" {
		name, _ := features.StringConstant(c)
		return name
	}
	return ""
}

// asked are the properties of settings that code of the workspace passes the names of to
// methods other than System.getProperty, those that stand for classes that it names, and that of
// the security manager where it sets one or of tokens where it configures a provider.
func (s *builder) asked() map[string]bool {
	out := map[string]bool{}
	classes := map[string]string{} // by name as code and as strings have it: property
	for p := range askers() {
		out[p] = false
		noteClass(p, classes)
	}
	for _, c := range s.Program.Classes {
		note := func(name string) {
			if p, ok := classes[name]; ok {
				out[p] = true
			}
		}
		for _, n := range c.Facts.FlowNames {
			note(n)
		}
		for i := range c.Facts.Methods {
			for _, call := range c.Facts.Methods[i].Calls {
				note(call.Owner)
				if p := setsByCall(&call); p != "" {
					out[p] = true
				}
				for _, a := range call.Args() {
					note(a.Value)
					if _, known := out[a.Value]; known && a.Kind == facts.StringConst &&
						!(call.Owner == "java/lang/System" && call.Name == "getProperty") {
						out[a.Value] = true
					}
				}
			}
		}
	}
	return out
}

// askedByLibraries are the properties that code of libraries sets which the call graph reaches: by
// System.setProperty or into Properties, by naming the class that stands for one, or by setting a
// security manager; and the file systems that code of the JDK asks for. That a library passes the
// name to something else is not taken for more than a question, as most have methods of their own
// for those. What the workspace may set itself is none of them: it makes no other graph.
func (s *builder) askedByLibraries() map[string]bool {
	out := map[string]bool{}
	known, classes := map[string]bool{}, map[string]string{}
	for p := range askers() {
		known[p] = true
		noteClass(p, classes)
	}
	g := s.Program.Graph
	for t := range hierarchy.TypeID(g.H.NumTypes()) {
		class := g.H.Facts(t)
		if class == nil || s.Program.ByName[class.Name] != nil {
			continue
		}
		reached, ofJDK := false, natives.OfJDK(class.Name)
		for i := range class.Methods {
			if g.NodeOf(g.H.MethodAt(t, i)) == callgraph.NoNode {
				continue
			}
			if ofJDK {
				if jdkAsks(class.Name, &class.Methods[i]) {
					out[fileSystems] = true
				}
				continue
			}
			reached = true
			for k := range class.Methods[i].Calls {
				noteSet(&class.Methods[i].Calls[k], known, classes, out)
			}
		}
		for _, name := range class.FlowNames {
			if p, ok := classes[name]; ok && reached {
				out[p] = true
			}
		}
	}
	if len(out) > 0 {
		own := s.ownSettings()
		maps.DeleteFunc(out, func(p string, _ bool) bool { return own(p) })
	}
	return out
}

// askers are all properties, and classes that stand for one, that ask for another value of a
// setting.
func askers() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range settings.Table {
			for _, p := range settings.Table[i].Askers() {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// noteClass notes the class that asks for another value, if an asker is one, by its name as code
// and as strings have it.
func noteClass(asker string, classes map[string]string) {
	if class, ok := strings.CutPrefix(asker, settings.ClassSetting); ok {
		classes[class], classes[strings.ReplaceAll(class, "/", ".")] = asker, asker
	}
}

// noteSet notes which of the known properties a call of a library sets. classes has the
// properties that classes stand for.
func noteSet(c *facts.Call, known map[string]bool, classes map[string]string, out map[string]bool) {
	if p, ok := classes[c.Owner]; ok {
		out[p] = true
	}
	sets := c.Owner == "java/lang/System" && c.Name == "setProperty" ||
		c.Owner == "java/util/Properties" && (c.Name == "setProperty" || c.Name == "put")
	if p := setsByCall(c); p != "" {
		out[p] = true
	}
	for _, a := range c.Args() {
		if p, ok := classes[a.Value]; ok {
			out[p] = true
		}
		if sets && a.Kind == facts.StringConst && known[a.Value] {
			out[a.Value] = true
		}
	}
}

// readSettings reads classes anew where settings are not what they were taken to be.
func (s *builder) readSettings() {
	libs := s.made.libs
	set := s.settings()
	if set == libs.options.Set {
		return
	}
	libs.options.Set = set
	libs.provider.Close()
	libs.open()
	s.Program.Classes = nil
	s.readClasses(libs)
}
