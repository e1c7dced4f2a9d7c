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
	"github.com/catchlens/catchlens/internal/testfiles"
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

// addressesOfMocks has a library that makes mocks and hides what it does with what it is given, and
// a class that it generates.
var addressesOfMocks = map[string]string{"org/lib/Mocks.java": `package org.lib;

public class Mocks {
	public interface Answer { Object answer(); }
	public static <T> T mock(Class<T> c, String generated) throws Exception {
		return c.cast(Class.forName(generated).getConstructor(String.class).newInstance("a"));
	}
	public static Object hidden() { return null; }
	public Mocks() { }
	public Mocks(Object o) { }
	public Mocks answers(Object o) { return this; }
	public void answersAll(Object o, Object... more) { }
	public static void answersEach(java.util.Collection<?> c) { }
	public static void calls(Answer a) { }
	public static void callsAny(Object a) { }
}
`, "File$Mock.java": `
public class File$Mock extends java.io.File {
	public File$Mock(String name) { super(name); }
	@Override
	public java.net.URI toURI() { return (java.net.URI) org.lib.Mocks.hidden(); }
}
`, "Mocking.java": `
import java.io.File;
import java.net.URI;
import org.lib.Mocks;

class Elsewhere { // calls no library, and has all addresses
	static String name;
	static Object address() { return URI.create(name); }
}
class Mocking { // none
	public static void main(String[] args) throws Exception {
		Elsewhere.name = args[0];
		new Mocks(args[0]).answers(args[1]).answersAll(args[2], args);
		Mocks.calls(() -> args[0]);
		Elsewhere.address();
		read();
	}
	static void read() throws Exception {
		read(Mocks.mock(File.class, Elsewhere.name));
	}
	static void read(File f) throws Exception { f.toURI().toURL().openStream().read(); }
}
class Returns { // ftp and http, as in those below
	public static void main(String[] args) throws Exception {
		new Mocks().answers(Elsewhere.address());
		Mocking.read();
	}
}
class Made {
	public static void main(String[] args) throws Exception {
		new Mocks(Elsewhere.address());
		Mocking.read();
	}
}
class Kept {
	static Object kept = Elsewhere.address();
	public static void main(String[] args) throws Exception {
		new Mocks().answersAll("", kept, null);
		Mocking.read();
	}
}
class Listed {
	public static void main(String[] args) throws Exception {
		Mocks.answersEach(java.util.List.of(Elsewhere.address()));
		Mocking.read();
	}
}
class Lambda {
	final Object address = Elsewhere.address();
	void answers() { Mocks.calls(() -> address); }
	public static void main(String[] args) throws Exception {
		new Lambda().answers();
		Mocking.read();
	}
}
class Applied {
	public static void main(String[] args) throws Exception {
		java.util.function.Function<Object, Object> f = u -> u;
		Mocks.callsAny(f);
		if (args.length > 5) { Elsewhere.address(); }
		Mocking.read();
	}
}
class Callback {
	public static void main(String[] args) throws Exception {
		java.util.concurrent.Callable<Object> c = Elsewhere::address;
		Mocks.callsAny(c);
		Mocking.read();
	}
}
class Implements implements Mocks.Answer {
	Object address;
	public Object answer() { address = Elsewhere.address(); return address; }
	public static void main(String[] args) throws Exception {
		Mocks.calls(new Implements());
		Mocking.read();
	}
}
class Inherits extends Implements {
	public static void main(String[] args) throws Exception {
		Mocks.callsAny(new Inherits());
		Mocking.read();
	}
}
class Super extends Mocks {
	Super() { super.answers(Elsewhere.address()); }
	public static void main(String[] args) throws Exception {
		new Super();
		Mocking.read();
	}
}
class Sub extends Mocks {
	void set() { answers(Elsewhere.address()); }
	public static void main(String[] args) throws Exception {
		new Sub().set();
		Mocking.read();
	}
}
class Own extends File { // the mock asks it
	Own() { super(""); }
	public URI toURI() { return (URI) Elsewhere.address(); }
}
class AsksOwn {
	public static void main(String[] args) throws Exception {
		Mocks.callsAny(new Own());
		Mocking.read();
	}
}
class Other { // as it does any object with such a method
	public URI toURI() { return (URI) Elsewhere.address(); }
}
class AsksOther {
	public static void main(String[] args) throws Exception {
		Mocks.callsAny(new Other());
		Mocking.read();
	}
}
class Holds { // in some way that is not followed, inside a class that calls the library
	static class Inside { static final URI HERE = (URI) Elsewhere.address(); }
	public static void main(String[] args) throws Exception {
		Object o = Inside.HERE;
		new Mocks();
		Mocking.read();
	}
}
`}

