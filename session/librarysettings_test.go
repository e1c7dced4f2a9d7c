package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// The first process makes two call graphs, as a library sets what the JDK is not taken to do; the
// next one makes one, with the same links. What has been damaged meanwhile is found out again from
// the start.
func TestLibrarySettingsAreKept(t *testing.T) {
	root, cache := t.TempDir(), scratch.CacheDir(t)
	for name, text := range map[string]string{
		"lib/l/Library.java": `package l; public class Library {
    public static void sets() { System.setProperty("jdk.net.usePlainSocketImpl", "true"); }
}`,
		"src/p/C.java": `package p;
public class C {
    public static void main(String[] args) {
        l.Library.sets();
        try { new java.net.Socket(args[0], 80).getInputStream().read(); } catch (java.io.IOException e) { System.out.println(e); }
    }
}
`,
		"catchlens.toml": "build = \"plain\"\nsources = [\"src\"]\noutputs = [\"classes\"]\n" +
			"classPath = [\"library\"]\n",
	} {
		scratch.Write(t, filepath.Join(root, name), text)
	}
	home, library := testjdk.JDK(t, 17), filepath.Join(root, "library")
	testjdk.Javac(t, home, 17, nil, library, filepath.Join(root, "lib", "l", "Library.java"))
	testjdk.Javac(t, home, 17, []string{library}, filepath.Join(root, "classes"),
		filepath.Join(root, "src", "p", "C.java"))
	analyse := func() (graphs int, links []string) {
		s, err := Open([]string{root}, Options{CacheDir: cache,
			Settings: snapshot.Settings{CallGraph: "rta", EntryPoints: "mains"}, Once: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Reload(context.Background(), func(_ int, text string) {
			if text == "building the call graph" {
				graphs++
			}
		}); err != nil {
			t.Fatal(err)
		}
		old := false
		for _, l := range s.View().Snap.Catches[0].Links {
			links = append(links, l.ID)
			old = old || l.Site.Class == "java.net.PlainSocketImpl"
		}
		if !old {
			t.Error("no link from PlainSocketImpl")
		}
		return graphs, links
	}
	first, want := analyse()
	for _, damaged := range []bool{false, true} {
		kept, err := filepath.Glob(filepath.Join(cache, "*", "*", string(librarySettings)+"-*"))
		if err != nil || len(kept) != 1 {
			t.Fatalf("%q: %v", kept, err)
		}
		graphs := 1
		if damaged {
			graphs = 2 // nothing is kept, and what is set
			if err := os.WriteFile(kept[0], []byte("jdk.net.us\x00"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if again, links := analyse(); first != 2 || again != graphs ||
			strings.Join(links, " ") != strings.Join(want, " ") {
			t.Errorf("%d call graphs, then %d (want %d), with %d links and %d", first, again, graphs, len(want),
				len(links))
		}
	}
}
