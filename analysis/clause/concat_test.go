package clause_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/catchlens/catchlens/analysis/classfile"
	"github.com/catchlens/catchlens/internal/testjdk"
)

// joinsObjects compiles with javac, and changes the code of Concat to that of javac 9 to 18, whose
// invokedynamic takes the objects. Newer ones make text of them before (JDK-8273914).
func joinsObjects(t testing.TB, home string, release int, classpath []string, outDir string, files ...string) {
	t.Helper()
	testjdk.Javac(t, home, release, classpath, outDir, files...)
	if !slices.ContainsFunc(files, func(f string) bool { return filepath.Base(f) == "Concat.java" }) {
		return
	}
	path := filepath.Join(outDir, "clauses", "Concat.class")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := classfile.Parse(bytes.Clone(data))
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, m := range c.Methods {
		code, err := c.Code(m)
		if err != nil {
			t.Fatal(err)
		}
		var text []byte // what String.valueOf leaves out of the code
		for in, err := range classfile.Instructions(code.Bytecode) {
			if err != nil {
				t.Fatal(err)
			}
			if in.Op != classfile.OpInvokestatic {
				continue
			}
			if ref, err := c.Pool.MemberRef(uint16(in.Index)); err == nil && ref.Owner == "java/lang/String" {
				text = code.Bytecode[in.PC:in.Next()]
			}
		}
		if text == nil {
			continue
		}
		changed += bytes.Count(data, text)
		data = bytes.ReplaceAll(data, text, make([]byte, len(text))) // nop
	}
	taken := []byte("(Ljava/lang/String;)Ljava/lang/String;")
	if changed != 1 || bytes.Count(data, taken) != 1 {
		t.Fatalf("%d calls of String.valueOf, not 1", changed)
	}
	data = bytes.Replace(data, taken, []byte("(Ljava/lang/Object;)Ljava/lang/String;"), 1)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
