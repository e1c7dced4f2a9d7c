//go:build slow

package build

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/settings"
	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/testjdk"
)

const socketSource = `package p;
import java.io.IOException;
import java.net.Socket;
public class C {
    public static void main(String[] args) {
        try {
            new Socket(args[0], 80).getInputStream().read();
        } catch (IOException e) { System.out.println("caught"); }
    }
}
`

// from counts the links whose throw site is in a class.
func from(s *snapshot.Snapshot, class string) (n int) {
	for _, c := range s.Catches {
		for _, l := range c.Links {
			if l.Site.Class == class {
				n++
			}
		}
	}
	return n
}

// linkIDs lists all links.
func linkIDs(s *snapshot.Snapshot) (out []string) {
	for _, c := range s.Catches {
		for _, l := range c.Links {
			out = append(out, l.ID)
		}
	}
	return out
}

// What JDK 17 does with -Djdk.net.usePlainSocketImpl only is predicted where the workspace may
// set that, in whichever way, with a class analysis and with the most precise one.
func TestJDKSettings(t *testing.T) {
	compiled := map[string][]byte{}
	const option, property = "-Djdk.net.usePlainSocketImpl", "jdk.net.usePlainSocketImpl"
	sets := strings.Replace(socketSource, "        try {",
		"        System.setProperty(\"jdk.net.usePlainSocketImpl\", \"true\");\n        try {", 1)
	for _, x := range []struct {
		name, text string
		change     func(p *reuseProject)
		old        bool
	}{
		{"nobody", socketSource, func(*reuseProject) {}, false},
		{"another option", socketSource,
			func(p *reuseProject) { p.ws.Modules[0].Test.JVMArgs = []string{option + "2=true", "-Xmx100m"} },
			false},
		{"options", socketSource, func(p *reuseProject) {
			p.ws.Modules[0].Test.JVMArgs = []string{"-Xmx100m",
				option}
		},
			true},
		{"a file of options", socketSource,
			func(p *reuseProject) { p.ws.Modules[0].Test.JVMArgs = []string{"@options"} }, true},
		{"properties", socketSource, func(p *reuseProject) {
			p.ws.Modules[0].Test.SystemProperties = map[string]string{property: "true"}
		}, true},
		{"environment", socketSource, func(p *reuseProject) {
			p.ws.Modules[0].Test.Environment = map[string]string{"JDK_JAVA_OPTIONS": "-ea " + option + "=true"}
		}, true},
		{"code", sets, func(*reuseProject) {}, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			for _, graph := range []string{"rta", "obj-dr"} {
				if x.name != "nobody" && x.name != "options" && graph != "rta" {
					continue
				}
				p := newReuseProject(t, graph)
				p.compiled = compiled
				x.change(p)
				s := p.build(t, x.text, nil)
				if n := from(s, "java.net.PlainSocketImpl") +
					from(s, "java.net.AbstractPlainSocketImpl"); n > 0 != x.old {
					t.Errorf("%s: %d links from PlainSocketImpl", graph, n)
				}
				if from(s, "sun.nio.ch.NioSocketImpl") == 0 {
					t.Errorf("%s: no link from NioSocketImpl", graph)
				}
			}
		})
	}
}

