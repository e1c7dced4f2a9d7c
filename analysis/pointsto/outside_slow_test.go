//go:build slow

package pointsto_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/catchlens/catchlens/analysis/callgraph"
	"github.com/catchlens/catchlens/analysis/callgraph/programtest"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/analysis/features"
	"github.com/catchlens/catchlens/analysis/hierarchy"
	"github.com/catchlens/catchlens/analysis/pointsto"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// outside is a program whose calls are all made on objects that the VM or native code of
// the JDK makes, or keeps in fields that no Java code writes.
const outside = `package p;
import java.io.*;
import java.lang.reflect.*;
import java.net.*;
import java.nio.channels.*;
class Main {
    @interface Mark { String value(); }
    record Pair(String a) { }
    static void loaders() throws Exception {
        Main.class.getClassLoader().getResourceAsStream("x").read();
        Thread.currentThread().getContextClassLoader().loadClass("x");
        ClassLoader.getSystemClassLoader().getParent().getResource("x").openStream();
        Main.class.getModule().getResourceAsStream("x").read();
        Main.class.getModule().getClassLoader().loadClass("x");
        Main.class.getModule().getName().concat("");
        Main.class.getModule().getLayer().findLoader("x").loadClass("y");
        Main.class.getPackage().getName().concat("");
        Main[].class.getComponentType().getName().concat("");
        Main.class.getProtectionDomain().getCodeSource().getLocation().openStream();
        Main.class.getSigners()[0].toString();
        Main.class.getSuperclass().getSimpleName().concat("");
        Main.class.getInterfaces()[0].getName().concat("");
    }
    static void reflected() throws Exception {
        Method m = Main.class.getDeclaredMethods()[0];
        m.getName().concat("");
        m.getReturnType().getName().concat("");
        m.getParameterTypes()[0].getName().concat("");
        m.getExceptionTypes()[0].getName().concat("");
        m.getDeclaringClass().getClassLoader().loadClass("x");
        m.getParameters()[0].getName().concat("");
        m.getParameters()[0].getDeclaringExecutable().getName().concat("");
        m.getGenericReturnType().getTypeName().concat("");
        m.getAnnotations()[0].annotationType().getName().concat("");
        m.getAnnotation(Mark.class).value().concat("");
        Field f = Main.class.getDeclaredFields()[0];
        f.getName().concat("");
        f.getType().getName().concat("");
        Constructor<?> c = Main.class.getDeclaredConstructors()[0];
        c.getParameterTypes()[0].getName().concat("");
        c.getDeclaringClass().getName().concat("");
        RecordComponent r = Pair.class.getRecordComponents()[0];
        r.getName().concat("");
        r.getType().getName().concat("");
        r.getAccessor().getName().concat("");
    }
    static void stacks() throws Exception {
        StackTraceElement e = new Exception().getStackTrace()[0];
        e.getClassName().concat("");
        e.getMethodName().concat("");
        e.getFileName().concat("");
        e.getModuleName().concat("");
        e.getClassLoaderName().concat("");
        Thread.getAllStackTraces().values().iterator().next()[0].getFileName().concat("");
        Thread.currentThread().getThreadGroup().getParent().getName().concat("");
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass().getName().concat("");
        StackWalker.getInstance().walk(s -> { seen().concat(""); return s.findFirst(); }).get().getMethodName().concat("");
    }
    static String seen() { return "seen"; }
    static void streams() throws Exception {
        System.in.read();
        System.out.write(new byte[0]);
        System.err.println();
        System.setOut(new PrintStream(new FileOutputStream("x")));
        System.console().readLine().concat("");
        System.getenv("x").concat("");
        System.getProperty("x").concat("");
    }
    static void addresses() throws Exception {
        new ServerSocket(0).accept().getInetAddress().getHostName().concat("");
        ((InetSocketAddress) ServerSocketChannel.open().accept().getRemoteAddress()).getAddress().getHostName().concat("");
        InetAddress.getByName("x").getHostName().concat("");
        InetAddress.getLocalHost().isReachable(1);
        NetworkInterface n = NetworkInterface.getNetworkInterfaces().nextElement();
        n.getName().concat("");
        n.getDisplayName().concat("");
        n.getInetAddresses().nextElement().isReachable(1);
        n.getInterfaceAddresses().get(0).getAddress().isReachable(1);
        n.getSubInterfaces().nextElement().getParent().getName().concat("");
        DatagramPacket d = new DatagramPacket(new byte[1], 1);
        new DatagramSocket().receive(d);
        d.getAddress().isReachable(1);
        ProcessHandle.current().info().command().get().concat("");
        ProcessHandle.current().info().arguments().get()[0].concat("");
    }
    public static void main(String[] args) throws Exception {
        args[0].concat("");
        loaders();
        reflected();
        stacks();
        streams();
        addresses();
    }
}`

// What native code of the JDK makes and writes is known: no call of the program is made on
// nothing.
func TestLoaderOfClass(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "Main.java")
	if err := os.WriteFile(file, []byte(outside), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, nil, out, file)
	for feature, use := range map[int][]pointsto.Policy{17: {pointsto.Insensitive, pointsto.Containers},
		25: {pointsto.Insensitive}} {
		p := programtest.Open(t, testjdk.JDK(t, feature), facts.Options{}, 1, out)
		for _, policy := range use {
			r := pointsto.Build(hierarchy.New(p), config(p), policy)
			g, calls := r.Graph, 0
			for n := range g.Nodes {
				m := g.Method(callgraph.NodeID(n))
				if m == nil || g.Class(callgraph.NodeID(n)) != "p/Main" {
					continue
				}
				for _, s := range g.SitesOf(callgraph.NodeID(n)) {
					if s.Origin == callgraph.FromCalls && m.Calls[s.Index].Kind != facts.Dynamic {
						calls++
						c := &m.Calls[s.Index]
						if features.AnnotationElement(g.H, c) != "" {
							continue // no code of the JDK runs that is of interest
						}
						if len(g.Targets(s.Set)) == 0 {
							t.Errorf("JDK %d, %s, line %d: no object is known on which %s.%s is called", feature,
								g.Algorithm, c.Line, c.Owner, c.Name)
						}
					}
				}
			}
			if calls < 150 {
				t.Errorf("JDK %d, %s: %d calls are reached", feature, g.Algorithm, calls)
			}
		}
	}
}
