package pointsto_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/callgraph/rta"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// addresses has a program in each of its classes. Which protocols' handlers run is
// said beside each.
const addresses = `
import java.io.*;
import java.lang.reflect.Proxy;
import java.net.*;
import java.nio.file.*;

class Any { // ftp and http
	public static void main(String[] args) throws Exception { new URL(args[0]).openStream().read(); }
}
class Http { // http
	public static void main(String[] args) throws Exception { new URL("http://" + "localhost").openStream().read(); }
}
class HttpInParts { // http
	public static void main(String[] args) throws Exception { new URL("http", "file", "jar").openStream().read(); }
}
class AnyInParts { // ftp and http: the constants are a host and its file
	public static void main(String[] args) throws Exception { new URL(args[0], "jar", "file").openStream().read(); }
}
class Local { // none
	public static void main(String[] args) throws Exception { new URL(" url:FILE:/etc/hosts").openStream().read(); }
}
class Relative { // none: it has the protocol of a resource
	public static void main(String[] args) throws Exception { new URL(Relative.class.getResource("a"), "b/http:c").openStream().read(); }
}
class RelativeAny { // ftp and http: what stands there may have a protocol of its own
	public static void main(String[] args) throws Exception { new URL(RelativeAny.class.getResource("a"), args[0]).openStream().read(); }
}
class FromFile { // none
	public static void main(String[] args) throws Exception { new File(args[0]).toURI().toURL().openStream().read(); }
}
class FromPath { // none
	public static void main(String[] args) throws Exception {
		URI uri;
		if (args.length > 0) {
			uri = new File(args[0]).toURI();
		} else {
			uri = Paths.get("a").toUri();
		}
		uri.toURL().openStream().read();
	}
}
class FromURI { // ftp and http: a URI says nothing of its protocol
	public static void main(String[] args) throws Exception { new URI(args[0]).toURL().openStream().read(); }
}
class Either { // ftp and http
	public static void main(String[] args) throws Exception { (args.length > 1 ? new URI(args[0]) : new File(args[0]).toURI()).toURL().openStream().read(); }
}
class Given { // ftp and http
	public static void main(String[] args) throws Exception { open(new File(args[0]).toURI()); }
	static void open(URI uri) throws Exception { uri.toURL().openStream().read(); }
}
class OwnFile { // ftp and http: files of the program's own may have any address
	static final URI HERE = URI.create("http://localhost");
	static class Remote extends File {
		Remote() { super("a"); }
		public URI toURI() { return HERE; }
	}
	public static void main(String[] args) throws Exception { File f = new Remote(); f.toURI().toURL().openStream().read(); }
}
class OtherURI { // none: it is no file's
	static final URI HERE = URI.create("http://localhost");
	URI toURI() { return HERE; }
	public static void main(String[] args) throws Exception { new OtherURI().toURI(); new File("a").toURI().toURL().openStream().read(); }
}
class Proxied { // ftp and http
	public static void main(String[] args) throws Exception {
		Path p = (Path) Proxy.newProxyInstance(null, new Class<?>[] {Path.class}, (o, m, a) -> URI.create("http://localhost"));
		p.toUri().toURL().openStream().read();
	}
}
class Read { // ftp and http
	public static void main(String[] args) throws Exception { ((URL) new ObjectInputStream(System.in).readObject()).openStream().read(); }
}
class ReadOther { // none
	public static void main(String[] args) throws Exception {
		File f = (File) new ObjectInputStream(System.in).readObject();
		f.toURI().toURL().openStream().read();
	}
}
class Reflected { // ftp and http
	public static void main(String[] args) throws Exception { URL.class.getConstructor(String.class).newInstance(args[0]).openStream().read(); }
}
class Parameter { // none: the method that is looked up takes an address, of which there is none
	static void open(URL url) throws Exception { url.openStream().read(); }
	public static void main(String[] args) throws Exception { Parameter.class.getDeclaredMethod("open", URL.class).invoke(null, (URL) null); }
}
class Listed { // none
	static void open(int port, URL url) throws Exception { url.openStream().read(); }
	public static void main(String[] args) throws Exception { Class.forName(args[0]).getDeclaredMethod("open", int.class, URL.class).invoke(null, 1, null); }
}
class FromList { // ftp and http
	public static void main(String[] args) throws Exception {
		for (Class<?> c : new Class<?>[] {String.class, URL.class}) {
			((URL) c.getConstructor(String.class).newInstance(args[0])).openStream().read();
		}
	}
}
class EitherClass { // ftp and http
	public static void main(String[] args) throws Exception {
		Class<?> c = args.length > 1 ? URL.class : String.class;
		((URL) c.getConstructor(String.class).newInstance(args[0])).openStream().read();
	}
}
class PassedOn { // ftp and http
	public static void main(String[] args) throws Exception { make(args.length > 1 ? URI.class : String.class, args[0]); }
	static void make(Class<?> c, String address) throws Exception {
		if (c != URL.class && c != URI.class) {
			return;
		}
		((URI) c.getConstructor(String.class).newInstance(address)).toURL().openStream().read();
	}
}
class Referred { // ftp and http
	interface Maker { URL make(String spec) throws Exception; }
	public static void main(String[] args) throws Exception { Maker m = URL::new; m.make(args[0]).openStream().read(); }
}
class Resource { // none
	public static void main(String[] args) throws Exception { Resource.class.getResource("a").openStream().read(); }
}
`

