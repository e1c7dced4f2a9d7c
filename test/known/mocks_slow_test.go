//go:build slow

package known

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
	"github.com/catchlens/catchlens/test/scratch"
)

// Reading at the address of a path.
const (
	mocksMain = `package p;

import java.io.IOException;
import java.nio.file.Path;

public class Reads {
    static String read(Path p) {
        try { p.toUri().toURL().openStream().close(); return "read"; } catch (IOException e) { return "gone"; }
    }
}
`
	mocksTest = `package p;

import static org.junit.Assert.assertEquals;
import static org.mockito.Mockito.*;

import java.net.URI;
import java.nio.file.Path;

import org.junit.Test;

public class ReadsTest {
    @Test
    public void reads() {
        %s
    }
}

class Elsewhere { // calls no library
    static final URI HERE = URI.create("http://127.0.0.1:1/");
    static final Object[] ALL = {HERE};
}
`
)

// The address of a mock of a path is what a test told it to answer. Where no class that calls the
// library has one, that there is such a mock adds no links; where one does, those of its protocol
// are predicted, in whatever way it gets to the mock.
func TestAddressesOfMocks(t *testing.T) {
	for _, c := range []struct{ name, test string }{
		{"no address", `Path p = mock(Path.class);
        when(p.getFileName()).thenReturn(Path.of("a"));
        try { Reads.read(p); } catch (NullPointerException e) { return; }
        throw new AssertionError(Elsewhere.ALL);`},
		{"returned", `Path p = mock(Path.class);
        when(p.toUri()).thenReturn(Elsewhere.HERE);
        assertEquals("gone", Reads.read(p));`},
		{"answered", `Path p = mock(Path.class, i -> Elsewhere.HERE);
        assertEquals("gone", Reads.read(p));`},
		{"referred", `Path p = mock(Path.class);
        java.util.function.Consumer<URI> c = when(p.toUri())::thenReturn;
        c.accept(Elsewhere.HERE);
        assertEquals("gone", Reads.read(p));`},
		{"delegated", `Path p = mock(Path.class, org.mockito.AdditionalAnswers.delegatesTo(new Object() {
            public URI toUri() { return Elsewhere.HERE; }
        }));
        assertEquals("gone", Reads.read(p));`},
		{"proxied", `Class<?>[] of = {org.mockito.stubbing.Answer.class};
        Path p = mock(Path.class, (org.mockito.stubbing.Answer<?>) java.lang.reflect.Proxy.newProxyInstance(
            ReadsTest.class.getClassLoader(), of, (o, m, a) -> Elsewhere.HERE));
        assertEquals("gone", Reads.read(p));`},
		{"captured", `java.util.function.Consumer<URI> c = mock(java.util.function.Consumer.class);
        c.accept(Elsewhere.HERE);
        org.mockito.ArgumentCaptor<URI> got = org.mockito.ArgumentCaptor.forClass(URI.class);
        verify(c).accept(got.capture());
        Path p = mock(Path.class);
        org.mockito.BDDMockito.given(p.toUri()).willAnswer(i -> got.getValue());
        assertEquals("gone", Reads.read(p));`},
		{"set", `Object r = new org.mockito.internal.stubbing.answers.Returns(null);
        try {
            java.lang.reflect.Field f = r.getClass().getDeclaredField("value");
            f.setAccessible(true);
            f.set(r, Elsewhere.HERE);
        } catch (ReflectiveOperationException e) { throw new AssertionError(e); }
        Path p = mock(Path.class, (org.mockito.stubbing.Answer<?>) r);
        assertEquals("gone", Reads.read(p));`},
		{"extended", `class A extends org.mockito.internal.stubbing.defaultanswers.ReturnsMoreEmptyValues {
            public Object answer(org.mockito.invocation.InvocationOnMock i) throws Throwable {
                return i.getMethod().getName().equals("toUri") ? Elsewhere.HERE : super.answer(i);
            }
        }
        Path p = mock(Path.class, withSettings().defaultAnswer(new A()));
        assertEquals("gone", Reads.read(p));`},
	} {
		t.Run(c.name, func(t *testing.T) { checkAddressOfMock(t, c.test, c.name != "no address") })
	}
}

func checkAddressOfMock(t *testing.T, test string, told bool) {
	var jars, quoted []string
	for _, a := range []string{"org.mockito:mockito-core:5.11.0", "net.bytebuddy:byte-buddy:1.14.12",
		"net.bytebuddy:byte-buddy-agent:1.14.12", "org.objenesis:objenesis:3.3"} {
		jars = append(jars, testjdk.Artifact(t, a))
		quoted = append(quoted, fmt.Sprintf("%q", jars[len(jars)-1]))
	}
	compile := func(t testing.TB, home string, release int, cp []string, out string, files ...string) {
		testjdk.Javac(t, home, release, append(slices.Clone(cp), jars...), out, files...)
	}
	dir := t.TempDir()
	main, of := filepath.Join(dir, "src", "p", "Reads.java"), filepath.Join(dir, "test", "p", "ReadsTest.java")
	scratch.Write(t, main, mocksMain)
	scratch.Write(t, of, fmt.Sprintf(mocksTest, test))
	scratch.Workspace(t, dir, testjdk.JDK(t, 17), 17, []string{main}, []string{of},
		"extraClassPath = ["+strings.Join(quoted, ", ")+"]\n", compile)
	s, err := session.Open([]string{dir}, session.Options{CacheDir: scratch.CacheDir(t), Trusted: true, Workers: 1,
		Settings: snapshot.Settings{CallGraph: "obj-dr"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Reload(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	before := links(s.View().Snap)
	sum, err := s.Run(context.Background(), session.Scope{Faults: "off"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := s.View()
	after, experienced := links(v.Snap), 0
	for _, c := range v.Snap.Catches {
		experienced += len(v.Results.ByCatch[c.ID].Links)
	}
	if sum.Passed != 1 || sum.Unpredicted != 0 || len(v.Results.Unpredicted) != 0 {
		t.Errorf("%d tests pass, not predicted are %+v", sum.Passed, v.Results.Unpredicted)
	}
	const http = "sun.net.www.protocol.http"
	if strings.Contains(before, http) || strings.Contains(after, http) != told || (experienced > 0) != told {
		t.Errorf("%d links are experienced; before: %s; after: %s", experienced, before, after)
	}
	if !told && after != before {
		t.Errorf("before: %s; after: %s", before, after)
	}
}
