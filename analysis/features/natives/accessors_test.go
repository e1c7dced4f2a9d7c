package natives

import "testing"

func TestAccessor(t *testing.T) {
	for _, c := range []struct {
		class, method string
		want          Method
	}{
		{"jdk/internal/reflect/GeneratedMethodAccessor17", "invoke",
			Method{"jdk/internal/reflect/NativeMethodAccessorImpl", "invoke0"}},
		{"sun/reflect/GeneratedMethodAccessor1", "invoke", Method{"sun/reflect/NativeMethodAccessorImpl", "invoke0"}},
		{"sun/reflect/GeneratedConstructorAccessor203", "newInstance",
			Method{"sun/reflect/NativeConstructorAccessorImpl", "newInstance0"}},
		{"jdk/internal/reflect/GeneratedSerializationConstructorAccessor2", "newInstance",
			Method{"jdk/internal/reflect/NativeConstructorAccessorImpl", "newInstance0"}},
		{"jdk/internal/reflect/GeneratedMethodAccessor", "invoke", Method{}},
		{"jdk/internal/reflect/GeneratedMethodAccessor2x", "invoke", Method{}},
		{"jdk/internal/reflect/GeneratedMethodAccessor2", "<init>", Method{}},
		{"p/GeneratedMethodAccessor2", "invoke", Method{}},
	} {
		got, ok := Accessor(c.class, c.method)
		if got != c.want || ok != (c.want != Method{}) {
			t.Errorf("%s.%s: %v, %v, want %v", c.class, c.method, got, ok, c.want)
		}
		if ok {
			if _, known := Model(got.Class, got.Name, "", true); !known {
				t.Errorf("%s.%s stands for %v, which has no row", c.class, c.method, got)
			}
		}
	}
}

func TestThrowsOneOf(t *testing.T) {
	r, _ := Model("jdk/internal/reflect/NativeMethodAccessorImpl", "invoke0", "", true)
	for _, c := range []struct {
		classes []string
		want    bool
	}{
		{[]string{"java/lang/reflect/InvocationTargetException", "java/lang/ReflectiveOperationException"}, true},
		{[]string{"java/lang/ExceptionInInitializerError", "java/lang/LinkageError", "java/lang/Error"}, true},
		{[]string{"p/Own", "java/lang/IllegalArgumentException"}, false}, // the row names the class itself
		{[]string{"java/lang/StackOverflowError", "java/lang/VirtualMachineError", "java/lang/Error"}, false},
		{nil, false},
	} {
		if got := r.ThrowsOneOf(c.classes); got != c.want {
			t.Errorf("%v: %v", c.classes, got)
		}
	}
}
