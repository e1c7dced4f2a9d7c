package catchlens.rt.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A small JSON reader and writer for the control channel. Values are Map, List, String, Long,
 * Double, Boolean and null.
 */
public final class Json {
    private final String s;
    private int i;

    private Json(String s) {
        this.s = s;
    }

    public static Object parse(String text) {
        Json j = new Json(text);
        Object v = j.value(0);
        j.space();
        if (j.i != text.length()) {
            throw j.bad("more than one value");
        }
        return v;
    }

    private IllegalArgumentException bad(String what) {
        return new IllegalArgumentException("JSON at " + i + ": " + what);
    }

    private void space() {
        while (i < s.length() && s.charAt(i) <= ' ') {
            i++;
        }
    }

    private Object value(int depth) {
        space();
        if (i >= s.length() || depth > 200) {
            throw bad("no value");
        }
        char c = s.charAt(i);
        switch (c) {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Object word(String w, Object v) {
        if (!s.startsWith(w, i)) {
            throw bad("unknown word");
        }
        i += w.length();
        return v;
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> m = new LinkedHashMap<String, Object>();
        i++;
        space();
        if (peek('}')) {
            return m;
        }
        do {
            space();
            String k = string();
            space();
            if (!peek(':')) {
                throw bad("':' expected");
            }
            m.put(k, value(depth + 1));
            space();
        } while (peek(','));
        if (!peek('}')) {
            throw bad("'}' expected");
        }
        return m;
    }

    private List<Object> array(int depth) {
        List<Object> l = new ArrayList<Object>();
        i++;
        space();
        if (peek(']')) {
            return l;
        }
        do {
            l.add(value(depth + 1));
            space();
        } while (peek(','));
        if (!peek(']')) {
            throw bad("']' expected");
        }
        return l;
    }

    private boolean peek(char c) {
        if (i < s.length() && s.charAt(i) == c) {
            i++;
            return true;
        }
        return false;
    }

    private String string() {
        if (!peek('"')) {
            throw bad("string expected");
        }
        StringBuilder b = new StringBuilder();
        while (i < s.length()) {
            char c = s.charAt(i++);
            if (c == '"') {
                return b.toString();
            }
            if (c != '\\') {
                b.append(c);
                continue;
            }
            if (i >= s.length()) {
                break;
            }
            c = s.charAt(i++);
            switch (c) {
                case 'b': b.append('\b'); break;
                case 'f': b.append('\f'); break;
                case 'n': b.append('\n'); break;
                case 'r': b.append('\r'); break;
                case 't': b.append('\t'); break;
                case 'u':
                    if (i + 4 > s.length()) {
                        throw bad("short escape");
                    }
                    b.append((char) Integer.parseInt(s.substring(i, i + 4), 16));
                    i += 4;
                    break;
                default: b.append(c);
            }
        }
        throw bad("string without end");
    }

    private Object number() {
        int from = i;
        boolean whole = true;
        while (i < s.length() && "+-.eE0123456789".indexOf(s.charAt(i)) >= 0) {
            char c = s.charAt(i++);
            whole &= c != '.' && c != 'e' && c != 'E';
        }
        String t = s.substring(from, i);
        try {
            if (whole) {
                return Long.parseLong(t);
            }
            return Double.parseDouble(t);
        } catch (NumberFormatException e) {
            throw bad("no number");
        }
    }

    static String write(Object v) {
        StringBuilder b = new StringBuilder();
        write(b, v);
        return b.toString();
    }

    private static void write(StringBuilder b, Object v) {
        if (v instanceof Map) {
            char sep = '{';
            for (Map.Entry<?, ?> e : ((Map<?, ?>) v).entrySet()) {
                b.append(sep);
                quote(b, String.valueOf(e.getKey()));
                b.append(':');
                write(b, e.getValue());
                sep = ',';
            }
            b.append(sep == '{' ? "{}" : "}");
        } else if (v instanceof Iterable) {
            char sep = '[';
            for (Object o : (Iterable<?>) v) {
                b.append(sep);
                write(b, o);
                sep = ',';
            }
            b.append(sep == '[' ? "[]" : "]");
        } else if (v == null || v instanceof Number || v instanceof Boolean) {
            b.append(v);
        } else {
            quote(b, v.toString());
        }
    }

    private static void quote(StringBuilder b, String s) {
        b.append('"');
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c == '"' || c == '\\') {
                b.append('\\').append(c);
            } else if (c < ' ' || c > '~') { // keeps lone surrogates readable
                b.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
            } else {
                b.append(c);
            }
        }
        b.append('"');
    }
}