// URL makes the handlers of most protocols by a name that it puts together. This asks for what
// opens no connection, and one program of each way to get an address; the others, and other JDKs,
// are asked for by a slow test.
func TestProtocolHandlers(t *testing.T) {
	checkProtocolHandlers(t, testjdk.JDK(t, 17), "Any", "Http", "OwnFile", "Proxied", "Reflected")
}

// checkProtocolHandlers asks what the programs open that open something, or those named of them,
// and all that open nothing.
func checkProtocolHandlers(t *testing.T, home string, only ...string) {
	file := filepath.Join(t.TempDir(), "Addresses.java")
	if err := os.WriteFile(file, []byte(addresses), 0o600); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	testjdk.Javac(t, home, 17, nil, out, file)
	p := programtest.Open(t, home, facts.Options{}, 1, out)
	any := []string{"ftp", "http"}
	var none []string
	for class, protocols := range map[string][]string{
		"Any": any, "Http": {"http"}, "HttpInParts": {"http"}, "AnyInParts": any, "Local": nil, "Relative": nil,
		"RelativeAny": any,
		"FromFile":    nil, "FromPath": nil, "FromURI": any, "Either": any, "Given": any, "OwnFile": any,
		"OtherURI": nil, "Proxied": any,
		"Read": any, "ReadOther": nil, "Reflected": any, "Parameter": nil, "Listed": nil, "FromList": any,
		"EitherClass": any, "PassedOn": any, "Referred": any, "Resource": nil,
	} {
		if protocols == nil {
			none = append(none, class)
		} else if len(only) == 0 || slices.Contains(only, class) {
			protocolsOf(t, p, []string{class}, protocols...)
		}
	}
	// What all of them in one program do not open, none does.
	if slices.Sort(none); !protocolsOf(t, p, none) {
		for _, class := range none { // which is it?
			protocolsOf(t, p, []string{class})
		}
	}
}

// protocolsOf checks which handlers the main methods of classes reach. What it returns is whether
// they are those that are wanted.
func protocolsOf(t *testing.T, p *programtest.Program, classes []string, want ...string) bool {
	t.Helper()
	cfg := callgraph.Config{Entries: features.MainEntries(p, classes), Workspace: classes, Providers: p.Providers}
	graphs := map[string]*callgraph.Graph{"pta": pointsto.Build(hierarchy.New(p), cfg, pointsto.Insensitive).Graph}
	if slices.Contains([]string{"Any", "Http", "OwnFile", "Read"}, classes[0]) || len(want) == 0 {
		// the rest is the same code
		graphs["rta"] = rta.Build(hierarchy.New(p), cfg)
	}
	ok := true
	for name, g := range graphs {
		for _, protocol := range []string{"ftp", "http"} {
			if got := reaches(p, g, "sun/net/www/protocol/"+protocol+"/Handler", "openConnection"); got !=
				slices.Contains(want, protocol) {
				t.Errorf("%s, %q: opens %s connections: %v", name, classes, protocol, got)
				ok = false
			}
		}
	}
	return ok
}

// reaches tells whether a method of that name is in a graph.
func reaches(p *programtest.Program, g *callgraph.Graph, class, method string) bool {
	c, ok := p.Class(class)
	for i := 0; ok && i < len(c.Methods); i++ {
		if c.Methods[i].Name == method && g.Find(class, i) != callgraph.NoNode {
			return true
		}
	}
	return false
}
