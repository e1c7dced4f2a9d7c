package properties

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// oracle reads texts as java.util.Properties does: one in Base64 on each line. It writes
// a line for each: the entries, sorted, each as UTF-16 in hexadecimal; or "refused".
const oracle = `
import java.io.*;
import java.util.*;
class Oracle {
    static String hex(String s) { StringBuilder b = new StringBuilder(); for (char c : s.toCharArray()) b.append(String.format("%04x", (int) c)); return b.toString(); }
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new FileReader(args[0]));
        for (String line; (line = in.readLine()) != null; ) {
            Properties p = new Properties();
            try {
                p.load(new StringReader(new String(Base64.getDecoder().decode(line), "UTF-8")));
                TreeSet<String> entries = new TreeSet<>();
                p.forEach((k, v) -> entries.add(hex((String) k) + "=" + hex((String) v)));
                System.out.println(String.join(" ", entries));
            } catch (IllegalArgumentException e) {
                System.out.println("refused");
            }
        }
    }
}`

// Properties are what Java reads, of texts that are made of what has a meaning in them.
func TestPropertiesAsJava(t *testing.T) {
	texts := []string{"", "a=b\\", "a=b\\\n", "\\", "\\\n#x", "a\\\n\\\nb=c", "a=\\uD83D\\uDE00", "a=\\u00e",
		"a=\\u+0e9", "a b c\r\nd:=e\r", "=v\n:w", "k\\ k\\==\\v\\é",
		"#c\\\na=b", "a=b\\\r\n   c", "a=b\\\n\nc=d", "ü=\\t\\n\\f\\r\\\\", "a\\u003db=c", "\\#a=b", "a=1\na=2",
		"a=\\ud800"}
	parts := []string{"a", "b", "=", ":", " ", "\t", "\f", "\n", "\r", "\r\n", "\\", "\\", "#", "!", "u", "\\u0041",
		"\\uD83D", "\\uDE00", "\\u00", "é", "€", "0", "n"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var b strings.Builder
		for range random.IntN(16) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		texts = append(texts, b.String())
	}
	dir := t.TempDir()
	source, input := filepath.Join(dir, "Oracle.java"), filepath.Join(dir, "input")
	var in strings.Builder
	for _, text := range texts {
		fmt.Fprintln(&in, base64.StdEncoding.EncodeToString([]byte(text)))
	}
	for file, text := range map[string]string{source: oracle, input: in.String()} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(filepath.Join(testjdk.JDK(t, 17), "bin", "java"), source, input).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	hex := func(s string) string {
		var b strings.Builder
		for _, u := range utf16.Encode([]rune(s)) {
			fmt.Fprintf(&b, "%04x", u)
		}
		return b.String()
	}
	answers := bufio.NewScanner(strings.NewReader(string(out)))
	entries, refused := 0, 0
	for _, text := range texts {
		if !answers.Scan() {
			t.Fatal("the oracle has ended")
		}
		want := answers.Text()
		got, err := Parse(text)
		line := "refused"
		if err == nil {
			var all []string
			for k := range maps.Keys(got) {
				all = append(all, hex(k)+"="+hex(got[k]))
			}
			slices.Sort(all)
			line = strings.Join(all, " ")
		}
		entries += len(got)
		if err != nil {
			refused++
		}
		if halves(want) { // half a character, which a Go string cannot hold
			continue
		}
		if line != want {
			t.Errorf("%q gives %s, want %s", text, line, want)
		}
	}
	if entries < 1000 || refused < 100 {
		t.Errorf("%d entries and %d texts refused: too few to tell", entries, refused)
	}
}

// halves tells whether an answer of the oracle has a surrogate without its partner.
func halves(answer string) bool {
	for _, text := range strings.FieldsFunc(answer, func(r rune) bool { return r == ' ' || r == '=' }) {
		var units []uint16
		for i := 0; i+4 <= len(text); i += 4 {
			var u uint16
			fmt.Sscanf(text[i:i+4], "%04x", &u)
			units = append(units, u)
		}
		if !slices.Equal(utf16.Encode(utf16.Decode(units)), units) {
			return true
		}
	}
	return false
}

// A file is in ISO 8859-1, and one with an escape that Java refuses has no entries.
func TestReadProperties(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.properties")
	for text, want := range map[string]map[string]string{
		"name=caf\xe9\nmore=\\u20ac": {"name": "café", "more": "€"},
		"a=b\nc=\\u12":               nil,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := Read(file); !maps.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a=b\\\n  c: d\n#x\n\\u0041 e")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Parse(text)
		if err != nil && got != nil {
			t.Error("both entries and an error")
		}
	})
}
