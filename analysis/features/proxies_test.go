package features

import (
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/analysis/facts"
	"github.com/catchlens/catchlens/internal/testjdk"
)

const proxyMakers = `import java.lang.reflect.*;

class Makers implements InvocationHandler {
    InvocationHandler any;
    Makers kept;
    static Class<?>[] shared;

    public Object invoke(Object p, Method m, Object[] a) { return null; }

    Object made() { return Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class, Comparable.class}, new Makers()); }
    Object itself() { return Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class}, this); }
    Object field() { return Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class}, kept); }
    Object anyField() { return Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class}, any); }
    static Object parameter(Makers h, Class<?> c) { return Proxy.newProxyInstance(null, new Class<?>[] {c}, h); }
    static Object given(Class<?>[] all) { return Proxy.newProxyInstance(null, all, new Makers()); }
    Object either(boolean b) { return Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class}, b ? this : any); }
    Object element(Makers[] list) { return Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class}, list[0]); }
    Object one(boolean b, Class<?> c) { return Proxy.newProxyInstance(null, new Class<?>[] {b ? Runnable.class : c}, this); }
    Object changed(Class<?> c) {
        Class<?>[] list = {Runnable.class};
        if (c != null) { list[0] = c; }
        return Proxy.newProxyInstance(null, list, this);
    }
    Object told() {
        Class<?>[] list = {Runnable.class};
        shared = list;
        return Proxy.newProxyInstance(null, list, this);
    }
    Object passed() {
        Class<?>[] list = {Runnable.class};
        java.util.Arrays.fill(list, Comparable.class);
        return Proxy.newProxyInstance(null, list, this);
    }
    Object[] two(Class<?> c) {
        return new Object[] {Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class}, this),
            Proxy.newProxyInstance(null, new Class<?>[] {c}, new Other())};
    }
    static class Other extends Makers { }
    int none() { return 1; }
}
`

// A maker of proxies tells what it makes them of and what handles their calls, where no other code
// can have put another thing there.
func TestProxyMakers(t *testing.T) {
	data := testjdk.JavacClass(t, testjdk.AtLeast(t, 17), 11, "Makers", proxyMakers)
	parsed, err := classfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	class, _ := facts.FromClass(parsed, data, facts.Options{})
	any := "java/lang/reflect/InvocationHandler"
	want := map[string]struct {
		handlers string
		named    bool
	}{
		"made": {"Makers", true}, "itself": {"Makers", true}, "field": {"Makers", true}, "anyField": {any, true},
		"parameter": {"Makers", false}, "given": {"Makers", false}, "either": {"Makers " + any, true},
		"element": {"", true}, "one": {"Makers", false}, "changed": {"Makers", false}, "told": {"Makers", false},
		"passed": {"Makers", false}, "two": {"Makers Makers$Other", false}, "none": {"", false},
	}
	for i := range class.Methods {
		m := &class.Methods[i]
		w, ok := want[m.Name]
		if !ok {
			continue
		}
		delete(want, m.Name)
		types := HandlerTypes(class, m)
		slices.Sort(types)
		if got := strings.Join(types, " "); got != w.handlers || NamesProxied(m) != w.named {
			t.Errorf("%s: handlers are %q, want %q; all interfaces named: %v", m.Name, got, w.handlers, NamesProxied(m))
		}
	}
	if len(want) > 0 {
		t.Errorf("not compiled: %v", want)
	}
}
