package known

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// A library that makes an accessor for each class of beans, byte by byte, and keeps them in a map.
// By their type all of them are wherever one is asked.
const (
	accessorsMain = `package p;

import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.HashMap;
import java.util.Map;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

public class Beans {
    static final Map<Class<?>, Access> made = new HashMap<>();

    static synchronized Access access(Object bean) {
        return made.computeIfAbsent(bean.getClass(), Beans::make);
    }

    static Access make(Class<?> bean) {
        try (InputStream in = Beans.class.getResourceAsStream("/accessor.bin")) {
            String template = new String(in.readAllBytes(), ISO_8859_1);
            String code = template.replace("AccessAny", "Access" + bean.getSimpleName());
            Class<?> type = MethodHandles.lookup().defineClass(code.getBytes(ISO_8859_1));
            return (Access) type.getDeclaredConstructor().newInstance();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static Object asked(Object bean) {
        try { return access(bean).get(bean, 7); } catch (Gone e) { return "gone"; } // asked for what is not there
    }

    static Object first(Object bean) {
        try { return access(bean).get(bean, 0); } catch (Gone e) { return "gone"; } // asked for what is there
    }

    static String text(Object o) {
        try { return String.valueOf(o); } catch (Exception e) { return "gone"; } // a text
    }

    static Object nested(Object bean) {
        try {
            try {
                return access(bean).get(bean, 8);
            } catch (IllegalStateException e) { return "state"; } // the inner one
        } catch (Gone e) { return "outer"; } // the outer one
    }
}

class Gone extends Exception { }

abstract class Access {
    abstract Object get(Object bean, int field) throws Gone;
}

class One { }

class Two { }

class Navi {
    private final Object bean = new Two();

    public String toString() {
        try { return "" + Beans.access(bean).get(bean, 0); } catch (Gone e) { return "gone"; } // in toString
    }
}
`
	accessorsTest = `package p;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class BeansTest {
    @Test
    public void asked() { assertEquals("gone", Beans.asked(new One())); }

    @Test
    public void first() {
        assertEquals("0", Beans.first(new One()));
        assertEquals("0", Beans.first(new Two()));
    }

    @Test
    public void nested() { assertEquals("outer", Beans.nested(new Two())); }

    @Test
    public void text() {
        assertEquals("0", Beans.text(new Navi()));
        assertEquals("a", Beans.text("a"));
    }
}
`
	accessorConvert = `package q.r;

public class Convert { // of the workspace, though its package is another: it gives no accessors
    public static String text(Object o) { return o.toString(); }
}
`
	// Its name in the class file is replaced by the name of an accessor, which is as long.
	accessorTemplate = `package p;

public class AccessAny extends Access {
    Object get(Object bean, int field) throws Gone {
        if (field == 0) return q.r.Convert.text(0);
        throw new Gone();
    }
}
`
)

// accessorThrows are the generated classes in which the links of each catch start, by the comment
// behind the catch: what is no digest of their names.
func accessorThrows(snap *snapshot.Snapshot) map[string]string {
	out := map[string]string{}
	for _, c := range snap.Catches {
		_, name, found := strings.Cut(strings.Split(string(c.File.Text), "\n")[c.Line-1], "// ")
		if !found {
			continue
		}
		var sites []string
		for _, l := range c.Links {
			if class, _, _ := strings.Cut(l.Site.Class, "$"); strings.HasPrefix(class, "p.Access") {
				sites = append(sites, class)
			}
		}
		slices.Sort(sites)
		out[name] = strings.Join(sites, " ")
	}
	return out
}

// What generated accessors throw is stated, after a run, where the run saw it, and of no catch that
// the run did not touch; that is so in the next session, and after another run.
func TestAccessors(t *testing.T) {
	files := filepath.Join(t.TempDir(), "p")
	scratch.Write(t, filepath.Join(files, "Beans.java"), accessorsMain)
	scratch.Write(t, filepath.Join(files, "BeansTest.java"), accessorsTest)
	convert := filepath.Join(t.TempDir(), "r", "Convert.java")
	scratch.Write(t, convert, accessorConvert)
	dir := workspaceOf(t, []string{filepath.Join(files, "Beans.java"), filepath.Join(files, "BeansTest.java"), convert},
		compilation{release: 17, jdk: 17})
	scratch.Write(t, filepath.Join(files, "other", "AccessAny.java"), accessorTemplate)
	other := t.TempDir()
	testjdk.Javac(t, testjdk.JDK(t, 17), 17, []string{filepath.Join(dir, "out", "main")}, other,
		filepath.Join(files, "other", "AccessAny.java"))
	class, err := os.ReadFile(filepath.Join(other, "p", "AccessAny.class"))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Write(t, filepath.Join(dir, "out", "main", "accessor.bin"), string(class))
	cache := scratch.CacheDir(t)
	want := map[string]string{"asked for what is not there": "", "asked for what is there": "", "a text": "",
		"the inner one": "", "the outer one": "", "in toString": ""}
	check := func(when string, snap *snapshot.Snapshot) {
		t.Helper()
		if got := accessorThrows(snap); !maps.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", when, got, want)
		}
	}
	s := openGraph(t, dir, cache, "rta")
	check("before a run", s.View().Snap)
	want["asked for what is not there"], want["the outer one"] = "p.AccessOne", "p.AccessTwo"
	for _, when := range []string{"after a run", "after another"} {
		sum, err := s.Run(context.Background(), session.Scope{Faults: "off", Again: when == "after another"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := s.View()
		check(when, v.Snap)
		if sum.Passed != 4 || len(v.Results.Unpredicted) != 0 {
			t.Errorf("%s: %d tests pass, not predicted: %+v", when, sum.Passed, v.Results.Unpredicted)
		}
		experienced := 0
		for _, c := range v.Results.ByCatch {
			experienced += len(c.Links)
		}
		if experienced != 2 {
			t.Errorf("%s: %d links are experienced, want 2", when, experienced)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, graph := range []string{"cha", "obj-dr"} {
		s := openGraph(t, dir, cache, graph)
		check("in the next session, "+graph, s.View().Snap)
		if list := s.View().Results.Unpredicted; len(list) > 0 {
			t.Errorf("%s: not predicted: %+v", graph, list)
		}
		s.Close()
	}
}