// A mock of a file gives an address where its library was given one, in whatever way. Types alone
// do not tell. A slow test asks for the other ways.
func TestProtocolHandlersOfMocks(t *testing.T) { checkProtocolHandlersOfMocks(t, "Mocking", "Holds") }

// openMocks compiles the programs with mocks.
func openMocks(t *testing.T) *programtest.Program {
	home, out := testjdk.JDK(t, 17), t.TempDir()
	dir := testfiles.Files(addressesOfMocks).In(t, t.TempDir())
	var files []string
	for name := range addressesOfMocks {
		files = append(files, filepath.Join(dir, filepath.FromSlash(name)))
	}
	testjdk.Javac(t, home, 17, nil, out, files...)
	return programtest.Open(t, home, facts.Options{}, 1, out)
}

// configOfMocks is for a program with mocks, by its class with main. Its workspace is all classes
// but those of the library.
func configOfMocks(p *programtest.Program, class string) callgraph.Config {
	return callgraph.Config{Entries: features.MainEntries(p, []string{class}), Providers: p.Providers,
		Workspace: []string{"Elsewhere", "Mocking", "Returns", "Made", "Kept", "Listed", "Lambda", "Applied",
			"Callback", "Implements", "Inherits", "Super", "Sub", "Own", "AsksOwn", "Other", "AsksOther",
			"Holds", "Holds$Inside"}}
}

// No edit is followed where a mock gives addresses: which classes have some depends on methods that
// are not reached, too, which no edit has visited again.
func TestNothingFollowsMocksWithAddresses(t *testing.T) {
	p := openMocks(t)
	for _, mocks := range [][]string{nil, {"File$Mock"}} {
		cfg := configOfMocks(p, "Mocking")
		cfg.Extra.Generated = mocks
		r, base := pointsto.BuildBase(hierarchy.New(p), cfg, pointsto.Insensitive, nil)
		if r == nil || (base == nil) != (len(mocks) > 0) {
			t.Errorf("mocks %q: solved %v, something to continue from %v", mocks, r != nil, base != nil)
		}
	}
}

func checkProtocolHandlersOfMocks(t *testing.T, classes ...string) {
	p := openMocks(t)
	for _, class := range classes {
		cfg := configOfMocks(p, class)
		cfg.Extra.Generated = []string{"File$Mock"}
		graphs := map[string]*callgraph.Graph{
			"pta": pointsto.Build(hierarchy.New(p), cfg, pointsto.Insensitive).Graph,
		}
		if class == "Returns" {
			graphs["obj"] = pointsto.Build(hierarchy.New(p), cfg, pointsto.Containers).Graph
		}
		if class == "Mocking" {
			graphs["rta"] = rta.Build(hierarchy.New(p), cfg)
		}
		for name, g := range graphs {
			if !reaches(p, g, "File$Mock", "toURI") {
				t.Errorf("%s, %s: no mock is called", name, class)
			}
			want := class != "Mocking" || name == "rta"
			if got := reaches(p, g, "sun/net/www/protocol/http/Handler", "openConnection"); got != want {
				t.Errorf("%s, %s: opens http connections: %v", name, class, got)
			}
		}
	}
}
