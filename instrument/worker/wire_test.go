package worker

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/golden"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// What the agent reads is what this program writes: its class is made from the tables.
func TestGoldenWire(t *testing.T) {
	root, err := testjdk.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := wireClass()
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join(root, "instrument", "agent", "java", "catchlens", "rt", "wire", "Wire.java"),
		[]byte(text))
}

// wireClass is the source of catchlens.rt.wire.Wire.
func wireClass() (string, error) {
	var b strings.Builder
	b.WriteString(`package catchlens.rt.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers and messages that the worker and the agent share. This file is made from
 * instrument/worker/wire.go ("make update"): change that one.
 */
public final class Wire {
    private Wire() {}
`)
	for _, group := range wireNumbers {
		fmt.Fprintf(&b, "\n%s", javaComment("    ", group.about))
		for _, n := range group.of {
			fmt.Fprintf(&b, "    public static final int %s = %d;\n", n.name, n.number)
		}
	}
	for _, m := range wireMessages {
		text, err := messageClass(reflect.TypeOf(m))
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	b.WriteString(`
    private static String text(Object o) {
        return (String) o;
    }

    private static boolean flag(Object o) {
        return Boolean.TRUE.equals(o);
    }

    private static long number(Object o) {
        return o == null ? 0 : (Long) o;
    }

    private static List<?> list(Object o) {
        return o == null ? new ArrayList<Object>() : (List<?>) o;
    }

    private static List<String> texts(Object o) {
        List<String> all = new ArrayList<String>();
        for (Object s : list(o)) {
            all.add((String) s);
        }
        return all;
    }

    private static long[] numbers(Object o) {
        List<?> all = list(o);
        long[] ns = new long[all.size()];
        for (int i = 0; i < ns.length; i++) {
            ns[i] = (Long) all.get(i);
        }
        return ns;
    }

    private static int[] integers(Object o) {
        long[] ns = numbers(o);
        int[] is = new int[ns.length];
        for (int i = 0; i < is.length; i++) {
            is[i] = (int) ns[i];
        }
        return is;
    }

    private static Map<String, String> textsByName(Object o) {
        Map<String, String> all = new LinkedHashMap<String, String>();
        if (o != null) {
            for (Map.Entry<?, ?> e : ((Map<?, ?>) o).entrySet()) {
                all.put((String) e.getKey(), (String) e.getValue());
            }
        }
        return all;
    }
}
`)
	return b.String(), nil
}

// javaComment is a comment of Java with lines of at most 100 columns.
func javaComment(indent, text string) string {
	if one := indent + "/** " + text + " */\n"; len(one) <= 100 {
		return one
	}
	out, line := indent+"/**\n", indent+" *"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > 100 {
			out, line = out+line+"\n", indent+" *"
		}
		line += " " + word
	}
	return out + line + "\n" + indent + " */\n"
}

// messageClass is the class of one message: a field for each of the struct's, filled from what the
// reader of JSON has made.
func messageClass(of reflect.Type) (string, error) {
	name := javaName(of)
	var fields, body strings.Builder
	for f := range of.NumField() {
		field := of.Field(f)
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "" {
			return "", fmt.Errorf("%s.%s has no name in JSON", of, field.Name)
		}
		typ, value, element := javaField(field.Type, fmt.Sprintf("m.get(%q)", key))
		if typ == "" {
			return "", fmt.Errorf("%s.%s: no form in Java", of, field.Name)
		}
		fmt.Fprintf(&fields, "        public final %s %s;\n", typ, key)
		fmt.Fprintf(&body, "            %s = %s;\n", key, value)
		if element != "" {
			fmt.Fprintf(&body, "            for (Object o : list(m.get(%q))) {\n"+
				"                %s.add(new %s((Map<?, ?>) o));\n            }\n",
				key, key, element)
		}
	}
	return fmt.Sprintf("\n    /** %s of the worker. */\n    public static final class %s {\n%s\n"+
		"        public %s(Map<?, ?> m) {\n%s        }\n    }\n",
		of.Name(), name, fields.String(), name, body.String()), nil
}

func javaName(t reflect.Type) string { return strings.TrimPrefix(t.Name(), "wire") }

// javaField is the type of a field and how its value is made of an object of JSON; element is the
// class of what a list, made empty, is then filled with. "" where there is no such type.
func javaField(t reflect.Type, from string) (typ, value, element string) {
	switch t.Kind() {
	case reflect.String:
		return "String", "text(" + from + ")", ""
	case reflect.Bool:
		return "boolean", "flag(" + from + ")", ""
	case reflect.Int, reflect.Int32, reflect.Uint16:
		return "int", "(int) number(" + from + ")", ""
	case reflect.Uint32, reflect.Int64:
		return "long", "number(" + from + ")", ""
	case reflect.Pointer:
		name := javaName(t.Elem())
		return name, fmt.Sprintf("%s == null ? null : new %s((Map<?, ?>) %s)", from, name, from), ""
	case reflect.Map:
		return "Map<String, String>", "textsByName(" + from + ")", ""
	case reflect.Slice:
		switch t.Elem().Kind() {
		case reflect.String:
			return "List<String>", "texts(" + from + ")", ""
		case reflect.Int, reflect.Uint16:
			return "int[]", "integers(" + from + ")", ""
		case reflect.Uint32:
			return "long[]", "numbers(" + from + ")", ""
		case reflect.Struct:
			name := javaName(t.Elem())
			return "List<" + name + ">", "new ArrayList<" + name + ">()", name
		}
	}
	return "", "", ""
}
