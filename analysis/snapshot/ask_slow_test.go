//go:build slow

package snapshot

import (
	"context"
	"slices"
	"strings"
	"testing"
)

const editedSource = `package p;
import java.io.*;
public class C {
    public static void main(String[] args) throws Exception {
        try {
            System.in.read();
        } catch (IOException e) { System.out.println("caught"); }
    }
}
`

// An edit that asks for a service of a security provider, or makes an address, gives what the program from scratch has.
func TestEditsThatAsk(t *testing.T) {
	for _, graph := range []string{"rta", "pta", "inpta-dr"} {
		for _, code := range []string{`System.out.println(args[0]);`, `java.security.KeyStore.getInstance("PKCS12").load(System.in, null);`, `new java.net.URL(args[0]).openStream();`} {
			p := newReuseProject(t, graph)
			p.compiled = map[string][]byte{}
			build := func(text string, prev *Snapshot) *Snapshot {
				p.build(t, text, nil) // compiles it
				s, err := Build(context.Background(), p.ws, p.cfg, Options{Cache: p.cache, Edits: true}, prev)
				if err != nil {
					t.Fatal(err)
				}
				s.Wait()
				return s
			}
			text := strings.Replace(editedSource, "System.in.read();", "System.in.read();\n            "+code, 1)
			s := build(text, build(editedSource, nil))
			want := build(text, nil)
			a, b := linkIDs(s), linkIDs(want)
			slices.Sort(a)
			slices.Sort(b)
			if t.Logf("%s, reused %q, %s: %d links, %d from scratch", graph, s.Stats.Reuse, code, len(a), len(b)); !slices.Equal(a, b) {
				t.Errorf("%s, reused %q, %s: %d links, %d from scratch", graph, s.Stats.Reuse, code, len(a), len(b))
			}
		}
	}
}
