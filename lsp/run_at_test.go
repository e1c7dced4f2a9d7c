package lsp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/session"
)

const twoThrows = `package p;

public class C {
    public int read(int n) {
        try {
            check(n);
        } catch (IllegalStateException e) {
            return 0;
        }
        return n;
    }

    void check(int n) {
        if (n < 0) throw new IllegalStateException("less");
        if (n > 9) throw new IllegalStateException("more");
    }
}
`

// runner is a session that notes what is to be run.
type runner struct {
	session.API
	ran chan session.Scope
}

func (r *runner) Run(_ context.Context, scope session.Scope, _ session.Progress) (session.Summary, error) {
	r.ran <- scope
	return session.Summary{}, nil
}

// sources is a workspace with sources that nobody has compiled.
func sources(t *testing.T, texts map[string]string) (root string) {
	t.Helper()
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	root = t.TempDir()
	for name, text := range texts {
		file := filepath.Join(root, "src", "p", name)
		os.MkdirAll(filepath.Dir(file), 0o755)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// The catch of a line is run where nothing has been compiled yet, and where that cannot be, the
// answer says why.
func TestRunAtLine(t *testing.T) {
	const bare = "package p;\n\nclass D {\n}\n"
	for name, x := range map[string]struct {
		texts         map[string]string
		file          string
		line          int
		options       map[string]any
		ran, says, or string
	}{
		"compiles first": {map[string]string{"C.java": twoThrows}, "C.java", 7, nil, "#0", "", ""},
		"above the catch": {map[string]string{"C.java": twoThrows}, "C.java", 2, nil, "",
			"no catch at or above this line", ""},
		"no catch at all": {map[string]string{"C.java": twoThrows, "D.java": bare}, "D.java", 3, nil, "",
			"no catch at or above this line", ""},
		"does not compile": {map[string]string{"C.java": strings.Replace(twoThrows, "return n;", "return no;", 1)},
			"C.java", 7, nil, "",
			"C.java:10: ", "correct that and run again"},
		"another does not": {map[string]string{"C.java": twoThrows,
			"D.java": "package p;\nclass D { int x = \"no\"; }\n"}, "C.java", 7, nil, "#0", "", ""},
		"not trusted": {map[string]string{"C.java": twoThrows}, "C.java", 7, map[string]any{"trusted": false}, "",
			"not trusted", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := sources(t, x.texts)
			r := &runner{ran: make(chan session.Scope, 1)}
			c := connectTo(t, func(f []string, o session.Options) (session.API, error) {
				s, err := session.Open(f, o)
				r.API = s
				return r, err
			}, plainCaps, x.options, root)
			uri := c.open(filepath.Join(root, "src", "p", x.file), x.texts[x.file])
			err := c.conn.Call(context.Background(), "workspace/executeCommand",
				map[string]any{"command": "catchlens.runCatch", "arguments": []any{uri, x.line},
					"workDoneToken": "mine"}, nil)
			if x.ran != "" {
				if err != nil {
					t.Fatal(err)
				}
				if scope := <-r.ran; len(scope.Catches) != 1 || !strings.HasSuffix(scope.Catches[0], x.ran) {
					t.Errorf("ran %+v", scope)
				}
			} else if err == nil || !strings.Contains(err.Error(), x.says) || !strings.Contains(err.Error(), x.or) {
				t.Errorf("error %v, want %q and %q", err, x.says, x.or)
			}
			c.quit()
		})
	}
}
