package facts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catchlens/analysis/classfile"
	"catchlens/analysis/classpath"
	"catchlens/internal/testjdk"
)

// Each field of the table is there in the JDKs of its versions and in no other, is a private
// final boolean, and its class names the property; the row is good for something: it changes
// the record of the class.
func TestSettingsAgainstJDKs(t *testing.T) {
	for _, home := range testjdk.All(t) {
		feature := testjdk.Feature(t, home)
		jdk, err := classpath.OpenJDK(home, classpath.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer jdk.Close()
		for _, s := range Settings {
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
			i := slices.IndexFunc(c.Fields, func(f *classfile.Member) bool { return c.MemberName(f) == s.Field })
			switch {
			case in != (i >= 0):
				t.Errorf("JDK %d: field %s.%s, which is said to be in %d to %d: %v", feature, s.Class, s.Field, s.First, s.Last, i >= 0)
			case !in:
			case c.MemberDesc(c.Fields[i]) != "Z" || c.Fields[i].Access&classfile.AccPrivate == 0 || c.Fields[i].Access&classfile.AccFinal == 0:
				t.Errorf("JDK %d: %s.%s is no private final boolean", feature, s.Class, s.Field)
			case !strings.Contains(string(data), s.Property):
				t.Errorf("JDK %d: %s does not name %s", feature, s.Class, s.Property)
			default:
				if all, few := calls(t, c, data, SetOf(func(p string) bool { return p == s.Property })), calls(t, c, data, ""); len(few) >= len(all) {
					t.Errorf("JDK %d: %s.%s leaves out nothing: %d calls of %d", feature, s.Class, s.Field, len(few), len(all))
				}
			}
		}
	}
}

// calls lists what a class calls and makes, by method and ordinal.
func calls(t *testing.T, c *classfile.Class, data []byte, set PropertySet) (out []string) {
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
		want := "<init> <init> 0, branch b 1, otherwise a 0, otherwise c 2, both b 1, joined d 0, joined a 1, joined b 2, other a 0, other b 1, loop a 0"
		if got := strings.Join(calls(t, c, data, ""), ", "); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", home, got, want)
		}
		every := "<init> <init> 0, branch a 0, branch b 1, otherwise a 0, otherwise b 1, otherwise c 2, both a 0, both b 1, joined d 0, joined a 1, joined b 2, other a 0, other b 1, loop a 0"
		if got := strings.Join(calls(t, c, data, "com.sun.sdp.conf"), ", "); got != every {
			t.Errorf("%s with the property:\ngot  %s\nwant %s", home, got, every)
		}
	}
}