// A library's code counts where the call graph reaches it, after an edit as from scratch.
func TestSettingsOfLibraries(t *testing.T) {
	const library = `package l;
public class Library {
    public static void sets() { System.setProperty("jdk.net.usePlainSocketImpl", "true"); }
    public static boolean asks() { return java.util.Objects.equals("jdk.net.usePlainSocketImpl", "x"); }
}
`
	p := newReuseProject(t, "pta")
	p.compiled = map[string][]byte{}
	source, folder := filepath.Join(p.dir, "Library.java"), filepath.Join(p.dir, "library")
	if err := os.WriteFile(source, []byte(library), 0o644); err != nil {
		t.Fatal(err)
	}
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, folder, source)
	p.ws.Modules[0].ClassPath = []string{folder}
	text := func(call string) string {
		return strings.Replace(socketSource, "        try {", "        l.Library."+call+"();\n        try {", 1)
	}
	var prev *snapshot.Snapshot
	for _, call := range []string{"asks", "sets", "asks", "sets"} {
		s := p.build(t, text(call), prev)
		if n := from(s, "java.net.PlainSocketImpl") +
			from(s, "java.net.AbstractPlainSocketImpl"); n > 0 != (call == "sets") {
			t.Errorf("%s: %d links from PlainSocketImpl", call, n)
		}
		if from(s, "sun.nio.ch.NioSocketImpl") == 0 {
			t.Errorf("%s: no link from NioSocketImpl", call)
		}
		prev = s
	}
	// Exceptions are followed once, whatever has to be found out; and what a snapshot tells saves
	// the next one the call graphs with which that is done, unless it is so no more.
	told := prev.LibrarySettings()
	if !slices.Equal(told, []string{"jdk.net.usePlainSocketImpl"}) {
		t.Fatalf("libraries set %q", told)
	}
	for _, x := range []struct {
		call   string
		told   []string
		graphs int
	}{{"sets", nil, 2}, {"sets", told, 1}, {"asks", told, 2}, {"asks", nil, 1}} {
		p.build(t, text(x.call), prev)
		graphs, flows := 0, 0
		s, err := Snapshot(t.Context(), p.ws, p.cfg,
			Options{Cache: p.cache, LibrarySettings: x.told, Progress: func(text string) {
				switch text {
				case "building the call graph":
					graphs++
				case "following exceptions":
					flows++
				}
			}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Wait()
		if n := from(s, "java.net.PlainSocketImpl"); n > 0 != (x.call == "sets") || graphs != x.graphs || flows != 1 {
			t.Errorf("%s, told %q: %d links from PlainSocketImpl, %d call graphs (want %d), exceptions followed "+
				"%d times", x.call, x.told, n, graphs, x.graphs, flows)
		}
	}
}

// Of the two implementations of addresses, only that for IPv6 is followed on machines that have it,
// unless somebody may ask for the other.
func TestPreferIPv4(t *testing.T) {
	source := strings.Replace(socketSource, "new Socket(args[0], 80).getInputStream().read();",
		"java.net.InetAddress.getByName(args[0]);", 1)
	compiled := map[string][]byte{}
	for option, four := range map[string]bool{"-Xmx100m": !hasIPv6(), "-Djava.net.preferIPv4Stack=true": true} {
		for _, graph := range []string{"pta", "obj-dr"} { // with rta one that is made for an address of its is enough
			p := newReuseProject(t, graph)
			p.compiled = compiled
			p.ws.Modules[0].Test.JVMArgs = []string{option}
			s := p.build(t, source, nil)
			if n := from(s, "java.net.Inet4AddressImpl"); n > 0 != four || from(s,
				"java.net.Inet6AddressImpl") == 0 {
				t.Errorf("%s, %s: %d links from Inet4AddressImpl, %d from Inet6AddressImpl", graph, option, n,
					from(s, "java.net.Inet6AddressImpl"))
			}
		}
	}
}

const channelSource = `package p;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
public class C {
    public static void main(String[] args) {
        try (FileChannel c = FileChannel.open(Path.of(args[0]), StandardOpenOption.READ)) {
            c.read(ByteBuffer.allocate(Integer.parseInt(System.getProperty("jdk.net.usePlainSocketImpl"))));
        } catch (IOException e) { System.out.println("caught"); }
    }
}
`

// What direct input and output throws is predicted where code names the class that asks for it, and
// only there; to read a property is not to set it. Closing a channel gives locks back where code
// takes some: else the channel's table of them is null.
func TestDirectChannels(t *testing.T) {
	direct := strings.Replace(channelSource, "StandardOpenOption.READ",
		"com.sun.nio.file.ExtendedOpenOption.DIRECT", 1)
	locked := strings.Replace(channelSource, "c.read(", "c.lock(); c.read(", 1)
	for _, text := range []string{channelSource, direct, locked} {
		p := newReuseProject(t, "obj-dr")
		p.compiled = map[string][]byte{}
		s := p.build(t, text, nil)
		if n := from(s, "sun.nio.ch.Util"); n > 0 != (text == direct) {
			t.Errorf("%d links from the checks of direct channels:\n%s", n, text)
		}
		if from(s, "sun.nio.ch.FileDispatcherImpl") == 0 {
			t.Error("no link from reading")
		}
		releases := slices.ContainsFunc(s.Catches, func(c *snapshot.Catch) bool {
			return slices.ContainsFunc(c.Links,
				func(l *snapshot.Link) bool { return strings.HasPrefix(l.Site.Method, "release0(") })
		})
		if releases != (text == locked) {
			t.Errorf("a link from giving locks back: %v:\n%s", releases, text)
		}
		if set := builderOf(s).made.libs.options.Set; set.Has("jdk.net.usePlainSocketImpl") ||
			set.Has("class:com/sun/nio/file/ExtendedOpenOption") != (text == direct) {
			t.Errorf("%q may be set", set)
		}
	}
}

const acceptSource = `package p;
import java.io.IOException;
import java.net.ServerSocket;
public class C {
    static void accept(ServerSocket s) {
        try {
            s.accept();
        } catch (IOException e) { System.out.println("caught"); }
    }
    public static void main(String[] args) throws IOException {
        accept(new ServerSocket(0));
    }
}
`

// A connection that was accepted is closed, which other threads might wait in, where code sets a
// security manager that may not let it in.
func TestSecurityManagers(t *testing.T) {
	sets := strings.Replace(acceptSource, "        accept(",
		"        System.setSecurityManager(new SecurityManager());\n        accept(", 1)
	for _, text := range []string{acceptSource, sets} {
		p := newReuseProject(t, "obj-dr")
		p.compiled = map[string][]byte{}
		s := p.build(t, text, nil)
		closes := slices.ContainsFunc(s.Catches, func(c *snapshot.Catch) bool {
			return slices.ContainsFunc(c.Links,
				func(l *snapshot.Link) bool { return strings.HasPrefix(l.Site.Method, "preClose0(") })
		})
		if closes != (text == sets) || from(s, "sun.nio.ch.Net") == 0 {
			t.Errorf("a link from closing: %v, %d from accepting:\n%s", closes, from(s, "sun.nio.ch.Net"), text)
		}
	}
}

// An edit that sets a property makes a snapshot as it would be from scratch, and so does the
// edit that takes it back.
func TestJDKSettingsEdited(t *testing.T) {
	compiled := map[string][]byte{}
	sets := strings.Replace(socketSource, "System.out.println(\"caught\")",
		"System.setProperty(\"jdk.net.usePlainSocketImpl\", \"\")", 1)
	for _, graph := range []string{"rta", "obj-dr"} {
		p := newReuseProject(t, graph)
		p.compiled = compiled
		var prev *snapshot.Snapshot
		for i, text := range []string{socketSource, sets, sets + "// more\n", socketSource} {
			s := p.build(t, text, prev)
			if again := p.build(t, text, nil); !slices.Equal(linkIDs(s), linkIDs(again)) {
				t.Errorf("%s, edit %d: %d links, from scratch %d", graph, i, len(linkIDs(s)), len(linkIDs(again)))
			}
			if n := from(s, "java.net.PlainSocketImpl"); n > 0 != (text != socketSource) {
				t.Errorf("%s, edit %d: %d links from PlainSocketImpl", graph, i, n)
			}
			prev = s
		}
	}
}

// The network configuration of a JDK counts, where it sets something.
func TestNetProperties(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "conf"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "# jdk.net.usePlainSocketImpl=true\n  com.sun.sdp.conf : x\na=b\nalone\n"
	if err := os.WriteFile(filepath.Join(home, "conf", "net.properties"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	options := netProperties(home)
	set := settings.SetOf(func(p string) bool {
		return slices.ContainsFunc(options, func(o string) bool { return maySet(o, p) })
	})
	if set != "com.sun.sdp.conf" || len(options) != 3 {
		t.Errorf("%q of %q", set, options)
	}
}

// The services of cryptographic tokens are there where somebody configures their provider, and else
// not.
func TestTokens(t *testing.T) {
	asks := strings.Replace(strings.Replace(socketSource, "new Socket(args[0], 80).getInputStream().read();",
		"java.security.KeyStore.getInstance(args[0]).load(null);", 1), "IOException e", "Exception e", 1)
	configures := strings.Replace(asks, "        try {",
		"        System.out.println(java.security.Security.getProvider(args[1]).configure(args[2]));\n        try {", 1)
	refers := strings.Replace(configures, "java.security.Security.getProvider(args[1]).configure(args[2])",
		"java.util.Optional.of(args[2]).map(java.security.Security.getProvider(args[1])::configure)", 1)
	looksUp := strings.Replace(configures, "java.security.Security.getProvider(args[1]).configure(args[2])",
		"lookUp()",
		1)
	looksUp = strings.Replace(strings.Replace(looksUp, "args) {", "args) throws Exception {", 1),
		"    public static void main", "    static Object lookUp() throws Exception { return "+
			"java.security.Provider.class.getMethod(\"configure\", "+
			"String.class).invoke(java.security.Security.getProvider(\"a\"), \"b\"); }\n    public static void main", 1)
	for _, x := range []struct {
		text, option string
		token        bool
	}{{refers, "-Xmx100m", true}, {looksUp, "-Xmx100m", true}, {asks, "-Xmx100m", false},
		{asks, "-Djava.security.properties=a", true}, {configures, "-Xmx100m", true}} {
		p := newReuseProject(t, "pta")
		p.compiled = map[string][]byte{}
		p.ws.Modules[0].Test.JVMArgs = []string{x.option}
		s := p.build(t, x.text, nil)
		if n := from(s, "sun.security.pkcs11.P11KeyStore"); n > 0 != x.token || from(s,
			"java.security.KeyStore") == 0 {
			t.Errorf("%s: %d links from tokens, %d from key stores:\n%s", x.option, n,
				from(s, "java.security.KeyStore"), x.text)
		}
	}
}

// The security settings of some systems configure a token.
func TestConfiguredTokens(t *testing.T) {
	for text, want := range map[string]bool{
		"security.provider.12=SunPKCS11\n":                                             false,
		"include ${java.home}/conf/security/fips.properties\n":                         true,
		"#include other\n":                                                             false,
		"#security.provider.12=SunPKCS11 nss.cfg\n":                                    false,
		"a=b\nfips.provider.1=SunPKCS11 ${java.home}/conf/security/nss.fips.cfg\n":     true,
		"security.provider.9=sun.security.pkcs11.SunPKCS11 ${java.home}/lib/nss.cfg\n": true,
	} {
		home := t.TempDir()
		if err := os.MkdirAll(filepath.Join(home, "conf", "security"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "conf", "security", "java.security"), []byte(text),
			0o600); err != nil {
			t.Fatal(err)
		}
		if got := configuresToken(home); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Hosts that a SOCKS proxy asks a password for are looked up where somebody may ask for such a
// proxy, and else not.
func TestSocksProxies(t *testing.T) {
	proxy := strings.Replace(socketSource, "        try {",
		"        System.out.println(java.net.Proxy.Type.valueOf(args[1]));\n        try {", 1)
	constant := strings.Replace(socketSource, "new Socket(args[0], 80)",
		"new Socket(new java.net.Proxy(java.net.Proxy.Type.SOCKS, "+
			"java.net.InetSocketAddress.createUnresolved(args[0], 80)))", 1)
	sets := strings.Replace(socketSource, "        try {",
		"        System.setProperty(\"socksProxyHost\", args[1]);\n        try {", 1)
	for _, x := range []struct {
		text, option string
		socks        bool
	}{
		{socketSource, "-Dhttp.proxyHost=localhost", runtime.GOOS != "linux"},
		{socketSource, "-DsocksProxyHost=localhost", true},
		{socketSource, "-Djava.net.useSystemProxies=true", true}, {sets, "-Xmx100m", true},
		{proxy, "-Xmx100m", true},
		{strings.Replace(constant, "getInputStream().read()", "connect(null)", 1), "-Xmx100m", true},
	} {
		p := newReuseProject(t, "pta")
		p.compiled = map[string][]byte{}
		p.ws.Modules[0].Test.JVMArgs = []string{x.option}
		s := p.build(t, x.text, nil)
		asks := false
		for _, c := range s.Catches {
			for _, l := range c.Links {
				asks = asks || l.Site.Class == "java.net.SocksSocketImpl" &&
					strings.HasPrefix(l.Site.Method, "readSocksReply(")
			}
		}
		if asks != x.socks || from(s, "sun.nio.ch.NioSocketImpl") == 0 {
			t.Errorf("%s: a link from a proxy's answer: %v, %d from connections:\n%s", x.option, asks,
				from(s, "sun.nio.ch.NioSocketImpl"), x.text)
		}
	}
}

const serverSource = `package p;
import java.io.IOException;
import java.net.ServerSocket;
public class C {
    static class Known extends ServerSocket {
        Known(int port) throws IOException { super(port); }
    }
    public static void main(String[] args) {
        try {
            new ServerSocket(8080);
        } catch (IOException e) { System.out.println("caught"); }
    }
}
`

// A constructor that closes the socket that it makes, or connects it in vain, signals no thread
// that waits in it: none knows it. One that everybody knows may have such threads, and so may one
// of a class whose own method the constructor calls.
func TestSocketsOfConstructors(t *testing.T) {
	known := strings.Replace(serverSource, "new ServerSocket(8080)", "new Known(8080)", 1)
	leaks := strings.Replace(known, "        Known(",
		"        public void bind(java.net.SocketAddress a, int n) throws IOException { new "+
			"Thread(this::isBound).start(); super.bind(a, n); }\n        Known(", 1)
	asked := strings.Replace(known, "        Known(",
		"        public boolean isBound() { new Thread(this::isClosed).start(); return super.isBound(); }\n       "+
			" Known(", 1)
	connects := strings.Replace(socketSource, ".getInputStream().read()", "", 1)
	later := strings.Replace(socketSource, "new Socket(args[0], 80).getInputStream().read()",
		"new Socket().connect(new java.net.InetSocketAddress(args[0], 80))", 1)
	closes := strings.Replace(socketSource, ".getInputStream().read()", ".close()", 1)
	for text, signals := range map[string]bool{serverSource: false, known: false, leaks: true, asked: true,
		connects: false, later: true, closes: true} {
		for _, feature := range []int{17, 25} {
			p := newReuseProject(t, "obj-dr")
			p.ws.Modules[0].JDKHome = testjdk.JDK(t, feature)
			p.compiled = map[string][]byte{}
			s := p.build(t, text, nil)
			found := slices.ContainsFunc(s.Catches, func(c *snapshot.Catch) bool {
				return slices.ContainsFunc(c.Links,
					func(l *snapshot.Link) bool { return strings.HasPrefix(l.Site.Method, "preClose0(") })
			})
			if n := len(linkIDs(s)); found != signals || n < 3 {
				t.Errorf("JDK %d: a link from signalling threads: %v, of %d links:\n%s", feature, found, n, text)
			}
		}
	}
}

const resourceSource = `package p;
import java.io.*;
import java.net.URL;
public class C {
    public static void main(String[] args) throws Exception {
        try (InputStream in = C.class.getResourceAsStream("a")) {
            in.read();
        } catch (IOException e) { System.out.println("caught"); }
        new URL(args[0]).openStream().read();
    }
}
`

// What opens a resource leads to no other machine, and below a channel to no module that is a
// folder, although the program opens addresses: unless it makes a class loader of its own, or
// options put other things on the class path or make modules. In JDK 25 what the JDK's module
// readers give is not told apart from other streams: network links stay there.
func TestResources(t *testing.T) {
	loads := strings.Replace(resourceSource, "new URL(args[0]).openStream().read()",
		"new java.net.URLClassLoader(new URL[] { new URL(args[0]) }).loadClass(args[1])", 1)
	own := strings.Replace(resourceSource, "        new URL",
		"        new ClassLoader() { }.loadClass(args[1]);\n        new URL", 1)
	for _, x := range []struct {
		text, option      string
		feature           int
		network, channels bool
	}{
		{resourceSource, "-Xmx100m", 17, false, false}, {resourceSource, "-Xmx100m", 25, true, false},
		{loads, "-Xmx100m", 17, true, false},
		{own, "-Xmx100m", 17, true, false},
		{resourceSource, "-Djdk.net.URLClassPath.disableClassPathURLCheck=true", 17, true, false},
		{resourceSource, "--module-path=mods", 17, false, true},
		{resourceSource, "--patch-module=java.base=x", 25, true, true},
	} {
		p := newReuseProject(t, "obj-dr")
		p.ws.Modules[0].JDKHome = testjdk.JDK(t, x.feature)
		p.ws.Modules[0].Test.JVMArgs = []string{x.option}
		p.compiled = map[string][]byte{}
		s := p.build(t, x.text, nil)
		network, channels := from(s, "sun.nio.ch.Net"), 0
		for _, l := range s.Catches[0].Links {
			if strings.HasPrefix(l.Site.Class, "sun.nio.ch.") && strings.HasPrefix(l.Site.Method, "read0(") {
				channels++
			}
		}
		if network > 0 != x.network || channels > 0 != x.channels || from(s, "java.io.FileInputStream") == 0 {
			t.Errorf("JDK %d, %s: %d links from the network, %d from channels, %d from files:\n%s", x.feature,
				x.option,
				network, channels, from(s, "java.io.FileInputStream"), x.text)
		}
	}
}

const fileSource = `package p;
import java.io.*;
import java.nio.file.*;
public class C {
    static Path copied(Path from) throws IOException {
        try (InputStream in = Files.newInputStream(from)) {
            in.read();
        }
        return Files.copy(from, from.resolveSibling("b"));
    }
    public static void main(String[] args) throws Exception {
        try {
            copied(Paths.get(args[0]));
        } catch (IOException e) { System.out.println("caught"); }
    }
}
`

// Paths are those of the default file system, unless somebody may ask for another one: by an
// address, by a jar's name, by another provider; code of the workspace or of the JDK, by reflection
// or by an option. A path that is given to an entry is no other.
func TestFileSystems(t *testing.T) {
	at := func(path string) string { return strings.Replace(fileSource, "Paths.get(args[0])", path, 1) }
	beside := strings.Replace(fileSource, "        try {",
		"        FileSystems.newFileSystem(Paths.get(args[1]));\n        try {", 1)
	for _, x := range []struct {
		text, option string
		others       bool
	}{
		{fileSource, "-Xmx100m", false},
		{at("Path.of(args[0], args[1])"), "-Xmx100m", false},
		{at("FileSystems.getDefault().getPath(args[0])"), "-Xmx100m", false},
		{at("new java.io.File(args[0]).toPath()"), "-Xmx100m", false},
		{beside, "-Xmx100m", false},
		{beside, "-Djava.nio.file.spi.DefaultFileSystemProvider=p.Own", true},
		{at("Paths.get(new java.net.URI(args[0]))"), "-Xmx100m", true},
		{at("Path.of(java.net.URI.create(args[0]))"), "-Xmx100m", true},
		{at("((java.util.function.Function<java.net.URI, Path>) Path::of).apply(null)"), "-Xmx100m", true},
		{at("FileSystems.newFileSystem(Paths.get(args[0])).getPath(args[1])"), "-Xmx100m", true},
		{at("((Path) Paths.class.getMethod(\"get\", java.net.URI.class).invoke(null, args[0]))"), "-Xmx100m", true},
		{at("java.nio.file.spi.FileSystemProvider.installedProviders().get(0).getPath(null)"), "-Xmx100m", true},
	} {
		for _, feature := range []int{17, 25} {
			p := newReuseProject(t, "obj-dr")
			p.ws.Modules[0].JDKHome = testjdk.JDK(t, feature)
			p.ws.Modules[0].Test.JVMArgs = []string{x.option}
			p.compiled = map[string][]byte{}
			s := p.build(t, x.text, nil)
			others := false
			for _, l := range linkClasses(s) {
				others = others || strings.HasPrefix(l, "jdk.internal.jrtfs.") || strings.HasPrefix(l, "jdk.nio.zipfs.")
			}
			if others != x.others || from(s, "sun.nio.fs.UnixException") == 0 {
				t.Errorf("JDK %d, %s: links from another file system: %v, %d of this one:\n%s", feature, x.option,
					others, from(s, "sun.nio.fs.UnixException"), x.text)
			}
		}
	}
}

// linkClasses are the classes of the throw sites of all links.
func linkClasses(s *snapshot.Snapshot) (out []string) {
	for _, c := range s.Catches {
		for _, l := range c.Links {
			out = append(out, l.Site.Class)
		}
	}
	return out
}

const streamSource = `package p;
import java.io.*;
import java.nio.channels.*;
import java.nio.file.*;
public class C {
    public static void main(String[] args) throws Exception {
        Path p = Paths.get(args[0]);
        try (InputStream in = Files.newInputStream(p); OutputStream out = Files.newOutputStream(p)) {
            out.write(in.read());
            out.write(Files.readAllBytes(p));
        } catch (IOException e) { System.out.println("caught"); }
    }
}
`

// A stream that Files opens is not interrupted, unless somebody makes a stream of another channel.
// A channel of a file may be.
func TestUninterruptible(t *testing.T) {
	before := func(code string) string {
		return strings.Replace(streamSource, "        try (", "        "+code+"\n        try (", 1)
	}
	within := strings.Replace(streamSource, "out.write(in.read());", "FileChannel.open(p).size();", 1)
	for text, interrupted := range map[string]bool{
		streamSource: false, within: true,
		before("FileChannel.open(p).size();"):                    false,
		before("Channels.newInputStream(FileChannel.open(p));"):  true,
		before("Channels.newOutputStream(FileChannel.open(p));"): true,
		before("((java.util.function.Function<ReadableByteChannel, InputStream>)" +
			" Channels::newInputStream).apply(null);"): true,
		before("Channels.class.getMethod(\"newInputStream\", ReadableByteChannel.class).invoke(null, p);"): true,
	} {
		for _, feature := range []int{17, 25} {
			p := newReuseProject(t, "obj-dr")
			p.ws.Modules[0].JDKHome = testjdk.JDK(t, feature)
			p.compiled = map[string][]byte{}
			s := p.build(t, text, nil)
			n := from(s, "java.nio.channels.spi.AbstractInterruptibleChannel")
			if n > 0 != interrupted || len(linkIDs(s)) < 4 {
				t.Errorf("JDK %d: %d links from interrupted channels, of %d:\n%s", feature, n, len(linkIDs(s)), text)
			}
		}
	}
}
