package session

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/catchlens/catchlens/analysis/snapshot"
	"github.com/catchlens/catchlens/internal/testjdk"
	"github.com/catchlens/catchlens/test/scratch"
)

// A folder that catchlens.toml names as the JDK is not looked at before the workspace is trusted,
// and counts from then on, also in a later session without trust.
func TestJDKNeedsTrust(t *testing.T) {
	dir, cache, home := t.TempDir(), scratch.CacheDir(t), testjdk.JDK(t, 25)
	t.Setenv("JAVA_HOME", testjdk.JDK(t, 17))
	scratch.Write(t, filepath.Join(dir, "src", "p", "A.java"), "package p;\nclass A {\n}\n")
	scratch.Write(t, filepath.Join(dir, "catchlens.toml"), "jdk = '"+home+"'\n")
	open := func(trusted bool) *Session {
		s, err := Open([]string{dir}, Options{CacheDir: cache, Trusted: trusted, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	check := func(when string, s *Session, used bool) {
		t.Helper()
		if err := s.Reload(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		ws := s.View().Snap.Workspace
		if got := ws.Modules[0].JDKHome; (got == home) != used {
			t.Errorf("%s the JDK is %s; that of catchlens.toml is used: want %v", when, got, used)
		}
		said := slices.ContainsFunc(
			s.View().Snap.Problems,
			func(p snapshot.Problem) bool { return strings.Contains(p.Message, "once the workspace is trusted") },
		)
		if said == used {
			t.Errorf("%s the problem is told: %v", when, said)
		}
	}
	s := open(false)
	check("before trust", s, false)
	s.SetTrusted(true)
	check("with trust", s, true)
	s.Close()
	check("later without trust", open(false), true)
}
