package datareach

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catchlens/analysis/pointsto"
)

// Methods that call each other, each with four calls on, are given up where that takes too long: 20
// levels of them would be 4^20 calls.
func TestCallsWithinCalls(t *testing.T) {
	const levels = 20
	var text strings.Builder
	text.WriteString(`package deep;
final class Gate implements java.io.Closeable {
    boolean closed;
    void use() throws java.io.IOException { if (closed) throw new java.io.IOException(); }
    public void close() { closed = true; }
}
final class Deep {
    static void caught(int n) { try { m0(new Gate(), n); } catch (java.io.IOException e) { System.err.println(e); } }
    public static void main(String[] args) { caught(args.length); }
`)
	for i := range levels {
		call := fmt.Sprintf("m%d(new Gate(), n); ", i+1)
		if i == levels-1 {
			call = "if (n > 0) m0(new Gate(), n - 1); "
		}
		fmt.Fprintf(&text, "    static void m%d(Gate g, int n) throws java.io.IOException { %sg.use(); }\n", i,
			strings.Repeat(call, 4))
	}
	text.WriteString("}\n")
	file := filepath.Join(t.TempDir(), "Deep.java")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p := compiled(t, "deep/Deep", []string{"caught"}, file)
	ended := make(chan *Analysis, 1)
	go func() { ended <- p.confirmed(pointsto.Containers) }()
	select {
	case a := <-ended:
		if got := p.own(a.Result(), 0); len(got) > 1 || len(got) == 1 && got[0] != "deep/Gate" {
			t.Errorf("links of %v", got)
		}
	case <-time.After(3 * time.Minute): // it takes seconds
		t.Fatal("it does not end")
	}
}
