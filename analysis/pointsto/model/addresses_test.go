package model

import (
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// Methods with an address of their own have names that begin with has.
const addressHolders = `import java.io.File;
import java.net.*;
import java.nio.file.*;
import java.util.function.*;

class Holder {
    URI one;
    static URI[] some;

    void hasParameter(URI u) { }
    Object hasResult(Object o) { return URI.create("a"); }
    Object hasMade(String s) throws Exception { return new URI(s); }
    Object hasField() { return one; }
    Object hasElement() { return some[0]; }
    Object hasCast(Supplier<URI> s) { URI u = s.get(); return u; }
    Object hasReference() { Function<String, Object> f = URI::create; return f; }
    Object hasClass() { return URI.class; }
    Object hasResource(URL u) throws Exception { return u.toURI(); }
    Object hasRelative(Path p) { return p.toUri().resolve("http://a"); }
    Object localFile(File f) throws Exception { return f.toURI().toURL(); }
    Object localPath(Path p) { return p.toUri().getScheme(); }
    Object localReference() { Function<File, Object> f = File::toURI; return f; }
    Path taken(Path p) { return Paths.get(p.toUri()); }
    Object other(Supplier<String> s) { String t = s.get(); return t; }
}
`

func TestHasAddress(t *testing.T) {
	data := testjdk.JavacClass(t, testjdk.JDK(t, 17), 17, "Holder", addressHolders)
	parsed, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := facts.FromClass(parsed, data, facts.Options{})
	seen := 0
	for i := range c.Methods {
		m := &c.Methods[i]
		if m.Name[0] == '<' {
			continue
		}
		if seen++; hasAddress(c, m) != strings.HasPrefix(m.Name, "has") {
			t.Errorf("%s: %v", m.Name, hasAddress(c, m))
		}
	}
	if seen != strings.Count(addressHolders, "\n    ")-2 { // all but the fields
		t.Errorf("%d methods are looked at", seen)
	}
}
