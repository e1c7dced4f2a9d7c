package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/classpath"
	"github.com/catchlens/catchlens/analysis/settings"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// everySetting is what no setting is held with.
var everySetting = settings.SetOf(func(string) bool { return true }) + "," + settings.NoProperty

// Each field or method of the table is there in the JDKs of its versions, a field in no other,
// unless nobody can change it, and of the value's type, nobody else can write it, and its class or
// that of the source names the property; the row is good for something: it changes the record of
// the class.
func TestSettingsAgainstJDKs(t *testing.T) {
	for _, home := range testjdk.All(t) {
		feature := testjdk.Feature(t, home)
		jdk, err := classpath.OpenJDK(home, classpath.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer jdk.Close()
		for _, s := range settings.Table {
			if s.Class == settings.AnyClass {
				s.Class = "java/net/ServerSocket" // one of those that call the method
			}
			data, ok, err := jdk.Entry().Find(s.Class)
			if err != nil {
				t.Fatal(err)
			}
			in := s.First <= feature && feature <= s.Last
			if !ok {
				if in {
					t.Errorf("JDK %d has no class %s", feature, s.Class)
				}
				continue
			}
			c, err := classfile.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			method, descriptor, isMethod := strings.Cut(s.Field, "(")
			called := descriptor == ")Z"
			if s.OfSystem() || s.OfProxyType() {
				// It stands in the code, which is compared below.
			} else if isMethod {
				if in && !slices.ContainsFunc(c.Methods, func(m *classfile.Member) bool {
					return c.MemberName(m) == method && (!called || c.MemberDesc(m) == "()Z")
				}) {
					t.Errorf("JDK %d: no method %s.%s", feature, s.Class, s.Field)
				}
			} else if c, i := fieldOf(t, jdk, c, s.Field); in && i < 0 || !in && i >= 0 &&
				s.Property != settings.NoProperty {
				t.Errorf("JDK %d: field %s.%s, which is said to be in %d to %d: %v", feature, s.Class, s.Field, s.First,
					s.Last, i >= 0)
			} else if in {
				f := c.Fields[i]
				if (c.MemberDesc(f) == "Z") == s.Value.IsReference() ||
					f.Access&(classfile.AccPrivate|classfile.AccFinal) == 0 {
					t.Errorf("JDK %d: %s.%s is neither private nor final, or not of the value's type", feature, s.Class,
						s.Field)
				}
			}
			if !in {
				continue
			}
			// By native code, or by java.lang.System.
			named := called || s.OfSystem() || s.Property == settings.NoProperty
			for _, asker := range s.Askers() {
				if class, ok := strings.CutPrefix(asker, settings.ClassSetting); ok {
					if _, ok, _ := jdk.Entry().Find(class); !ok {
						t.Errorf("JDK %d has no class %s", feature, class)
					}
					named = named || asker == s.Property
					continue
				}
				source, _, _ := strings.Cut(s.Source, ".java")
				if !strings.Contains(source, "/") {
					source = s.Class[:strings.LastIndexByte(s.Class, '/')+1] + source
				}
				more, _, _ := jdk.Entry().Find(source)
				nested, _, _ := jdk.Entry().Find(source + "$1")
				named = named || strings.Contains(string(data)+string(more)+string(nested), asker)
			}
			if !named {
				t.Errorf("JDK %d: neither %s nor its source names %s", feature, s.Class, s.Property)
			}
			with, without := Options{Set: settings.Set(s.Property), Feature: feature}, Options{Feature: feature}
			if all, few := record(t, c, data, with), record(t, c, data, without); all == few {
				t.Errorf("JDK %d: %s.%s changes nothing", feature, s.Class, s.Field)
			}
			without.Feature = s.Last + 1
			none := Options{Set: everySetting, Feature: feature}
			if all, other := record(t, c, data, none), record(t, c, data, without); all != other &&
				len(settings.Of(s.Class, data, without.Set, without.Feature)) == 0 {
				t.Errorf("JDK %d: %s.%s counts in other versions", feature, s.Class, s.Field)
			}
		}
	}
}

// fieldOf is the place of a field in a class, or in the one around it.
func fieldOf(t *testing.T, jdk *classpath.JDK, c *classfile.Class, name string) (*classfile.Class, int) {
	t.Helper()
	at := func(c *classfile.Class) int {
		return slices.IndexFunc(c.Fields, func(f *classfile.Member) bool { return c.MemberName(f) == name })
	}
	if outer, _, nested := strings.Cut(c.Name(), "$"); nested && at(c) < 0 {
		data, _, err := jdk.Entry().Find(outer)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = classfile.Parse(data); err != nil {
			t.Fatal(err)
		}
	}
	return c, at(c)
}

// Of the JDK's code, what only runs with another value is left out, and nothing else.
func TestHoldOfJDK(t *testing.T) {
	for _, x := range []struct {
		feature             int
		class, method, gone string
		few, all            int // calls of the method; updates of a JDK have a tenth more or fewer
	}{
		{17, "java/net/InetAddress", "createNameService", "java/net/InetAddress$HostsFileNameService.<init>", 2, 3},
		{17, "java/lang/System", "initPhase3", "java/lang/SecurityManager.<init>", 9, 34},
		{17, "sun/net/www/http/HttpClient", "parseHTTP", "sun/net/www/http/HttpCaptureInputStream.<init>", 14, 15},
		{17, "java/net/InetAddressImplFactory", "create", "java/net/InetAddressImplFactory.isIPv6Supported", 1, 2},
		{17, "sun/nio/ch/FileChannelImpl", "implCloseChannel", "jdk/internal/access/JavaIOFileDescriptorAccess.close",
			14, 15},
		{17, "java/net/ServerSocket", "implAccept", "java/net/SocketImpl.close", 25, 31},
		{17, "sun/net/www/http/HttpClient", "New", "java/net/InetAddress.getByName", 34, 43},
		{17, "java/net/DatagramSocket", "createDelegate",
			"java/net/DefaultDatagramSocketImplFactory.createDatagramSocketImpl", 13, 14},
		{17, "java/net/SocksSocketImpl", "connect", "java/net/SocksSocketImpl.authenticate", 55, 152},
		{25, "java/net/SocksSocketImpl", "connect", "java/net/SocksSocketImpl.authenticate", 43, 144},
		{17, "jdk/internal/module/ModuleReferences$ExplodedModuleReader", "open", "java/nio/file/Files.newInputStream",
			0, 5},
		{25, "jdk/internal/module/ModulePatcher$ExplodedResourceFinder", "find",
			"jdk/internal/module/ModulePatcher$ExplodedResourceFinder.newResource", 0, 2},
		{25, "java/net/InetAddress", "<clinit>", "java/net/Inet4AddressImpl.<init>", 19, 21},
		{25, "sun/net/www/http/HttpClient", "parseHTTP", "sun/net/www/http/HttpCaptureInputStream.<init>", 17, 18},
	} {
		home := testjdk.JDK(t, x.feature)
		jdk, err := classpath.OpenJDK(home, classpath.Options{})
		if err != nil {
			t.Fatal(err)
		}
		data, _, err := jdk.Entry().Find(x.class)
		if err != nil {
			t.Fatal(err)
		}
		c, err := classfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		list := func(set settings.Set) (out []string) {
			r, _ := FromClass(c, data, Options{Set: set, Feature: x.feature})
			for i := range r.Methods {
				if r.Methods[i].Name == x.method {
					for _, k := range r.Methods[i].Calls {
						out = append(out, k.Owner+"."+k.Name)
					}
				}
			}
			return out
		}
		few, all := list(""), list(everySetting)
		about := func(n, want int) bool { return want-want/10 <= n && n <= want+want/10 }
		if slices.Contains(few, x.gone) || !slices.Contains(all, x.gone) || !about(len(few), x.few) ||
			!about(len(all), x.all) {
			t.Errorf("JDK %d, %s.%s: %d calls\n%q\nof %d\n%q", x.feature, x.class, x.method, len(few), few, len(all),
				all)
		}
		jdk.Close()
	}
}

// record is what is said of a class.
func record(t *testing.T, c *classfile.Class, data []byte, o Options) string {
	t.Helper()
	r, problems := FromClass(c, data, o)
	if len(problems) > 0 {
		t.Error(problems)
	}
	var out strings.Builder
	for i := range r.Methods {
		m := &r.Methods[i]
		fmt.Fprintf(&out, "%s%s %d %x %x\n", m.Name, m.Desc, len(m.Calls), m.Flow, m.Values)
	}
	return out.String()
}

// calls lists what a class calls and makes, by method and ordinal.
func calls(t *testing.T, c *classfile.Class, data []byte, set settings.Set) (out []string) {
	t.Helper()
	r, problems := FromClass(c, data, Options{Set: set})
	if len(problems) > 0 {
		t.Error(problems)
	}
	for i := range r.Methods {
		for _, k := range r.Methods[i].Calls {
			out = append(out, r.Methods[i].Name+" "+k.Name+" "+string(rune('0'+k.Ordinal)))
		}
	}
	return out
}

// A class with a setting of each kind of field, under a name of the table: its field is on with
// the property, off without.
const settingsSource = `package sun.net.sdp;
public class SdpProvider {
    private final boolean enabled;
    SdpProvider(boolean on) { enabled = on; }
    void a() {}
    void b() {}
    void c() {}
    boolean d() { return enabled; }
    void branch() { if (enabled) a(); b(); }
    void otherwise() { if (!enabled) { a(); } else { b(); } c(); }
    void both(boolean x) { if (x && enabled) a(); else b(); }
    void joined(boolean x) { if (x ? d() : enabled) a(); else b(); }
    void other(SdpProvider p) { if (p.enabled) a(); else b(); }
    void loop() { while (!enabled) { a(); } }
}
`

// What cannot run is left out; ordinals of the rest stay. Readings that are not those of this,
// and branches that are reached in other ways, stay as they are.
func TestHold(t *testing.T) {
	for _, home := range testjdk.All(t) {
		dir := t.TempDir()
		file := filepath.Join(dir, "SdpProvider.java")
		if err := os.WriteFile(file, []byte(settingsSource), 0o600); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "out")
		if err := os.Mkdir(out, 0o700); err != nil {
			t.Fatal(err)
		}
		testjdk.Javac(t, home, 8, nil, out, file)
		data, err := os.ReadFile(filepath.Join(out, "sun", "net", "sdp", "SdpProvider.class"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := classfile.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		want := "<init> <init> 0, branch b 1, otherwise a 0, otherwise c 2, both b 1, joined d 0, joined a 1, joined " +
			"b 2, other a 0, other b 1, loop a 0"
		if got := strings.Join(calls(t, c, data, ""), ", "); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", home, got, want)
		}
		every := "<init> <init> 0, branch a 0, branch b 1, otherwise a 0, otherwise b 1, otherwise c 2, both a 0, " +
			"both b 1, joined d 0, joined a 1, joined b 2, other a 0, other b 1, loop a 0"
		if got := strings.Join(calls(t, c, data, "com.sun.sdp.conf"), ", "); got != every {
			t.Errorf("%s with the property:\ngot  %s\nwant %s", home, got, every)
		}
	}
}
